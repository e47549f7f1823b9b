#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the daemon, its units, its user's description and the PKCS#11 module:   install.sh BUILD PREFIX [DESTDIR]
# removes them:                                                                   install.sh --remove PREFIX [DESTDIR]
#   BUILD    where cargo left garnerd and libgarner_pkcs11.so, such as target/release
#   PREFIX   where programs will be found, such as /usr/local
#   DESTDIR  put in front of PREFIX for packaging
set -eu
umask 022
[ $# -ge 2 ] || {
    sed -n '3,7s/^# //p' "$0" >&2
    exit 2
}
build=$1 prefix=$2 root=${3-}$2
units=$root/lib/systemd/system user=$root/lib/sysusers.d/garnerd.conf sample=$root/share/garner/garnerd.toml
module=$root/lib/pkcs11/garner.so

if [ "$build" = --remove ]; then
    rm -f "$root/bin/garnerd" "$units/garnerd.service" "$units/garnerd.socket"
    rm -f "$units/garnerd-metrics.socket" "$user" "$sample" "$module"
    [ ! -d "$root/lib/pkcs11" ] || rmdir --ignore-fail-on-non-empty "$root/lib/pkcs11"
    echo "A daemon that runs goes on: systemctl disable --now garnerd.service garnerd.socket garnerd-metrics.socket"
    exit
fi
packaging=$(dirname "$0")/../../packaging
install -D -s -m 755 "$build/garnerd" "$root/bin/garnerd"
install -D -s -m 755 "$build/libgarner_pkcs11.so" "$module"
install -D -m 644 -t "$units" "$packaging"/systemd/garnerd*.socket "$packaging/systemd/garnerd.service"
sed -i "s,^ExecStart=.*,ExecStart=$prefix/bin/garnerd," "$units/garnerd.service"
install -D -m 644 "$packaging/systemd/sysusers.conf" "$user"
install -D -m 644 "$packaging/samples/garnerd.toml" "$sample"
