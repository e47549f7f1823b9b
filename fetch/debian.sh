#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches Debian packages, of any release, into a folder of their own: debian.sh FOLDER SUITE[,SUITE...] PACKAGE...
#   FOLDER/root      what the packages hold, and the packages they depend on; run.sh runs their programs
#   FOLDER/apt       apt's state, for who wants more of the same suites (APT_CONFIG=FOLDER/apt/apt.conf); remove it after
#   SUITE            of the last one named the packages are taken, where it has them
#   PACKAGE          as apt-get install takes it: NAME or NAME=VERSION
# Nothing is installed. It ends with 77 where apt cannot bring all of them (apt.sh).
set -eu
[ $# -ge 3 ] || {
    sed -n '3,7s/^# //p' "$0" >&2
    exit 2
}
. "$(dirname "$(realpath "$0")")/apt.sh"

[ "$(dpkg --print-architecture)" = amd64 ] || failed "the programs that are fetched are for x86-64"
mkdir -p "$1"
folder=$(realpath "$1") suites=$2
shift 2
# One process at a time; who had to wait for another that fetched the same has it.
exec 9>"$folder.lock"
flock -n 9 || {
    echo "$(basename "$folder"): another process fetches it; waiting" >&2
    flock 9
    [ "$(cat "$folder/fetched" 2>/dev/null)" != "$suites $*" ] || exit 0
}
rm -rf "$folder/root" "$folder/fetched"
mkdir -p "$folder/root"
private_apt "$folder" deb "$suites"
apt-get -qq --yes --download-only --target-release "${suites##*,}" install "$@" >/dev/null ||
    no_mirror "$mirror has not all of these in $suites: $*"
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$folder/root"
done
# Releases before trixie have parts of themselves outside /usr; since then these are links into it.
for part in bin lib lib64; do
    [ -L "$folder/root/$part" ] || [ ! -d "$folder/root/$part" ] || cp -a "$folder/root/$part/." "$folder/root/usr/$part/"
done
# For run.sh. Beside the programs: some look for their files in ../share of the folder that the running program lies in,
# which is the loader.
cp -L "$folder/root/usr/lib/x86_64-linux-gnu/ld-linux-x86-64.so.2" "$folder/root/usr/bin/ld.so"
echo "$suites $*" >"$folder/fetched"
