#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The tests of the OpenSSL front ends against several OpenSSLs; `make openssl-matrix` calls it.
#
#   crates/openssl-provider/matrix/run.sh          against the system's and each version in Cargo.lock beside this
#   crates/openssl-provider/matrix/run.sh 3.5      against those whose number begins so
#
# Versions other than the system's are built from their sources, shared libraries and the `openssl` program, into
# target/openssl/VERSION: minutes, the first time. One that calls its libcrypto as the system's is called (3.x) gets the
# module that was built for the system's, as after an upgrade; for any other (4.x) everything is built again, in
# target/openssl/VERSION/cargo. What the tests say stays in target/openssl/VERSION.log.
#
# The last lines say what became of each version: passed, FAILED with the names of the tests, or not run and why (one that
# cannot be had is no failure). Exit status: 0, 1 if anything failed, 2 if there is no such version or nothing ran.
set -eu
cd "$(dirname "$0")/../../.."
wanted=${1-}
matrix=crates/openssl-provider/matrix root=$PWD/target/openssl
mkdir -p "$root"
system=$(openssl version | cut -d' ' -f2)
# As Cargo.lock has them, "300.5.5+3.5.5"; the system's may be one of them.
sources=$(sed -n '/^name = "openssl-src"/{n;s/.*+\(.*\)"/\1/p}' $matrix/Cargo.lock | grep -Fvx "$system" || true)

say() { printf 'run.sh: %s\n' "$*" >&2; }
outcome() { printf '%-8s %s\n' "$1" "$2" >>"$root/outcomes"; }

# folder VERSION: where its sources are, downloaded if need be.
folder() {
    cargo metadata --locked --format-version 1 --manifest-path $matrix/Cargo.toml 2>"$root/download.log" |
        python3 -c '
import json, os, sys
for package in json.load(sys.stdin)["packages"]:
    if package["name"] == "openssl-src" and package["version"].endswith("+" + sys.argv[1]):
        print(os.path.join(os.path.dirname(package["manifest_path"]), "openssl"))' "$1" 2>/dev/null
}

# build VERSION FOLDER: into $root/VERSION, whole or not at all.
build() {
    prefix=$root/$1
    [ -e "$prefix/built" ] && return
    say "building OpenSSL $1 in target/openssl (minutes, this once)"
    rm -rf "$prefix" "$root/build-$1"
    mkdir -p "$root/build-$1"
    compiler=cc
    command -v ccache >/dev/null && compiler="ccache cc"
    # Little optimised, as these are for tests, not for timings. Without the legacy provider, whose list of symbols crate
    # openssl-src leaves out, as it does the script that makes such lists known to the linker, and openssl.cnf.
    (
        symbols=$PWD/$matrix/symbols.pl
        cd "$root/build-$1" &&
            perl "$2/Configure" --prefix="$prefix" --libdir=lib shared no-tests no-docs no-legacy CFLAGS=-O1 "CC=$compiler" &&
            sed -i "s|[^ ]*/util/mkdef.pl|$symbols|g" Makefile &&
            make --jobs "$(nproc)" &&
            make install_sw &&
            install -D -m 644 "$(openssl version -d | cut -d'"' -f2)/openssl.cnf" "$prefix/ssl/openssl.cnf"
    ) >"$root/build-$1.log" 2>&1 || {
        tail -n 20 "$root/build-$1.log" >&2
        return 1
    }
    rm -rf "$root/build-$1"
    touch "$prefix/built"
}

# check VERSION: the tests, whose outcome it notes.
check() {
    log=$root/$1.log start=$(date +%s)
    rm -f "$root/status"
    say "the tests against OpenSSL $1"
    {
        if [ "$1" != "$system" ]; then
            prefix=$root/$1
            export GARNER_TEST_OPENSSL="$prefix" LD_LIBRARY_PATH="$prefix/lib"
            # One that is called otherwise than the system's is not its successor in a package: all is built for it.
            [ "${1%%.*}" = "${system%%.*}" ] || export OPENSSL_DIR="$prefix" CARGO_TARGET_DIR="$prefix/cargo"
        fi
        status=0
        cargo test --locked --no-fail-fast --package garner-openssl-common --package garner-openssl-provider \
            --package garner-openssl-engine -- --show-output 2>&1 || status=$?
        echo "$status" >"$root/status"
    } | tee "$log"
    count=$(awk '/^test result:/ { passed += $4 } END { print passed + 0 }' "$log")
    out=$(sed -n 's/^left out: //p' "$log" | sort -u | paste -sd';' | sed 's/;/; /g')
    seconds=$(($(date +%s) - start))
    if [ "$(cat "$root/status")" = 0 ] && [ "$count" -gt 0 ]; then
        outcome "$1" "passed: $count tests, $seconds s${out:+; without what needs other programs: $out}"
        return
    fi
    failed=$(sed -n 's/^test \(.*\) \.\.\. FAILED$/\1/p' "$log" | paste -sd' ')
    outcome "$1" "FAILED: ${failed:-no test ran to its end}; all of it is in target/openssl/$1.log"
    bad=1
}

bad= ran= known=
: >"$root/outcomes"
for version in $system $sources; do
    known="$known $version"
    case $version in "$wanted"*) ;; *) continue ;; esac
    if [ "$version" != "$system" ]; then
        source=$(folder "$version") && [ -d "$source" ] || {
            why=$(grep -m 1 '^error' "$root/download.log" || echo 'its sources are not in the package')
            outcome "$version" "not run: cannot be had from the registry: $why"
            continue
        }
        build "$version" "$source" || {
            outcome "$version" "FAILED: it does not build; all of it is in target/openssl/build-$version.log"
            bad=1
            continue
        }
    fi
    ran=1
    check "$version"
done
[ -s "$root/outcomes" ] || {
    say "$wanted: no such version; there are$known"
    exit 2
}
printf '\nOpenSSL\n' >&2
cat "$root/outcomes" >&2
[ -z "$bad" ] || exit 1
[ -n "$ran" ] || exit 2
