#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds the kernel driver against fetched headers: build.sh KERNEL OUTPUT
#   KERNEL   a folder of packages.sh, such as target/linux/6.1
#   OUTPUT   garner.ko and garner_load.ko go here
# Warnings are errors. What is built here is built in OUTPUT, not in the sources.
set -eu
[ $# -eq 2 ] || {
    sed -n '3,6s/^# //p' "$0" >&2
    exit 2
}
sources=$(dirname "$(realpath "$0")")/..
mkdir -p "$2"
kernel=$(realpath "$1") output=$(realpath "$2")
rm -rf "$output/linux"
mkdir -p "$output/linux/test"
"$sources/sources.sh" "$output/linux"
cp "$sources"/test/Kbuild "$sources"/test/*.c "$output/linux/test"
for part in linux linux/test; do
    # Type information for BPF wants pahole and the kernel with its symbols.
    make -s -C "$kernel"/headers/usr/src/linux-headers-*-amd64 M="$output/$part" CONFIG_DEBUG_INFO_BTF_MODULES= \
        W=1 KCFLAGS=-Werror modules >"$output/log" 2>&1 || {
        cat "$output/log" >&2
        exit 1
    }
    # Of another compiler than the kernel's, as of one's own kernel.
    grep -i 'warning' "$output/log" | grep -v 'the compiler differs from the one' && {
        cat "$output/log" >&2
        exit 1
    }
    cp "$output/$part"/*.ko "$output"
done
