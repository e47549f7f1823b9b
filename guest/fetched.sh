#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Runs a program that packages.sh fetched, with its own libraries: fetched.sh FOLDER PROGRAM ARGUMENT...
root=$1/root program=$2
shift 2
exec "$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "$root/usr/lib/x86_64-linux-gnu" "$root/usr/bin/$program" "$@"
