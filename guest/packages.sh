#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what guests need: packages.sh FOLDER
#   FOLDER/root      QEMU, from Debian's backports, and Bochs; what makes their disks; busybox; the libraries of all these
#   FOLDER/kernel    a Debian kernel, and its modules for VFIO
# It ends with 77 where apt cannot bring them (fetch/apt.sh).
set -eu
[ $# -eq 1 ] || {
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
}
fetch=$(dirname "$(realpath "$0")")/../fetch
mkdir -p "$1"
folder=$(realpath "$1")
release=trixie
# What other versions of these scripts fetched is fetched again.
version=$(cat "$0" "$fetch/debian.sh" "$fetch/apt.sh" | cksum)
. "$fetch/once.sh"
once "$folder/lock" "$folder/complete" "$version"

echo "fetching QEMU, Bochs and a kernel from $release" >&2
rm -rf "$folder/kernel" "$folder/complete"
mkdir -p "$folder/kernel"
"$fetch/debian.sh" "$folder" $release,$release-backports \
    qemu-system-x86 bochs bochsbios vgabios bochs-term isolinux syslinux-common genisoimage cpio busybox-static
apt=$folder/apt
export APT_CONFIG="$apt/apt.conf"
kernel=$(apt-cache depends linux-image-amd64/$release | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
(cd "$apt/cache" && apt-get -qq download "$kernel/$release") || {
    echo "packages.sh: the mirror has no kernel" >&2
    exit 77
}
dpkg-deb --fsys-tarfile "$apt/cache/$kernel"_*.deb | tar --extract --directory "$folder/kernel" --wildcards \
    './boot/vmlinuz-*' '*/kernel/drivers/vfio/*' '*/kernel/virt/lib/*'
find "$folder/kernel" -name '*.ko.xz' -exec xz --decompress {} +
rm -rf "$apt"
"$fetch/run.sh" "$folder" qemu-system-x86_64 -device help >"$folder/devices"
grep -q vfio-user-pci "$folder/devices" || {
    echo "packages.sh: this QEMU has no vfio-user-pci, by which guests have boards" >&2
    exit 1
}
echo "$version" >"$folder/complete"
