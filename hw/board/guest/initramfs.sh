#!/bin/sh
# Makes the guest's root file system: initramfs.sh FOLDER PROGRAM FILES OUTPUT
#   FOLDER   what packages.sh fetched
#   PROGRAM  a program of this machine, which goes to /bin with its libraries
#   FILES    a folder whose content goes to /
#   OUTPUT   the compressed archive
set -eu
[ $# -eq 4 ] || {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}
folder=$(realpath "$1") program=$(realpath "$2") files=$(realpath "$3") output=$(realpath "$4")
stage=$(mktemp -d)
trap 'rm -rf "$stage"' EXIT
mkdir "$stage/bin" "$stage/modules" "$stage/dev" "$stage/proc" "$stage/sys" "$stage/tmp"
cp "$folder/root/usr/bin/busybox" "$stage/bin"
find "$folder/kernel" -name '*.ko' -exec cp {} "$stage/modules" \;
cp "$program" "$stage/bin"
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do
    install -D "$library" "$stage$library"
done
cp -r "$files/." "$stage"
cp "$(dirname "$0")/init" "$stage/init"
chmod 755 "$stage/init"
cd "$stage"
root=$folder/root
find . | "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/cpio" \
    --quiet --create --format newc | gzip -1 >"$output"
