#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The kernel driver for real: built against Debian's headers, loaded by Debian's unmodified kernel in a guest whose PCI
# function is the simulated board.
#   test.sh GUEST KERNELS BUILD MODEL [KERNEL[:STAGE[:FAULTS]]]...
#   GUEST     guest/packages.sh fetches QEMU to here
#   KERNELS   packages.sh fetches kernels, headers and keyutils to here, and logs go here
#   BUILD     where cargo left garner-board, such as target/release
#   MODEL     a model for garner-board, of 2048 bits
#   KERNEL    6.1, 6.12, or checked, which kernel.sh builds
#   STAGE     a function of `stages/`: all, if none is named
#   FAULTS    as for garner-board --inject
# BITS in the environment: of the key that signs; 1024 if it is not set. AES_BITS: of the key of AES, as the model has it,
# for the stages but demo; 128 if it is not set.
# The guest is QEMU without KVM, with an emulated Intel IOMMU. What the guest signs is verified here by OpenSSL. Exit
# status 77: the packages cannot be had here, and nothing was run.
set -eu
[ $# -ge 4 ] || {
    sed -n '3,16s/^# //p' "$0" >&2
    exit 2
}
guest_packages=$1 kernels=$2 build=$3 model=$4
shift 4
[ $# -gt 0 ] || set -- 6.1 6.12 6.12:flipped:flip=1 6.12:absent:absent-after=6 6.12:twice:twice-after=40 6.12:hanging:hang-core-after=2,lost-interrupt=1
here=$(dirname "$(realpath "$0")")
guest=$here/../../guest
# What a guest may take, in seconds; the long ones raise it.
patience=1200
qemu() {
    timeout "$patience" "$guest/../fetch/run.sh" "$guest_packages" qemu-system-x86_64 \
        -L "$guest_packages/root/usr/share/qemu" -L "$guest_packages/root/usr/share/seabios" "$@"
}
"$guest/packages.sh" "$guest_packages"
"$here/packages.sh" "$kernels"
guest_packages=$(realpath "$guest_packages") kernels=$(realpath "$kernels")
work=$(mktemp -d)
server= guest_process=
trap 'kill $server $guest_process 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
failed() {
    echo "linux-test: $*" >&2
    tail -n 60 "$log" "$served" >&2
    exit 1
}

# What goes into every guest: keys, digests to sign, keyctl with its libraries.
files=$work/files
mkdir -p "$files/digests" "$files/modules" "$files/bin" "$files/lib64" "$files/lib/x86_64-linux-gnu"
openssl genpkey -algorithm RSA -pkeyopt "rsa_keygen_bits:${BITS:-1024}" -out "$work/key.pem" 2>/dev/null
openssl pkcs8 -topk8 -nocrypt -in "$work/key.pem" -outform DER -out "$files/key.p8"
openssl pkey -in "$work/key.pem" -pubout -out "$work/public.pem"
openssl genpkey -algorithm RSA -pkeyopt rsa_keygen_bits:4096 -out "$work/big.pem" 2>/dev/null
openssl pkcs8 -topk8 -nocrypt -in "$work/big.pem" -outform DER -out "$files/big.p8"
openssl pkey -in "$work/big.pem" -pubout -out "$work/big.public"
openssl genrsa -traditional 512 2>/dev/null | openssl rsa -traditional -outform DER -out "$files/load.der" 2>/dev/null
# 0, 1 and n - 1, which is odd: what they are as ciphertexts the board must not be asked.
mkdir "$files/trivial"
openssl rsa -in "$work/key.pem" -noout -modulus | sed 's/.*=//' >"$work/modulus"
sed 's/./0/g' "$work/modulus" | basenc --base16 -d >"$files/trivial/0"
sed 's/./0/g; s/.$/1/' "$work/modulus" | basenc --base16 -d >"$files/trivial/1"
sed 's/1$/0/; s/3$/2/; s/5$/4/; s/7$/6/; s/9$/8/; s/B$/A/; s/D$/C/; s/F$/E/' "$work/modulus" | basenc --base16 -d \
    >"$files/trivial/n-1"
for message in 1 2 3 4 5 6 7 8; do
    printf 'message %s to the guest' $message | openssl dgst -sha256 -binary >"$files/digests/$message"
done
# For AES: a key, an IV, a text, and what OpenSSL makes of it.
aes_key=$(openssl rand -hex $((${AES_BITS:-128} / 8))) aes_iv=$(openssl rand -hex 16)
mkdir "$files/aes"
openssl rand 20000 >"$files/aes/text"
openssl enc "-aes-${AES_BITS:-128}-cbc" -nopad -K "$aes_key" -iv "$aes_iv" -in "$files/aes/text" -out "$files/aes/encrypted"
printf 'aes_key=%s aes_iv=%s\n' "$aes_key" "$aes_iv" >"$files/aes/key"
unhex() { python3 -c 'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))'; }
echo "$aes_key" | unhex >"$files/aes/key.bytes"
for program in test/afalg_cbc bench/afalg_bench; do
    cc -static -O2 -Wall -Wextra -Werror -o "$files/bin/$(basename $program)" "$here/../$program.c"
done
# Programs that were fetched, with their libraries; a guest reads slowly, so the large ones come with the demonstration alone.
fetched=usr/bin/keyctl
case "$*" in
*:demo*)
    fetched="$fetched usr/bin/openssl sbin/cryptsetup sbin/dmsetup"
    install -D -t "$files/usr/lib/x86_64-linux-gnu/engines-3" "$kernels/root/usr/lib/x86_64-linux-gnu/engines-3/afalg.so"
    ;;
