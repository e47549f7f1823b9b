#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernels on processors that this machine need not have: one with AVX-512 IFMA, one with AVX-IFMA, both emulated.
#   test.sh FOLDER BUILD TESTS NAME...
#   FOLDER   guest/packages.sh fetches to here, and logs go here
#   BUILD    where cargo left garner, such as target/debug
#   TESTS    the program with the tests of crates/garner/src
#   NAME     which of them to run
# There the tests run, and the garner command signs; OpenSSL verifies its signatures here. Exit status 77: the packages
# cannot be had here, and nothing was run.
set -eu
[ $# -ge 4 ] || {
    sed -n '2,9s/^# //p' "$0" >&2
    exit 2
}
here=$(dirname "$0")
guest=$here/../../../guest
folder=$1 build=$2 tests=$3
shift 3
"$guest/packages.sh" "$folder"
work=$(mktemp -d)
children=
trap 'kill $children 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

files=$work/files
mkdir -p "$files/keys" "$files/messages" "$work/public"
for bits in 1024 2048 3072 4096; do
    openssl genrsa -out "$files/keys/$bits" $bits 2>/dev/null
    openssl rsa -in "$files/keys/$bits" -pubout -out "$work/public/$bits" 2>/dev/null
done
# One alone runs folded; thirteen are whole passes and a rest.
for count in 1 13; do
    seq -f 'message %g to an emulated processor' $count >"$files/messages/$count"
done
names=$*
echo "$names" >"$files/names"
cp "$tests" "$work/tests"
"$guest/initramfs.sh" "$folder" "$here/init" "$files" "$work/initramfs" "$build/garner" "$work/tests"

# emulated PROCESSOR KERNELS: boots, and checks what the guest says.
emulated() {
    log=$folder/emulated-$1.log
    failed() {
        echo "emulated: $processor: $1" >&2
        tail -n 40 "$log.emulator" "$log" >&2
        exit 1
    }
    processor=$1 kernels=$2
    : >"$log"
    "$here/boot.sh" "$folder" "$processor" "$work/initramfs" "$log" &
    child=$!
    trap 'kill $child 2>/dev/null || true; exit 1' HUP INT TERM
    wait $child || failed "no emulator"
    tr -d '\r' <"$log" >"$log.plain"
    mv "$log.plain" "$log"
    ! grep '^\[fail\]' "$log" || failed "see above"
    grep -q '^\[done\]' "$log" || failed "the guest did not come to its end"
    grep -q "^\[devices\] cpu .* $kernels, " "$log" || failed "other kernels than $kernels"
    for name in $names; do
        grep -q "^test .*::$name.* ok\$" "$log" || failed "$name did not run"
    done
    # A wrong result would be computed again, without the kernels.
    ! grep '^\[bulk\]' "$log" | grep -v '"faults":0,"retries":0,' || failed "wrong results"
    for public in "$work"/public/*; do
        for messages in "$files"/messages/*; do
            word=$(basename "$public")-$(basename "$messages")
            "$guest/verify.sh" "$log" "$word" "$public" "$messages" pkcs1 || failed "see above"
        done
    done
    grep '^\[devices\]' "$log" | sed "s/^/$processor: /"
}
start=$(date +%s)
emulated sapphire_rapids ifma &
children=$!
emulated arrow_lake avx-ifma &
children="$children $!"
for child in $children; do
    wait "$child"
done
echo "on both the kernels do what their twins do, and signatures of 1024 to 4096 bits verify here; $(($(date +%s) - start)) s"
