#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The VFIO path for real: the garner command in a guest, its vfio-pci bound to the simulated board.
#   test.sh FOLDER BUILD MODEL
#   FOLDER   packages.sh fetches to here, and logs go here
#   BUILD    where cargo left garner and garner-board, such as target/debug
#   MODEL    a model for garner-board, of 1024 bits or more
# The guest is QEMU without KVM: an emulated Intel IOMMU in front of the board, which QEMU reaches by vfio-user. What the
# guest signs is verified here by OpenSSL, and the board must have counted the operations. Exit status 77: the packages
# cannot be had here, and nothing was run.
set -eu
[ $# -eq 3 ] || {
    sed -n '2,7s/^# //p' "$0" >&2
    exit 2
}
folder=$1 build=$2 model=$3
guest=$(dirname "$0")/../../../guest
qemu() {
    timeout 1200 "$guest/../fetch/run.sh" "$folder" qemu-system-x86_64 \
        -L "$folder/root/usr/share/qemu" -L "$folder/root/usr/share/seabios" "$@"
}
"$guest/packages.sh" "$folder"
folder=$(realpath "$folder")
count=24 # messages
work=$(mktemp -d)
log=$folder/guest.log
served=$folder/board.log
trap 'kill $server 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
server=
failed() {
    echo "guest: $*" >&2
    tail -n 40 "$log" "$served" >&2
    exit 1
}

mkdir "$work/files"
openssl genrsa -out "$work/files/key.pem" 1024 2>/dev/null
openssl rsa -in "$work/files/key.pem" -pubout -out "$work/public.pem" 2>/dev/null
seq -f 'message %g to the guest' $count >"$work/files/messages"
"$guest/initramfs.sh" "$folder" "$(dirname "$0")/init" "$work/files" "$work/initramfs" "$build/garner"

"$build/garner-board" --model "$model" --socket "$work/socket" 2>"$served" &
server=$!
until [ -S "$work/socket" ]; do
    kill -0 $server || failed "garner-board ended"
    sleep 0.1
done
start=$(date +%s)
# Without KVM a busy machine starves the guest: it shall neither watch its own clocks nor test its timer.
qemu -nodefaults -no-reboot -display none -serial stdio \
    -machine q35,memory-backend=ram -accel tcg,thread=multi -cpu max -smp 2 -m 512 \
    -object memory-backend-memfd,id=ram,size=512M,share=on \
    -device intel-iommu,intremap=on,caching-mode=on \
    -device pcie-root-port,id=port0 \
    -device "{\"driver\":\"vfio-user-pci\",\"bus\":\"port0\",\"socket\":{\"type\":\"unix\",\"path\":\"$work/socket\"}}" \
    -kernel "$folder"/kernel/boot/vmlinuz-* -initrd "$work/initramfs" \
    -append 'console=ttyS0 quiet panic=-1 nowatchdog no_timer_check intel_iommu=on' </dev/null >"$log" 2>&1 || failed "QEMU ended with $?"
tr -d '\r' <"$log" >"$log.plain"
mv "$log.plain" "$log"
grep -q '^\[done\]' "$log" || failed "the guest did not come to its end"
! grep -E '^\[(fail|kernel-complains)\]|qemu-system' "$log" || failed "see above"
grep -q '^\[unbound\].*bind it to vfio-pci' "$log" || failed "an unbound board is not explained"
grep -q '^\[interrupts\].*vfio-msix' "$log" || failed "no interrupt of the board reached the guest"

for padding in pkcs1 pss; do
    "$guest/verify.sh" "$log" $padding "$work/public.pem" "$work/files/messages" $padding || failed "see above"
done

until grep -q ' jobs,' "$served"; do
    kill -0 $server || failed "garner-board ended"
    sleep 0.1
done
completed=$(sed -n 's/.* \([0-9]*\) jobs,.*/\1/p' "$served")
# Each of the two runs loaded the key and signed, and the one before, which was killed, was at it.
least=$((2 * (count + 1)))
[ "$completed" -gt $least ] || failed "$completed jobs on the board, more than $least expected"
grep '^\[' "$log" | grep -vE '^\[(pkcs1|pss)\]'
cat "$served"
echo "$((2 * count)) signatures made in the guest verify here; $completed jobs on the board; $(($(date +%s) - start)) s"