esac
for program in $fetched; do
    cp "$kernels/root/$program" "$files/bin"
    "$kernels/root/usr/bin/ld.so" --library-path "$kernels/root/usr/lib/x86_64-linux-gnu" --list "$kernels/root/$program" |
        sed -n "s|.* => \($kernels/[^ ]*/lib[^ ]*\) .*|\1|p" | while read -r library; do
        cp -L "$library" "$files/lib/x86_64-linux-gnu"
    done
done
cp -L "$kernels/root/lib64/ld-linux-x86-64.so.2" "$files/lib64"
cp -r "$here/stages" "$files"

run() { # run KERNEL STAGE FAULTS
    start=$(date +%s)
    log=$kernels/$1-$2.log served=$kernels/$1-$2.board.log
    : >"$log"
    [ -e "$work/$1.initramfs" ] || {
        "$here/build.sh" "$kernels/$1" "$work/built-$1"
        cp "$work/built-$1"/*.ko "$kernels/$1"/modules/*.ko "$files/modules"
        "$guest/initramfs.sh" "$guest_packages" "$here/init" "$files" "$work/$1.initramfs"
    }
    rm -f "$work/socket"
    # shellcheck disable=SC2086 # an option, or none
    "$build/garner-board" --model "$model" --socket "$work/socket" ${3:+--inject "$3"} 2>"$served" &
    server=$!
    until [ -S "$work/socket" ]; do
        kill -0 $server || failed "garner-board ended"
        sleep 0.1
    done
    case $1:$2 in
    checked:* | *:million) patience=7200 ;;
    esac
    # The clock of a guest that measures counts instructions, one a nanosecond, of one processor; without ERMS, for each
    # byte that `rep movsb` copies counts as an instruction, where `rep movsq` copies eight.
    case $2 in
    bench) processors="thread=single -icount shift=0 -smp 1 -cpu max,erms=off,fsrm=off" ;;
    *) processors="thread=multi -smp 2 -cpu max" ;;
    esac
    # Without KVM a busy machine starves the guest: it shall neither watch its own clocks nor test its timer.
    # shellcheck disable=SC2086 # options
    qemu -nodefaults -no-reboot -display none -serial stdio \
        -machine q35,memory-backend=ram -accel tcg,$processors -m 512 \
        -object memory-backend-memfd,id=ram,size=512M,share=on \
        -device intel-iommu,intremap=on,caching-mode=on \
        -device pcie-root-port,id=port0 \
        -device "{\"driver\":\"vfio-user-pci\",\"bus\":\"port0\",\"socket\":{\"type\":\"unix\",\"path\":\"$work/socket\"}}" \
        -kernel "$kernels/$1"/boot/vmlinuz-* -initrd "$work/$1.initramfs" \
        -append "console=ttyS0 quiet panic=-1 nowatchdog no_timer_check intel_iommu=on stage=$2" </dev/null >"$log" 2>&1 &
    guest_process=$!
    # The guest says when the board is to die.
    while kill -0 $guest_process 2>/dev/null; do
        ! grep -q '^\[kill\]' "$log" || kill -9 $server 2>/dev/null || true
        sleep 0.2
    done
    # When the board's process is gone QEMU may fail by an assertion of its own: in its shutdown, when the guest has
    # ended, or at once, and then what the guest does of it is not seen.
    unseen=
    wait $guest_process || {
        code=$?
        grep -q '^\[kill\]' "$log" && grep -q 'Assertion.*failed\|^Aborted\|hardware error' "$log" ||
            failed "QEMU ended with $code"
        grep -q '^\[done\]' "$log" || unseen=yes
    }
    guest_process=
    kill $server 2>/dev/null || true
    wait $server 2>/dev/null || true
    server=
    tr -d '\r' <"$log" >"$log.plain"
    mv "$log.plain" "$log"
    grep -q '^\[done\]' "$log" || [ "$unseen" ] || failed "the guest did not come to its end"
    ! grep -E '^\[(fail|kernel-complains)\]' "$log" || failed "see above"

    : >"$work/messages"
    for message in $(sed -n 's/^\[signed\] //p' "$log"); do
        echo "message $message to the guest" >>"$work/messages"
    done
    [ -s "$work/messages" ] || failed "nothing was signed"
    "$guest/verify.sh" "$log" signature "$work/public.pem" "$work/messages" pkcs1 || failed "see above"
    if grep -q '^\[big\]' "$log"; then
        head -n 1 "$work/messages" >"$work/message"
        "$guest/verify.sh" "$log" big "$work/big.public" "$work/message" pkcs1 || failed "see above"
    fi
    # What the guest encrypted through AF_ALG is decrypted by OpenSSL, which knows of no board.
    aes=
    if sed -n 's/^\[encrypted\] //p' "$log" | grep -q .; then
        sed -n 's/^\[encrypted\] //p' "$log" | tail -n 1 | unhex >"$work/encrypted"
        openssl enc -d "-aes-${AES_BITS:-128}-cbc" -nopad -K "$aes_key" -iv "$aes_iv" -in "$work/encrypted" -out "$work/text" &&
            cmp "$work/text" "$files/aes/text" || failed "OpenSSL does not decrypt what the guest encrypted"
        aes="; a file encrypted in the guest is decrypted here by OpenSSL"
    fi
    # And the disk of cryptsetup, whose sectors have their numbers as IVs.
    if grep -q '^\[sectors\]' "$log"; then
        sed -n 's/^\[sectors\] //p' "$log" | unhex >"$work/disk"
        for sector in $(seq 0 31); do
            dd if="$work/disk" bs=512 count=1 skip="$sector" 2>/dev/null |
                openssl enc -d -aes-128-cbc -nopad -K "$aes_key" -iv "$(printf '%02x' "$sector")000000000000000000000000000000"
        done >"$work/sectors"
        head -c 16384 "$files/aes/text" | cmp - "$work/sectors" || failed "OpenSSL does not decrypt the guest's disk"
        aes="$aes, and an encrypted disk"
    fi
    echo "== kernel $1, $2${3:+, a board with $3}"
    grep '^\[[^] 0-9]*\]' "$log" | grep -vE '^\[(signed|signature|big|kill|encrypted|sectors)\]'
    [ -z "$unseen" ] || echo "left out: the board's process was killed, and QEMU failed by an assertion of its own: $(
        grep -m 1 'Assertion\|hardware error' "$log")"
    echo "$(wc -l <"$work/messages") signatures made in the guest verify here$aes; $(($(date +%s) - start)) s"
}

for what in "$@"; do
    stage=$(echo "$what:" | cut -d : -f 2)
    run "${what%%:*}" "${stage:-all}" "$(echo "$what::" | cut -d : -f 3)"
done
