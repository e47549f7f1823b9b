#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program that debian.sh fetched, with its own libraries: run.sh FOLDER PROGRAM ARGUMENT...
root=$(realpath "$1")/root program=$2
shift 2
[ ! -e "$root/usr/lib/x86_64-linux-gnu/libpython3"*.so.1.0 ] || export PYTHONHOME="$root/usr"
exec "$root/usr/bin/ld.so" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/$program" "$@"
