#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the OpenSSL provider and the engine:   install.sh BUILD PREFIX [DESTDIR]
# removes them:                                   install.sh --remove PREFIX [DESTDIR]
#   BUILD    where cargo left libgarner_provider.so and libgarner_engine.so, such as target/release
#   PREFIX   below which the configuration to include goes, such as /usr/local
#   DESTDIR  put in front of all paths for packaging
# The modules go where this machine's OpenSSL looks for them; MODULES and ENGINES in the environment name other folders.
set -eu
umask 022
[ $# -ge 2 ] || {
    sed -n '2,7s/^# //p' "$0" >&2
    exit 2
}
build=$1 prefix=$2 root=${3-}
crates=$(dirname "$0")/.. samples=$(dirname "$0")/../../packaging/samples
# OpenSSL 4 has no engines, and answers without a folder.
folder() { openssl version "$1" 2>/dev/null | sed -n 's/.*"\(.*\)"/\1/p'; }
modules=${MODULES:-$(folder -m)}
engines=${ENGINES:-$(folder -e)}
share=$prefix/share/garner examples=$prefix/share/doc/garner/examples
# Without this the module would go to the root, and be removed from there.
[ -n "$modules" ] || {
    echo "install.sh: no openssl command says where modules go; name the folder in MODULES" >&2
    exit 3
}

if [ "$build" = --remove ]; then
    rm -f "$root$modules/garner.so" "$root$share/openssl.cnf" "$root$share/openssl-engine.cnf"
    [ -z "$engines" ] || rm -f "$root$engines/garner.so"
    for sample in "$samples"/*; do
        rm -f "$root$examples/$(basename "$sample")"
    done
    for folder in "$share" "$examples"; do
        [ ! -d "$root$folder" ] || rmdir --ignore-fail-on-non-empty "$root$folder"
    done
    rmdir --ignore-fail-on-non-empty "$root$prefix/share/doc/garner" 2>/dev/null || true
    echo "If $(folder -d)/openssl.cnf includes $share/openssl.cnf, take that line out."
    exit
fi
install -D -s -m 755 "$build/libgarner_provider.so" "$root$modules/garner.so"
install -D -m 644 "$crates/openssl-provider/openssl.cnf" "$root$share/openssl.cnf"
# They name the package's folder.
mkdir -p "$root$examples"
for sample in "$samples"/*; do
    sed "s|/usr/share/garner|$share|g" "$sample" >"$root$examples/$(basename "$sample")"
    chmod 644 "$root$examples/$(basename "$sample")"
done

cat <<END
The provider is $modules/garner.so. To use it
  in every program:  add this line at the end of $(folder -d)/openssl.cnf
                         .include $share/openssl.cnf
  in one program:    OPENSSL_CONF=$share/openssl.cnf PROGRAM
  in one server:     see $examples
  to see it:         openssl list -providers -verbose
Take the line out to be without it.
END
if [ -n "$(folder -e)" ]; then
    install -D -s -m 755 "$build/libgarner_engine.so" "$root$engines/garner.so"
    sed "s|@ENGINES@|$engines|" "$crates/openssl-engine/openssl-engine.cnf.in" >"$root$share/openssl-engine.cnf"
    echo "The engine, for programs that call RSA_*: $share/openssl-engine.cnf"
fi
