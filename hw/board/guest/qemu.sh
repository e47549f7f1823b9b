#!/bin/sh
# Runs the QEMU that packages.sh fetched, with its own libraries: qemu.sh FOLDER OPTION...
root=$1/root
shift
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" \
    "$root/usr/bin/qemu-system-x86_64" -L "$root/usr/share/qemu" -L "$root/usr/share/seabios" "$@"
