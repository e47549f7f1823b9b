#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches what guests need: packages.sh FOLDER
#   FOLDER/root      QEMU, from Debian's backports, and Bochs; what makes their disks; busybox; the libraries of all these
#   FOLDER/kernel    a Debian kernel, and its modules for VFIO
# Nothing is installed. The packages come from the mirror that this machine's own apt uses, checked against Debian's keys.
set -eu
[ $# -eq 1 ] || {
    sed -n '2,5s/^# //p' "$0" >&2
    exit 2
}
mkdir -p "$1"
folder=$(realpath "$1")
release=trixie
# What another version of this script fetched is fetched again.
version=$(cksum <"$0")
[ "$version" != "$(cat "$folder/complete" 2>/dev/null)" ] || exit 0
failed() {
    echo "packages.sh: $*" >&2
    exit 1
}

[ "$(dpkg --print-architecture)" = amd64 ] || failed "the guests are x86-64 machines and run this machine's programs"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') ||
    failed "no Debian mirror is among apt's sources"
apt=$folder/apt
rm -rf "$folder/root" "$folder/kernel" "$folder/complete"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder/root" "$folder/kernel"
: >"$apt/status"
for suite in $release $release-backports; do
    echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
done >"$apt/sources.list"
cat >"$apt/apt.conf" <<END
Dir::State "$apt/state";
Dir::State::status "$apt/status";
Dir::Cache "$apt/cache";
Dir::Etc::sourcelist "$apt/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Acquire::Languages "none";
Acquire::Retries "2";
Acquire::http::Timeout "30";
APT::Sandbox::User "";
APT::Install-Recommends "false";
END
export APT_CONFIG="$apt/apt.conf"

echo "fetching QEMU, Bochs and a kernel from $release" >&2
apt-get -qq update || failed "$mirror cannot be read"
apt-get -qq --yes --download-only --target-release $release-backports install \
    qemu-system-x86 bochs bochsbios vgabios bochs-term isolinux syslinux-common genisoimage cpio busybox-static >/dev/null ||
    failed "$mirror has not all packages"
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$folder/root"
done
kernel=$(apt-cache depends linux-image-amd64/$release | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
(cd "$apt/cache" && apt-get -qq download "$kernel/$release") || failed "$mirror has no kernel"
dpkg-deb --fsys-tarfile "$apt/cache/$kernel"_*.deb | tar --extract --directory "$folder/kernel" --wildcards \
    './boot/vmlinuz-*' '*/kernel/drivers/vfio/*' '*/kernel/virt/lib/*'
find "$folder/kernel" -name '*.ko.xz' -exec xz --decompress {} +
rm -rf "$apt"
echo "$version" >"$folder/complete"
