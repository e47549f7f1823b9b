#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that are missing: setup.sh [hw|all]
#   without an argument   what a build and `garner speed` need
#   hw                    also what the hardware's tools and tests need
#   all                   also what all tests and benchmarks need
# Rust comes from rustup; rust-toolchain.toml names the version.
set -eu

missing=
need() { # need PACKAGE TEST...: PACKAGE is wanted where TEST fails
    package=$1
    shift
    "$@" >/dev/null 2>&1 || missing="$missing $package"
}
need build-essential cc --version
need pkg-config pkg-config --version
need libssl-dev pkg-config --exists 'libcrypto >= 3.0.0'
need openssl openssl version
if [ "${1-}" = hw ] || [ "${1-}" = all ]; then
    need python3 python3 --version
    need python3-venv python3 -c "import ensurepip"
    need ccache ccache --version
    need liblz4-dev test -e /usr/include/lz4.h
    need zlib1g-dev test -e /usr/include/zlib.h
    # The firmware of hw/soc.
    need gcc-riscv64-unknown-elf riscv64-unknown-elf-gcc --version
    need patch patch --version
    need picolibc-riscv64-unknown-elf test -e /usr/lib/picolibc/riscv64-unknown-elf/picolibc.specs
fi
if [ "${1-}" = all ]; then
    need dpkg-dev dpkg-shlibdeps --version
    need valgrind valgrind --version
    need libc6-dbg test -d /usr/lib/debug/.build-id
    # What kernel modules are built with.
    need libelf1 test -e /usr/lib/x86_64-linux-gnu/libelf.so.1
    # Programs that the OpenSSL front ends are tested under.
    PATH=$PATH:/usr/sbin
    need nginx-light nginx -v
    need haproxy haproxy -v
    need apache2 apache2 -v
    need bind9-utils command -v dnssec-signzone
    need openssh-client command -v ssh-keygen
    # Programs that the PKCS#11 module is tested under.
    need opensc command -v pkcs11-tool
    need gnutls-bin command -v p11tool
    # What judges the units of packaging/.
    need systemd systemd-analyze --version
    # A peer of bench/daemon.
    need softhsm2 command -v softhsm2-util
    # What the manual pages and completions are checked with.
    need groff-base groff --version
    need zsh zsh --version
    need fish fish --version
fi

if [ -n "$missing" ]; then
    echo "installing:$missing"
    sudo=
    [ "$(id -u)" = 0 ] || sudo=sudo
    $sudo apt-get update -qq
    # shellcheck disable=SC2086 # a list of packages
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq $missing >/dev/null
    # The tests start servers of their own; those that came with the packages are not wanted.
    for service in nginx haproxy apache2; do
        case $missing in
        *" $service"*) $sudo systemctl --quiet disable --now $service 2>/dev/null || true ;;
        esac
    done
    # It comes with opensc, for smart cards.
    case $missing in
    *" opensc"*) $sudo systemctl --quiet disable --now pcscd.socket pcscd 2>/dev/null || true ;;
    esac
fi

[ "${1-}" = hw ] || command -v cargo >/dev/null || {
    echo "cargo was not found; install Rust with rustup, then run this again" >&2
    exit 1
}
