# SPDX-License-Identifier: Apache-2.0
# AES: checks that several stages make, and the stages of AES alone.

# AES through the kernel's own interface; loaded and tested.
aes_checks() {
    [ "$(aes_algorithm selftest)" = passed ] || end fail "self-test of AES: $(aes_algorithm selftest)"
    say aes-selftest "passed, priority $(aes_algorithm priority)"
    [ "$(aes_count encryption_requests)" -gt 0 ] && [ "$(aes_count decryption_requests)" -gt 0 ] ||
        end fail "the self-test of AES did not reach the board"
    insmod /modules/af_alg.ko && insmod /modules/algif_skcipher.ko || end fail "module algif_skcipher"
    . /aes/key
    before=$(aes_count encryption_bytes)
    afalg_cbc cbc-aes-garner encrypt $aes_key $aes_iv </aes/text >/tmp/encrypted || end fail "afalg_cbc encrypt"
    [ "$(aes_count encryption_bytes)" -eq $((before + $(stat -c %s /aes/text))) ] || end fail "the board did not encrypt it"
    before=$(aes_count decryption_bytes)
    afalg_cbc cbc-aes-garner decrypt $aes_key $aes_iv </aes/encrypted >/tmp/decrypted || end fail "afalg_cbc decrypt"
    [ "$(aes_count decryption_bytes)" -eq $((before + $(stat -c %s /aes/text))) ] || end fail "the board did not decrypt it"
    cmp /tmp/decrypted /aes/text || end fail "what OpenSSL encrypted is decrypted wrong"
    say encrypted "$(hex /tmp/encrypted)"
    aes_sum after-af_alg
    rmmod algif_skcipher af_alg
}

# `openssl enc`, whose engine of AF_ALG takes the algorithm of the highest priority.
openssl_checks() {
    insmod /modules/af_alg.ko && insmod /modules/algif_skcipher.ko || end fail "module algif_skcipher"
    . /aes/key
    before=$(aes_count encryption_bytes)
    openssl enc -engine afalg -aes-128-cbc -nopad -K $aes_key -iv $aes_iv -in /aes/text -out /tmp/by-openssl 2>/tmp/said ||
        end fail "openssl enc: $(cat /tmp/said)"
    cmp /tmp/by-openssl /aes/encrypted || end fail "openssl encrypts otherwise here than outside"
    [ $(($(aes_count encryption_bytes) - before)) -ge 20000 ] || end fail "the board did not encrypt for openssl"
    say openssl "$(($(aes_count encryption_bytes) - before)) bytes by the board, the same as without it"
    rmmod algif_skcipher af_alg
}

# An encrypted disk: cryptsetup on a loop device. dm-crypt, too, takes the algorithm of the highest priority.
disk_checks() {
    for module in loop dm-mod dm-crypt; do
        insmod /modules/$module.ko || end fail "module $module"
    done
    export DM_DISABLE_UDEV=1
    dd if=/dev/zero of=/tmp/disk bs=1024 count=64 2>/dev/null
    losetup /dev/loop0 /tmp/disk || end fail "losetup"
    before=$(aes_count encryption_bytes)
    cryptsetup open --type plain --cipher aes-cbc-plain64 --key-size 128 --key-file /aes/key.bytes /dev/loop0 secret \
        >/tmp/said 2>&1 || end fail "cryptsetup: $(cat /tmp/said)"
    dd if=/aes/text of=/dev/mapper/secret bs=512 count=32 conv=fsync 2>/dev/null || end fail "written to the disk"
    [ $(($(aes_count encryption_bytes) - before)) -ge 16384 ] || end fail "the board did not encrypt the disk"
    say disk "$(dmsetup table secret); $(($(aes_count encryption_bytes) - before)) bytes by the board"
    echo 3 >/proc/sys/vm/drop_caches
    before=$(aes_count decryption_bytes)
    dd if=/dev/mapper/secret of=/tmp/read bs=512 count=32 2>/dev/null
    head -c 16384 /aes/text | cmp - /tmp/read || end fail "the disk does not hold what was written"
    [ $(($(aes_count decryption_bytes) - before)) -ge 16384 ] || end fail "the board did not decrypt the disk"
    cryptsetup close secret || end fail "cryptsetup close"
    losetup -d /dev/loop0
    head -c 16384 /tmp/disk >/tmp/sectors
    say sectors "$(hex /tmp/sectors)"
    rmmod dm-crypt dm-mod loop
}

# AES alone, in short.
aes() {
    load_driver
    aes_checks
    for longest in 1024 8192 20000; do
        before=$(aes_count encryption_requests) interrupts=$(board_counter aes_encryption_interrupts)
        jobs=$(board_counter aes_encryption_jobs)
        insmod /modules/garner_load_aes.ko count=160 longest=$longest very_long=0 key_bytes=$((${#aes_key} / 2)) ||
            end fail "garner_load_aes: $(load_said load_aes)"
        rmmod garner_load_aes
        [ $(aes_count encryption_requests) -eq $((before + 80)) ] || end fail "the board did not encrypt all of it"
        jobs=$(($(board_counter aes_encryption_jobs) - jobs))
        interrupts=$(($(board_counter aes_encryption_interrupts) - interrupts))
        say load-aes "keys of $(aes_count encryption_key_bits) bits, 80 requests of up to $longest bytes: $jobs jobs, $interrupts interrupts"
    done
    sign 1 /tmp || end fail "keyctl pkey_sign: $(cat /tmp/1.error)"
    show 1 /tmp
    rmmod garner || end fail "rmmod"
}

# What AES through AF_ALG costs: linux/bench/afalg_bench.c. The clock of this guest counts instructions.
bench() {
    load_driver
    insmod /modules/af_alg.ko && insmod /modules/algif_skcipher.ko || end fail "module algif_skcipher"
    for bytes in 16 64 256 1024 4096 16384 65536 450000; do
        operations=$((1048576 / bytes < 1000 ? 1048576 / bytes : 1000))
        for way in encrypt decrypt; do
            for driver in cbc-aes-garner 'cbc(aes-generic)'; do
                requests=$(aes_count ${way}ion_requests) interrupts=$(board_counter aes_${way}ion_interrupts)
                measured=$(afalg_bench "$driver" $way $bytes $operations) || end fail "afalg_bench $driver $way $bytes"
                requests=$(($(aes_count ${way}ion_requests) - requests))
                interrupts=$(($(board_counter aes_${way}ion_interrupts) - interrupts))
                say bench "$driver $way $bytes $measured $requests $interrupts"
            done
        done
    done
    aes_sum after-bench
    sign 1 /tmp || end fail "keyctl pkey_sign: $(cat /tmp/1.error)"
    show 1 /tmp
    rmmod algif_skcipher af_alg
    rmmod garner || end fail "rmmod"
}
