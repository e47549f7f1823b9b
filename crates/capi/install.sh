#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the C library:   install.sh BUILD PREFIX [DESTDIR]
# removes it:               install.sh --remove PREFIX [DESTDIR]
#   BUILD    where cargo left libgarner.so and libgarner.a, such as target/release
#   PREFIX   where programs will find it, such as /usr/local
#   DESTDIR  put in front of PREFIX for packaging
set -eu
umask 022
[ $# -ge 2 ] || {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}
build=$1 prefix=$2 root=${3-}$2
here=$(dirname "$0")
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' "$here/../../Cargo.toml")
soname=libgarner.so.${version%%.*}
headers="garner.h garner_keys.h garner_aes_board.h"

if [ "$build" = --remove ]; then
    for file in libgarner.so "$soname" "libgarner.so.$version" libgarner.a pkgconfig/garner.pc; do
        rm -f "$root/lib/$file"
    done
    for header in $headers; do
        rm -f "$root/include/$header"
    done
    exit
fi
install -D -s -m 755 "$build/libgarner.so" "$root/lib/libgarner.so.$version"
ln -sf "libgarner.so.$version" "$root/lib/$soname"
ln -sf "$soname" "$root/lib/libgarner.so"
install -m 644 "$build/libgarner.a" "$root/lib/libgarner.a"
strip --strip-debug "$root/lib/libgarner.a"
for header in $headers; do
    install -D -m 644 "$here/include/$header" "$root/include/$header"
done
install -d "$root/lib/pkgconfig"
sed -e "s|@PREFIX@|$prefix|" -e "s|@VERSION@|$version|" "$here/garner.pc.in" >"$root/lib/pkgconfig/garner.pc"
