#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Boots a Linux on an emulated processor, until it ends or for 25 minutes: boot.sh FOLDER PROCESSOR INITRAMFS LOG
#   FOLDER      what guest/packages.sh fetched
#   PROCESSOR   a model of Bochs', such as sapphire_rapids; what it can do is emulated instruction by instruction
#   LOG         what the guest writes to its serial port; LOG.emulator is what the emulator has to say
set -eu
[ $# -eq 4 ] || {
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
}
folder=$(realpath "$1") processor=$2 initramfs=$3 log=$(realpath "$4")
run=$(dirname "$(realpath "$0")")/../../../fetch/run.sh
root=$folder/root
work=$(mktemp -d)
child=
trap 'kill $child 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$work/disk/isolinux"
cp "$folder"/kernel/boot/vmlinuz-* "$work/disk/vmlinuz"
cp "$initramfs" "$work/disk/initrd"
cp "$root/usr/lib/ISOLINUX/isolinux.bin" "$root/usr/lib/syslinux/modules/bios/ldlinux.c32" "$work/disk/isolinux"
# Without ACPI, whose management mode the emulator does not leave when the processor has all these extensions.
cat >"$work/disk/isolinux/isolinux.cfg" <<END
DEFAULT guest
LABEL guest
 KERNEL /vmlinuz
 APPEND initrd=/initrd console=ttyS0 loglevel=1 panic=-1 nowatchdog mitigations=off acpi=off tsc=reliable lpj=4000000
END
"$run" "$folder" genisoimage -quiet -o "$work/disk.iso" -b isolinux/isolinux.bin -c isolinux/boot.cat \
    -no-emul-boot -boot-load-size 4 -boot-info-table "$work/disk"
cat >"$work/configuration" <<END
cpu: model=$processor, count=1, ips=100000000, reset_on_triple_fault=0, exclude_features="amx, amx_int8, amx_bf16, amx_tf32"
memory: guest=512, host=512
romimage: file="$root/usr/share/bochs/BIOS-bochs-latest"
vgaromimage: file="$root/usr/share/bochs/VGABIOS-lgpl-latest"
ata0: enabled=1, ioaddr1=0x1f0, ioaddr2=0x3f0, irq=14
ata0-master: type=cdrom, path="$work/disk.iso", status=inserted
boot: cdrom
com1: enabled=1, mode=file, dev="$log"
display_library: term
log: "$log.emulator"
panic: action=fatal
error: action=ignore
clock: sync=none, time0=utc
END
# Debian's Bochs starts in its debugger, and its only display that opens no network port wants a terminal.
echo continue >"$work/commands"
export LTDL_LIBRARY_PATH="$root/usr/lib/x86_64-linux-gnu/bochs/plugins" TERM=linux SHELL=/bin/sh
export run folder work
timeout --foreground 1500 script --quiet --return --flush \
    --command '"$run" "$folder" bochs-bin -q -f "$work/configuration" -rc "$work/commands"' "$work/said" \
    </dev/null >/dev/null 2>&1 &
emulator=$!
child=$emulator
# It draws the guest's screen on a terminal that it opens for that. If nobody reads there, it stops after some 20 KB.
until screen=$(sed -n 's/.*connected to screen "\(.*\)".*/\1/p' "$work/said" 2>/dev/null) && [ -n "$screen" ]; do
    kill -0 $emulator 2>/dev/null || break
    sleep 0.2
done
if [ -n "$screen" ]; then
    cat "$screen" >/dev/null 2>&1 &
    child="$emulator $!"
fi
wait $emulator || true # it ends with an error when the guest ends
