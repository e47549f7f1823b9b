#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes a guest's root file system: initramfs.sh FOLDER INIT FILES OUTPUT PROGRAM...
#   FOLDER   what packages.sh fetched
#   INIT     the guest's first process, a script of busybox's shell; busybox's commands are in /bin
#   FILES    a folder whose content goes to /
#   OUTPUT   the compressed archive
#   PROGRAM  programs of this machine, which go to /bin with their libraries
set -eu
[ $# -ge 4 ] || {
    sed -n '2,7s/^# //p' "$0" >&2
    exit 2
}
folder=$(realpath "$1") init=$(realpath "$2") files=$(realpath "$3") output=$(realpath "$4")
shift 4
run=$(dirname "$(realpath "$0")")/../fetch/run.sh
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
trap 'exit 1' HUP INT TERM
mkdir "$stage/bin" "$stage/modules" "$stage/dev" "$stage/proc" "$stage/sys" "$stage/tmp"
cp "$folder/root/usr/bin/busybox" "$stage/bin"
find "$folder/kernel" -name '*.ko' -exec cp {} "$stage/modules" \;
for program in "$@"; do
    # What debuggers want is most of it, and a guest reads slowly.
    strip --strip-debug -o "$stage/bin/$(basename "$program")" "$program"
    ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
        install -D "$library" "$stage$library"
    done
done
cp -r "$files/." "$stage"
cp "$init" "$stage/init"
chmod 755 "$stage/init"
cd "$stage"
find . | "$run" "$folder" cpio --quiet --create --format newc | gzip -1 >"$output"
