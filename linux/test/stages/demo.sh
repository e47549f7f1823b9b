# SPDX-License-Identifier: Apache-2.0
# A page for who looks on.
demo() {
    run() { # run COMMAND...: shows it and what it says
        say '$' "$*"
        "$@" >/tmp/said 2>&1 || end fail "$(cat /tmp/said)"
        while read -r line; do say '' "$line"; done </tmp/said
    }
    run insmod /modules/garner.ko patience_ms=600000 public_operations=1 aes_priority=1000
    until_tested
    awk 'BEGIN { RS = ""; FS = "\n" } (/rsa-(garner|generic)/ || /cbc[-(]aes-/) && !/pkcs1pad/ { print $2 "," $4 "," $6 }' /proc/crypto |
        tr -s ' ' | while read -r line; do say proc/crypto "$line"; done
    sum after-selftest
    keyctl pkey_query $key 0 enc=pkcs1 hash=sha256 >/tmp/query || end fail "keyctl pkey_query"
    sum after-pkcs1pad-selftest
    say '$' "keyctl pkey_sign $key 0 /digests/1 enc=pkcs1 hash=sha256 >/tmp/1"
    sign 1 /tmp || end fail "keyctl pkey_sign: $(cat /tmp/1.error)"
    show 1 /tmp
    run keyctl pkey_verify $key 0 /digests/1 /tmp/1 enc=pkcs1 hash=sha256
    sum after-keyctl
    say '$' "afalg_cbc cbc-aes-garner encrypt KEY IV </aes/text >/tmp/encrypted"
    say '$' "afalg_cbc cbc-aes-garner decrypt KEY IV </aes/encrypted | cmp - /aes/text"
    aes_checks
    say '$' "openssl enc -engine afalg -aes-128-cbc -nopad -K KEY -iv IV -in /aes/text | cmp - /aes/encrypted"
    openssl_checks
    say '$' "cryptsetup open --type plain --cipher aes-cbc-plain64 --key-size 128 --key-file KEY /dev/loop0 secret"
    disk_checks
    tr '\n' ',' <$counters/$board | sed 's/,$//; s/,/, /g' >/tmp/said
    say board "$(cat /tmp/said)"
    run rmmod garner
}
