# SPDX-License-Identifier: Apache-2.0
# Boards with faults, which test.sh's FAULTS name.

# Every result is damaged on its way: the first is found, the board retired.
flipped() {
    load_driver
    sum after-selftest
    say board "$(board_counter state)"
    [ "$(count wrong)" -eq 1 ] || end fail "$(count wrong) wrong results were found"
    sign_all /parallel
    signed_all /parallel
    rmmod garner || end fail "rmmod"
}

# A job is completed twice: the board lies, and is retired.
twice() {
    load_driver
    insmod /modules/garner_load_aes.ko count=40 || end fail "load of AES: $(load_said load_aes)"
    rmmod garner_load_aes
    sign_all /parallel
    signed_all /parallel
    say board "$(board_counter state)"
    aes_sum after-load
    case $(board_counter state) in
    *'not under way'*) ;;
    *) end fail "a second completion was not noticed" ;;
    esac
    rmmod garner || end fail "rmmod"
}

# Pulled out under load: its registers read as ones from then on.
absent() {
    load_driver
    insmod /modules/garner_load.ko count=40 || end fail "load while pulled out: $(dmesg | tail -n 1)"
    rmmod garner_load
    say pulled "$(dmesg | sed -n 's/.*garner_load: //p' | tail -n 1)"
    sum after-load
    say board "$(board_counter state)"
    [ "$(count lost)" -gt 0 ] && [ "$(count software)" -gt 0 ] || end fail "it was not pulled out"
    sign 3 /tmp || end fail "with a dead board: $(cat /tmp/3.error)"
    show 3 /tmp
    rmmod garner || end fail "rmmod with a dead board"
}

# A core stops after two results, and no interrupt ever comes: a reset heals it, and the ring is looked at.
# The kernel gives a self-test a minute, in which one may meet the core that hangs.
hanging() {
    patience=20000
    load_driver
    # While another engine works: what that one has done must not count as a sign of life of the core.
    insmod /modules/garner_load_aes.ko count=16 rounds=1000000 longest=64 very_long=0 &
    loading=$!
    sign_all /parallel
    signed_all /parallel
    kill -0 $loading 2>/dev/null || end fail "the load of AES ended before the core was reset: $(load_said load_aes)"
    echo 0 >/sys/module/garner_load_aes/parameters/rounds
    sum after-parallel
    say board "$(board_counter state), $(board_counter resets) resets, one of them the first; up for $(cut -d' ' -f1 /proc/uptime) s"
    [ "$(count lost)" -gt 0 ] && [ "$(board_counter resets)" -gt 1 ] || end fail "no core hung"
    before=$(count private)
    sign 1 /tmp || end fail "after the reset: $(cat /tmp/1.error)"
    [ "$(count private)" -gt $before ] || end fail "the board did not come back"
    show 1 /tmp
    sum after-reset
    say watched "$(board_counter found_without_interrupt) times completions were found without an interrupt, $(board_counter interrupts) interrupts"
    [ "$(board_counter found_without_interrupt)" -gt 0 ] && [ "$(board_counter interrupts)" -eq 0 ] || end fail "interrupts came"
    wait $loading || end fail "load of AES: $(load_said load_aes)"
    rmmod garner_load_aes garner || end fail "rmmod"
}

# A million requests of AES, while the board is reset and taken away at random times, and interrupts are lost (test.sh's FAULTS).
million() {
    load_driver
    insmod /modules/garner_load_aes.ko count=500 rounds=2000 longest=64 very_long=0 &
    loading=$!
    resets=0 removals=0 signed=0
    while kill -0 $loading 2>/dev/null; do
        usleep $(($(hexdump -n 2 -e '"%u"' /dev/urandom) * 100))
        case $(($(hexdump -n 1 -e '"%u"' /dev/urandom) % 4)) in
        0)
            echo $board >$driver/unbind
            usleep $(($(hexdump -n 2 -e '"%u"' /dev/urandom) * 5))
            echo $board >$driver/bind || end fail "bound again"
            removals=$((removals + 1))
            ;;
        1)
            sign 1 /tmp || end fail "under load: $(cat /tmp/1.error)"
            show 1 /tmp
            signed=$((signed + 1))
            ;;
        *)
            echo 1 >/sys/bus/pci/devices/$board/reset
            resets=$((resets + 1))
            ;;
        esac
        [ $(((resets + removals) % 50)) -ne 0 ] || aes_sum under-way
    done
    wait $loading || end fail "load of AES: $(load_said load_aes)"
    rmmod garner_load_aes
    say million "$(load_said load_aes); $resets resets, $removals removals, $signed signatures meanwhile"
    aes_sum after-load
    [ "$(aes_count encryption_lost)" -gt 0 ] && [ "$(aes_count decryption_lost)" -gt 0 ] || end fail "no request met a reset"
    # How many software does is a matter of speed: it is quicker than a simulated board, and has all while that is away.
    [ "$(aes_count encryption_requests)" -ge 10000 ] && [ "$(aes_count decryption_requests)" -ge 10000 ] ||
        end fail "the board did too few"
    rmmod garner || end fail "rmmod"
}
