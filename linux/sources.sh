#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Copies what the kernel driver is built from to a folder of its own, for DKMS or a kernel's own build: sources.sh FOLDER
set -eu
[ $# -eq 1 ] || {
    sed -n '3s/^# //p' "$0" >&2
    exit 2
}
here=$(dirname "$(realpath "$0")")
mkdir -p "$1/include"
cp "$here"/Kbuild "$here"/dkms.conf "$here"/*.[ch] "$1"
cp "$here"/../hw/dist/include/*.h "$1/include"
