#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Verifies by OpenSSL what a guest signed: verify.sh LOG WORD PUBLIC MESSAGES PADDING
#   LOG       what the guest said, of which lines as "[WORD] HEXADECIMAL" are its signatures, in the order of the messages
#   PUBLIC    the key, in PEM
#   MESSAGES  a line each
#   PADDING   pkcs1 or pss, of SHA-256
set -eu
[ $# -eq 5 ] || {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}
log=$1 word=$2 public=$3 messages=$4 padding=$5
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed() {
    echo "verify.sh: $*" >&2
    exit 1
}
sed -n "s/^\[$word\] //p" "$log" >"$work/signatures"
count=$(wc -l <"$work/signatures")
[ "$count" -eq "$(wc -l <"$messages")" ] || failed "$count signatures [$word] of $(wc -l <"$messages")"
while read -r message && read -r signature <&3; do
    printf %s "$message" >"$work/message"
    printf %s "$signature" | python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))' >"$work/signature"
    openssl dgst -sha256 -sigopt "rsa_padding_mode:$padding" -verify "$public" -signature "$work/signature" \
        "$work/message" >/dev/null || failed "the signature [$word] of \"$message\" is wrong"
done <"$messages" 3<"$work/signatures"
