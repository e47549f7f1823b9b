# SPDX-License-Identifier: Apache-2.0
# What the driver does on a board without faults, under load, suspended, reset, removed and killed.

all() {
    load_driver public_operations=1 queue_length=16
    [ "$(algorithm selftest)" = passed ] || end fail "self-test: $(algorithm selftest)"
    say selftest "passed, priority $(algorithm priority)"
    sum after-selftest
    [ "$(count private)" -gt 0 ] && [ "$(count public)" -gt 0 ] || end fail "the self-test did not reach the board"

    # The first use of the padding makes the kernel test that, too.
    keyctl pkey_query $key 0 enc=pkcs1 hash=sha256 >/tmp/query && keyctl pkey_query $key 0 enc=pkcs1 >/tmp/query ||
        end fail "keyctl pkey_query"
    sum after-pkcs1pad-selftest
    before=$(count private)
    sign 1 /tmp || end fail "keyctl pkey_sign: $(cat /tmp/1.error)"
    show 1 /tmp
    [ "$(count private)" -eq $((before + 1)) ] || end fail "the board did not sign: $before, $(count private)"
    before=$(count public)
    keyctl pkey_verify $key 0 /digests/1 /tmp/1 enc=pkcs1 hash=sha256 || end fail "keyctl pkey_verify"
    [ "$(count public)" -eq $((before + 1)) ] || end fail "the board did not verify"
    keyctl pkey_verify $key 0 /digests/2 /tmp/1 enc=pkcs1 hash=sha256 2>/dev/null && end fail "a wrong signature is right"
    printf secret >/tmp/secret
    keyctl pkey_encrypt $key 0 /tmp/secret enc=pkcs1 >/tmp/encrypted && keyctl pkey_decrypt $key 0 /tmp/encrypted enc=pkcs1 \
        >/tmp/decrypted && cmp /tmp/secret /tmp/decrypted || end fail "keyctl pkey_encrypt, pkey_decrypt"
    say keyctl "signed, verified, encrypted, decrypted; a wrong signature was refused"
    # What rsa-generic refuses on some kernels, and a check by it would find wrong.
    before=$(count software)
    for value in /trivial/*; do keyctl pkey_decrypt $key 0 $value enc=raw >/tmp/trivial 2>/tmp/trivial.error || :; done
    [ "$(count software)" -eq $((before + 3)) ] && [ "$(count wrong)" -eq 0 ] || end fail "0, 1 and n - 1 were not software's"
    before=$(count private)
    sign 1 /tmp && [ "$(count private)" -eq $((before + 1)) ] || end fail "the board does not sign behind 0, 1 and n - 1"
    say trivial "0, 1 and n - 1 were software's; the board serves on"
    # Longer than the board takes.
    big=$(keyctl padd asymmetric big @s </big.p8) && before=$(count software) || end fail "keyctl padd of RSA-4096"
    keyctl pkey_sign $big 0 /digests/1 enc=pkcs1 hash=sha256 >/tmp/big || end fail "keyctl pkey_sign by RSA-4096"
    [ "$(count software)" -eq $((before + 1)) ] || end fail "RSA-4096 was not done by software"
    say big "$(hex /tmp/big)"
    echo 0 >/sys/module/garner/parameters/public_operations

    interrupts=$(board_counter interrupts) jobs=$(board_counter jobs) before=$(count private)
    insmod /modules/garner_load.ko count=96 || end fail "garner_load: $(dmesg | tail -n 1)"
    rmmod garner_load
    [ $((($(board_counter interrupts) - interrupts) * 8)) -le $((2 * 96)) ] || end fail "more than 2 interrupts for 8 requests"
    say load "$(dmesg | sed -n 's/.*garner_load: //p' | tail -n 1); $(($(count private) - before)) by the board, $(($(board_counter jobs) - jobs)) jobs, $(($(board_counter interrupts) - interrupts)) interrupts"

    aes_checks
    before=$(aes_count encryption_requests) interrupts=$(board_counter aes_encryption_interrupts)
    insmod /modules/garner_load_aes.ko count=160 || end fail "garner_load_aes: $(load_said load_aes)"
    rmmod garner_load_aes
    [ $(aes_count encryption_requests) -eq $((before + 80)) ] || end fail "the board did not encrypt all of it"
    # How many fewer is a matter of the guest's speed: it is said below, and decides nothing.
    [ $(($(board_counter aes_encryption_interrupts) - interrupts)) -le 80 ] || end fail "more interrupts than requests of AES"
    say load-aes "$(load_said load_aes); $(($(board_counter aes_encryption_interrupts) - interrupts)) interrupts for 80 encryptions"

    sign_all /parallel
    signed_all /parallel
    sum after-parallel

    # Suspended for five seconds and resumed, as far as the devices. Who is not frozen does not wait.
    insmod /modules/garner_load_asleep.ko || end fail "garner_load_asleep"
    echo devices >/sys/power/pm_test && echo freeze >/sys/power/state || end fail "suspend"
    dmesg | grep -q 'suspend debug: Waiting' || end fail "the kernel did not come to suspend devices"
    rmmod garner_load_asleep
    slowest=$(load_said load_asleep | sed -n 's/.* 0 errors, the slowest took \([0-9]*\) ms/\1/p')
    [ "${slowest:-5000}" -lt 5000 ] || end fail "while suspended: $(load_said load_asleep)"
    say asleep "$(load_said load_asleep)"
    before=$(count private)
    sign 4 /tmp || end fail "after suspend: $(cat /tmp/4.error)"
    [ "$(count private)" -gt $before ] || end fail "the board did not come back from suspend"
    show 4 /tmp
    say resumed "and signed"

    # Under load: removed, bound again, reset by another, unloaded.
    jobs=$(board_counter jobs)
    start_loads 40
    until_counter jobs $((jobs + 3))
    rmmod garner 2>/dev/null && end fail "the module went while it was used"
    echo $board >$driver/unbind
    end_loads unbound
    sign 2 /tmp || end fail "without a board: $(cat /tmp/2.error)"
    show 2 /tmp
    echo $board >$driver/bind || end fail "bound again"
    jobs=$(board_counter jobs)
    start_loads 40
    until_counter jobs $((jobs + 3))
    echo 1 >/sys/bus/pci/devices/$board/reset
    end_loads reset
    sum after-reset
    aes_sum after-reset
    rmmod garner || end fail "rmmod"
    [ -z "$(algorithm driver)$(aes_algorithm driver)" ] || end fail "unloaded, and still in /proc/crypto"

    # Killed in the middle.
    load_driver
    jobs=$(board_counter jobs)
    start_loads 40
    until_counter jobs $((jobs + 3))
    say kill "now"
    end_loads killed
    sum after-kill
    say board "$(board_counter state)"
    sign 3 /tmp || end fail "with a dead board: $(cat /tmp/3.error)"
    show 3 /tmp
    rmmod garner || end fail "rmmod with a dead board"
}
