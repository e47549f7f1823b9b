#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds a kernel that checks itself, from Debian's sources of 6.12: kernel.sh FOLDER
#   FOLDER/checked   as packages.sh's kernels: boot, headers, modules
#   FOLDER/tools     what is fetched to build it, sparse among it
# It has the crypto API's extra tests, KASAN (memory), lockdep (locks), kmemleak, and the checks of the DMA API, of lists,
# of scatterlists and of objects: checked.config. A quarter of an hour on two cores; built once, until the sources change.
set -eu
[ $# -eq 1 ] || {
    sed -n '3,8s/^# //p' "$0" >&2
    exit 2
}
here=$(dirname "$(realpath "$0")")
fetch=$here/../../fetch
mkdir -p "$1"
folder=$(realpath "$1")
version=$(cat "$0" "$here/checked.config" "$fetch/debian.sh" "$fetch/apt.sh" | cksum)
. "$fetch/once.sh"
once "$folder/checked.lock" "$folder/checked/complete" "$version"

failed() {
    echo "kernel.sh: $*" >&2
    exit 1
}

echo "fetching the sources of Linux 6.12" >&2
rm -rf "$folder/checked" "$folder/tools"
mkdir -p "$folder/tools"
"$fetch/debian.sh" "$folder/tools" bookworm,bookworm-backports flex bison libelf-dev sparse
apt=$folder/tools/apt
(cd "$apt/cache" && APT_CONFIG="$apt/apt.conf" apt-get -qq download linux-source-6.12) ||
    failed "the mirror has no linux-source-6.12"
sources=$folder/checked/headers/usr/src
mkdir -p "$sources" "$folder/checked/boot" "$folder/checked/modules"
dpkg-deb --fsys-tarfile "$apt"/cache/linux-source-6.12_*.deb |
    tar --extract --to-stdout ./usr/src/linux-source-6.12.tar.xz | tar --extract --xz --directory "$sources"
rm -rf "$apt"
tree=$sources/linux-headers-checked-amd64
mv "$sources/linux-source-6.12" "$tree"

# An option that depends on another which is not set falls away without a word.
configured() {
    grep '^CONFIG_' "$here/checked.config" | while read -r option; do
        case $option in
        *=n) ! grep -q "^${option%=n}=" "$tree/.config" ;;
        *) grep -qxF "$option" "$tree/.config" ;;
        esac || failed "the configuration did not come to $option"
    done
}

root=$folder/tools/root/usr
export PATH="$root/bin:$PATH" BISON_PKGDATADIR="$root/share/bison" M4="$root/bin/m4"
export C_INCLUDE_PATH="$root/include" LIBRARY_PATH="$root/lib/x86_64-linux-gnu"
log=$folder/checked/log
echo "building it; $log tells how far it is" >&2
{
    make -C "$tree" tinyconfig &&
        (cd "$tree" && scripts/kconfig/merge_config.sh -m .config "$here/checked.config") &&
        make -C "$tree" olddefconfig && configured && make -C "$tree" -j "$(nproc)" bzImage modules
} >"$log" 2>&1 || {
    tail -n 20 "$log" >&2
    exit 1
}
cp "$tree/arch/x86/boot/bzImage" "$folder/checked/boot/vmlinuz-checked"
for module in pkcs8_key_parser af_alg algif_skcipher loop dm-mod dm-crypt; do
    find "$tree" -name "$module.ko" -exec cp {} "$folder/checked/modules" \;
done
echo "$version" >"$folder/checked/complete"
