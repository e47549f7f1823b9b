#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Fetches the source of a Debian package, as its authors released it: source.sh FOLDER SUITE NAME=VERSION
#   FOLDER/source    the unpacked release, without Debian's changes
# Nothing is installed.
set -eu
[ $# -eq 3 ] || {
    sed -n '3,4s/^# //p' "$0" >&2
    exit 2
}
. "$(dirname "$(realpath "$0")")/apt.sh"

mkdir -p "$1"
folder=$(realpath "$1")
private_apt "$folder" deb-src "$2"
(cd "$apt/cache" && apt-get -qq --download-only source "$3") || failed "$mirror has no source of $3 in $2"
# Not in its place: half of it would look like the whole.
rm -rf "$folder/source.unfinished"
mkdir "$folder/source.unfinished"
tar --extract --file "$(echo "$apt"/cache/*.orig.tar.*)" --directory "$folder/source.unfinished" --strip-components 1
rm -rf "$folder/source"
mv "$folder/source.unfinished" "$folder/source"
rm -rf "$apt"
