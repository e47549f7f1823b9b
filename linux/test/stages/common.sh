# SPDX-License-Identifier: Apache-2.0
# What all stages have: what they say, sign and load, and what the kernel complains of.

counters=/sys/kernel/debug/garner
driver=/sys/bus/pci/drivers/garner
leaks=/sys/kernel/debug/kmemleak
say() { echo "[$1] $2"; }
end() {
    say "$1" "$2"
    [ "$1" = done ] || dmesg | tail -n 40
    poweroff -f
}
count() { sed -n "s/^$1 //p" $counters/rsa; }
board_counter() { sed -n "s/^$1 //p" $counters/$board; }
aes_count() { sed -n "s/^$1 //p" $counters/aes; }
aes_sum() { say "$1" "$(tr '\n' ',' <$counters/aes | sed 's/,$//; s/,/, /g')"; }
sum() { say "$1" "$(tr '\n' ',' <$counters/rsa | sed 's/,$//; s/,/, /g')"; }
hex() { od -An -v -tx1 "$1" | tr -d ' \n'; }

# Signs message $1 into folder $2.
sign() { keyctl pkey_sign $key 0 /digests/$1 enc=pkcs1 hash=sha256 >$2/$1 2>$2/$1.error; }
# The host will verify the signature of message $1 in folder $2.
show() {
    say signed $1
    say signature "$(hex $2/$1)"
}
# All messages at once, into folder $1.
sign_all() {
    mkdir -p $1
    pids=
    for message in $(ls /digests); do
        sign $message $1 &
        pids="$pids $!"
    done
}
# What came of that: all of them, or the reason.
signed_all() {
    for pid in $pids; do wait $pid || end fail "$1: keyctl: $(cat $1/*.error)"; done
    for message in $(ls /digests | sort -n); do show $message $1; done
}
# Waits until a counter of the board is at least so much.
until_counter() {
    for second in $(seq 3000); do
        [ "$(board_counter $1)" -lt $2 ] || return 0
        usleep 200000
    done
    end fail "$1 is $(board_counter $1), not $2"
}
find_board() {
    for function in /sys/bus/pci/devices/*; do
        [ "$(cat $function/vendor $function/device | tr '\n' ' ')" != "0x1234 0x4e47 " ] || board=$(basename $function)
    done
    [ -n "$board" ] || end fail "no board among the PCI functions"
}
# A line of what the kernel says of RSA, and of AES.
algorithm() {
    awk 'BEGIN { RS = ""; FS = "\n" } /rsa-garner/ && !/pkcs1pad/ && /akcipher/' /proc/crypto | sed -n "s/^$1 *: //p"
}
aes_algorithm() {
    awk 'BEGIN { RS = ""; FS = "\n" } /driver *: cbc-aes-garner/ && /type *: skcipher/' /proc/crypto | sed -n "s/^$1 *: //p"
}
# Since 6.12 the kernel tests an algorithm behind the back of who registers it.
until_tested() {
    for second in $(seq 3000); do
        [ "$(algorithm selftest)" = unknown ] || [ "$(aes_algorithm selftest)" = unknown ] || return 0
        usleep 200000
    done
    end fail "the self-test does not end"
}
# The driver wants the kernel's own cbc(aes), whose extra tests take longer than the minute that the kernel waits for them.
software_tested() {
    insmod /modules/af_alg.ko && insmod /modules/algif_skcipher.ko || end fail "module algif_skcipher"
    . /aes/key
    for try in $(seq 20); do
        ! afalg_cbc 'cbc(aes)' encrypt $aes_key $aes_iv </aes/text >/tmp/by-software 2>/tmp/said || break
    done
    cmp /tmp/by-software /aes/encrypted || end fail "cbc(aes) of the kernel: $(cat /tmp/said)"
    rmmod algif_skcipher af_alg
}
load_driver() {
    [ ! -e $leaks ] || software_tested
    insmod /modules/garner.ko patience_ms=${patience:-600000} "$@" || end fail "insmod garner.ko $*"
    until_tested
}

# What a load said.
load_said() { dmesg | sed -n "s/.*garner_$1: //p" | tail -n 1; }
# So many requests of RSA and of AES at once, in the background.
start_loads() {
    insmod /modules/garner_load.ko count=$1 &
    loading=$!
    insmod /modules/garner_load_aes.ko count=$1 &
    aes_loading=$!
}
# What came of them, under the name $1.
end_loads() {
    wait $loading || end fail "load of RSA, $1: $(load_said load)"
    wait $aes_loading || end fail "load of AES, $1: $(load_said load_aes)"
    rmmod garner_load garner_load_aes
    say $1 "RSA: $(load_said load); AES: $(load_said load_aes)"
}

# What the kernel says of every driver that goes wrong, and of this one.
complaints() {
    if [ -e $leaks ]; then # memory that nobody knows of any more: younger than five seconds it does not count
        usleep 6000000
        echo scan >$leaks
        while read -r line; do say kernel-complains "$line"; done <$leaks
        say leaks "$(grep -c unreferenced $leaks) found by kmemleak"
    fi
    dmesg | grep -E 'Oops|BUG|WARNING|Call Trace|general protection|DMAR:.*[Ff]ault|alg: .*fail|blocked for more' |
        while read -r line; do say kernel-complains "$line"; done
    dmesg | grep -E 'garner|extra crypto tests' | grep -vE 'loading out-of-tree|module verification|taints kernel' | while read -r line; do
        say log "$line"
    done
}
