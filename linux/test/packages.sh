#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what building the kernel driver and trying it needs: packages.sh FOLDER
#   FOLDER/6.1, FOLDER/6.12    Debian's kernels, each with
#     headers    what modules are built against
#     boot       the kernel
#     modules    those of its modules that the test loads
#   FOLDER/root                keyctl, cryptsetup and openssl with their libraries
# Nothing is installed. It ends with 77 where apt cannot bring them (fetch/apt.sh).
set -eu
[ $# -eq 1 ] || {
    sed -n '3,8s/^# //p' "$0" >&2
    exit 2
}
fetch=$(dirname "$(realpath "$0")")/../../fetch
mkdir -p "$1"
folder=$(realpath "$1")
release=bookworm
# What other versions of these scripts fetched is fetched again.
version=$(cat "$0" "$fetch/debian.sh" "$fetch/apt.sh" | cksum)
. "$fetch/once.sh"
once "$folder/lock" "$folder/complete" "$version"

failed() {
    echo "packages.sh: $1" >&2
    exit "${2-1}"
}

# The names of the packages that the package of that name stands for.
depends() { # depends PACKAGE/SUITE PATTERN
    apt-cache depends "$1" | sed -n "s/.*Depends: \($2\)\$/\1/p"
}

echo "fetching kernels, their headers and programs of guests from $release" >&2
rm -rf "$folder/complete"
"$fetch/debian.sh" "$folder" "$release,$release-backports" keyutils cryptsetup-bin dmsetup openssl
apt=$folder/apt
export APT_CONFIG="$apt/apt.conf"
for suite in $release $release-backports; do
    image=$(depends "linux-image-amd64/$suite" 'linux-image-[0-9].*')
    headers=$(depends "linux-headers-amd64/$suite" 'linux-headers-[0-9].*')
    [ -n "$image" ] && [ -n "$headers" ] || failed "the mirror has no kernel in $suite" 77
    more=$(depends "$headers/$suite" 'linux-\(headers\|kbuild\)-.*')
    kernel=$folder/$(echo "$image" | sed 's/linux-image-\([0-9]*\.[0-9]*\).*/\1/')
    rm -rf "$kernel" "$apt/kernel"
    mkdir -p "$kernel/headers" "$apt/kernel"
    # shellcheck disable=SC2086 # a list of packages
    (cd "$apt/kernel" && for package in $image $headers $more; do
        apt-get -qq download "$package/$suite" || exit 1
    done) || failed "the mirror has not all of: $image $headers $more" 77
    for package in "$apt"/kernel/linux-headers-*.deb "$apt"/kernel/linux-kbuild-*.deb; do
        dpkg-deb --extract "$package" "$kernel/headers"
    done
    # The makefile of a flavour includes the common one by where it is installed.
    build=$(echo "$kernel"/headers/usr/src/linux-headers-*-amd64)
    sed -i "s|/usr/src/|$kernel/headers/usr/src/|" "$build/Makefile"
    dpkg-deb --fsys-tarfile "$apt"/kernel/linux-image-*.deb | tar --extract --directory "$kernel" --wildcards \
        './boot/vmlinuz-*' '*/kernel/crypto/*' '*/kernel/drivers/block/loop.ko*' '*/kernel/drivers/md/dm-*'
    mkdir "$kernel/modules"
    # What is not a module is in the kernel.
    for module in pkcs8_key_parser af_alg algif_skcipher aes_generic cbc loop dm-mod dm-crypt; do
        find "$kernel/lib" "$kernel/usr" -name "$module.ko*" -exec mv {} "$kernel/modules" \; 2>/dev/null || true
    done
    rm -rf "$kernel/lib" "$kernel/usr"
    find "$kernel/modules" -name '*.ko.xz' -exec xz --decompress {} +
    [ -e "$kernel/modules/pkcs8_key_parser.ko" ] || failed "$image has no pkcs8_key_parser"
done
rm -rf "$apt"
echo "$version" >"$folder/complete"
