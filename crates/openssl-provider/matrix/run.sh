#!/bin/sh
# The tests of the OpenSSL front ends against other OpenSSLs than the system's; `make openssl-matrix` calls it.
#
#   crates/openssl-provider/matrix/run.sh          against each version in Cargo.toml beside this
#   crates/openssl-provider/matrix/run.sh 3.5      against those whose number begins so
#
# Each is built from its sources, shared libraries and the `openssl` program, into target/openssl/VERSION: minutes, the
# first time. One that calls its libcrypto as the system's is called (3.x) gets the module that was built for
# the system's, as after an upgrade; for any other (4.x) everything is built again, in target/openssl/VERSION/cargo.
set -eu
cd "$(dirname "$0")/../../.."
wanted=${1-}
root=$PWD/target/openssl symbols=$PWD/crates/openssl-provider/matrix/symbols.pl

# VERSION FOLDER of each, a line each.
sources() {
    cargo metadata --locked --format-version 1 --manifest-path crates/openssl-provider/matrix/Cargo.toml | python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "openssl-src":
        print(package["version"].split("+")[1], os.path.join(os.path.dirname(package["manifest_path"]), "openssl"))'
}

# build VERSION FOLDER: into $root/VERSION, whole or not at all.
build() {
    prefix=$root/$1
    [ -e "$prefix/built" ] && return
    echo "building OpenSSL $1 in target/openssl (minutes, this once)" >&2
    rm -rf "$prefix" "$root/build-$1"
    mkdir -p "$root/build-$1"
    compiler=cc
    command -v ccache >/dev/null && compiler="ccache cc"
    # Little optimised, as these are for tests, not for timings. Without the legacy provider, whose list of symbols crate
    # openssl-src leaves out, as it does the script that makes such lists known to the linker, and openssl.cnf.
    (
        cd "$root/build-$1" &&
            perl "$2/Configure" --prefix="$prefix" --libdir=lib shared no-tests no-docs no-legacy CFLAGS=-O1 "CC=$compiler" &&
            sed -i "s|[^ ]*/util/mkdef.pl|$symbols|g" Makefile &&
            make --jobs "$(nproc)" &&
            make install_sw &&
            install -D -m 644 "$(openssl version -d | cut -d'"' -f2)/openssl.cnf" "$prefix/ssl/openssl.cnf"
    ) >"$root/build-$1.log" 2>&1 || {
        tail -n 20 "$root/build-$1.log" >&2
        echo "run.sh: OpenSSL $1 does not build; the whole output is in $root/build-$1.log" >&2
        exit 1
    }
    rm -rf "$root/build-$1"
    touch "$prefix/built"
}

# run VERSION: the tests.
run() {
    prefix=$root/$1
    echo "against OpenSSL $1" >&2
    (
        export GARNER_TEST_OPENSSL="$prefix" LD_LIBRARY_PATH="$prefix/lib"
        same=$(pkg-config --modversion libcrypto | cut -d. -f1)
        [ "$same" = "${1%%.*}" ] || export OPENSSL_DIR="$prefix" CARGO_TARGET_DIR="$prefix/cargo"
        cargo test --locked --package garner-openssl-common --package garner-openssl-provider --package garner-openssl-engine \
            -- --show-output
    )
}

found=
mkdir -p "$root"
sources >"$root/sources"
while read -r version folder <&3; do
    case $version in "$wanted"*) ;; *) continue ;; esac
    build "$version" "$folder"
    run "$version"
    found="$found $version"
done 3<"$root/sources"
[ -n "$found" ] || {
    echo "run.sh: $wanted: no such version; there are $(cut -d' ' -f1 "$root/sources" | paste -sd' ')" >&2
    exit 2
}
echo "the tests passed against OpenSSL$found" >&2
