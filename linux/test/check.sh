#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The driver's sources before the kernel's own judges, checkpatch and sparse: check.sh KERNELS
#   KERNELS   kernel.sh built its kernel here
# A word from either is a failure. Of checkpatch's rules these are left out: LINUX_VERSION_CODE and CONSTANT_COMPARISON (the
# driver is built for several kernels), MACRO_ARG_REUSE (of a loop over variables), EMBEDDED_FILENAME (of <crypto/aes.h>).
set -eu
[ $# -eq 1 ] || {
    sed -n '3,6s/^# //p' "$0" >&2
    exit 2
}
sources=$(dirname "$(realpath "$0")")/..
kernels=$(realpath "$1")
tree=$kernels/checked/headers/usr/src/linux-headers-checked-amd64
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$sources/sources.sh" "$work"
files=$(ls "$work"/*.c | wc -l) # the build adds one of its own
perl "$tree/scripts/checkpatch.pl" --no-tree --no-summary --quiet --strict --max-line-length=100 \
    --ignore LINUX_VERSION_CODE,CONSTANT_COMPARISON,MACRO_ARG_REUSE,EMBEDDED_FILENAME \
    --file "$sources"/*.[ch] "$sources"/test/garner_load*.c || {
    echo "check.sh: checkpatch finds the above" >&2
    exit 1
}
make -C "$tree" M="$work" C=2 CHECK="$kernels/tools/root/usr/bin/sparse" modules >"$work/log" 2>&1 || {
    cat "$work/log" >&2
    exit 1
}
! grep -E 'warning|error' "$work/log" || {
    echo "check.sh: sparse finds the above" >&2
    exit 1
}
[ "$(grep -c '  CHECK ' "$work/log")" -ge "$files" ] || {
    echo "check.sh: sparse did not see all sources" >&2
    exit 1
}
echo "checkpatch and sparse find nothing in $(cat "$sources"/*.[ch] "$sources"/test/garner_load*.c | wc -l) lines"
