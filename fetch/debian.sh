#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches Debian packages, of any release, into a folder of their own: debian.sh FOLDER SUITE[,SUITE...] PACKAGE...
#   FOLDER/root      what the packages hold, and the packages they depend on; run.sh runs their programs
#   FOLDER/apt       apt's state, for who wants more of the same suites (APT_CONFIG=FOLDER/apt/apt.conf); remove it after
#   SUITE            of the last one named the packages are taken, where it has them
#   PACKAGE          as apt-get install takes it: NAME or NAME=VERSION
# Nothing is installed. The packages come from the mirror that this machine's own apt uses, checked against Debian's keys.
set -eu
[ $# -ge 3 ] || {
    sed -n '3,8s/^# //p' "$0" >&2
    exit 2
}
failed() {
    echo "debian.sh: $*" >&2
    exit 1
}

[ "$(dpkg --print-architecture)" = amd64 ] || failed "the programs that are fetched are for x86-64"
mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') ||
    failed "no Debian mirror is among apt's sources"
mkdir -p "$1"
folder=$(realpath "$1") suites=$2
shift 2
apt=$folder/apt
rm -rf "$folder/root" "$apt"
mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial" "$folder/root"
: >"$apt/status"
for suite in $(echo "$suites" | tr , ' '); do
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

apt-get -qq update || failed "$mirror cannot be read"
apt-get -qq --yes --download-only --target-release "${suites##*,}" install "$@" >/dev/null ||
    failed "$mirror has not all of these in $suites: $*"
for package in "$apt"/cache/archives/*.deb; do
    dpkg-deb --extract "$package" "$folder/root"
done
# For run.sh. Beside the programs: some look for their files in ../share of the folder that the running program lies in,
# which is the loader.
cp -L "$folder/root/usr/lib64/ld-linux-x86-64.so.2" "$folder/root/usr/bin/ld.so"
