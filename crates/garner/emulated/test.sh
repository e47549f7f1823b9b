#!/bin/sh
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
"$guest/packages.sh" "$folder" || {
    echo "emulated: not run, for want of the packages" >&2
    exit 77
}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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
printf '%s\n' "$@" >"$files/names"
cp "$tests" "$work/tests"
"$guest/initramfs.sh" "$folder" "$here/init" "$files" "$work/initramfs" "$build/garner" "$work/tests"

# emulated PROCESSOR KERNELS: boots, and checks what the guest says.
emulated() {
    log=$folder/emulated-$1.log
    failed() {
        echo "emulated: $1: $2" >&2
        tail -n 40 "$log" >&2
        exit 1
    }
    : >"$log"
    "$here/boot.sh" "$folder" "$1" "$work/initramfs" "$log" || failed "$1" "no emulator"
    tr -d '\r' <"$log" >"$log.plain"
    mv "$log.plain" "$log"
    grep -q '^\[done\]' "$log" || failed "$1" "the guest did not come to its end"
    grep -q "^\[devices\] cpu .* $2, " "$log" || failed "$1" "other kernels than $2"
    # A wrong result would be computed again, without the kernels.
    ! grep '^\[bulk\]' "$log" | grep -v '"faults":0,"retries":0,' || failed "$1" "wrong results"
    for public in "$work"/public/*; do
        for messages in "$files"/messages/*; do
            word=$(basename "$public")-$(basename "$messages")
            "$guest/verify.sh" "$log" "$word" "$public" "$messages" pkcs1 || failed "$1" "see above"
        done
    done
    grep -E '^(\[(devices|done)\]|test )' "$log" | sed "s/^/$1: /"
}
start=$(date +%s)
(emulated sapphire_rapids ifma) &
first=$!
status=0
(emulated arrow_lake avx-ifma) || status=1
wait $first || status=1
[ $status -eq 0 ] || exit 1
echo "signatures of 1024 to 4096 bits made on both verify here; $(($(date +%s) - start)) s"
