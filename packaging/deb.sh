#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Makes Debian packages of everything that `make install` installs: deb.sh BUILD OUTPUT
#   BUILD    where cargo left what it built, such as target/release
#   OUTPUT   the folder for garner_VERSION_ARCH.deb and, with what C programs are built with,
#            libgarner-dev_VERSION_ARCH.deb; made if it is not there
set -eu
umask 022
[ $# -eq 2 ] || {
    sed -n '2,6s/^# //p' "$0" >&2
    exit 2
}
mkdir -p "$2"
build=$(realpath "$1") output=$(realpath "$2")
cd "$(dirname "$0")/.."
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
architecture=$(dpkg --print-architecture)
# Laid out as a source package in which the binary one was just installed: dpkg-shlibdeps wants that.
source=$(mktemp -d)
trap 'rm -rf "$source"' EXIT
root=$source/debian/garner dev=$source/debian/libgarner-dev
mkdir -p "$root/DEBIAN" "$dev/DEBIAN" "$dev/usr/lib" "$dev/usr/share/doc/libgarner-dev"
printf 'Source: garner\n\nPackage: garner\nArchitecture: any\n' >"$source/debian/control"

crates/cli/install.sh "$build" /usr "$root"
crates/garnerd/install.sh "$build" /usr "$root"
gzip -9n "$root"/usr/share/man/man1/*.1
crates/capi/install.sh "$build" /usr "$root" >/dev/null
crates/openssl-common/install.sh "$build" /usr "$root" >"$root/hint"
# openssl.md and the pages that it links; the samples lie beside them. Links to what is not packaged become their text.
pages='openssl daemon security performance gpu board linux'
there="(#|https?:|examples|($(echo "$pages" | tr ' ' '|'))\.md)"
for page in $pages; do
    sed -z -E "s~\.\./packaging/samples~examples~g
        s~([^[:alnum:]])\[([^][]*)\]\(($there[^)]*)\)~\1\x01\2\x02\3\x03~g
        s~([^[:alnum:]!])!?\[([^][]*)\]\([^)]*\)~\1\2~g
        s~\x01([^\x02]*)\x02([^\x03]*)\x03~[\1](\2)~g" "docs/$page.md" >"$root/usr/share/doc/garner/$page.md"
    chmod 644 "$root/usr/share/doc/garner/$page.md"
done
cat >"$root/usr/share/doc/garner/copyright" <<'END'
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: Garner's developers
License: Apache-2.0
 On Debian systems the text of the licence is in /usr/share/common-licenses/Apache-2.0.
END

cp "$root/usr/share/doc/garner/copyright" "$dev/usr/share/doc/libgarner-dev/"
mv "$root/usr/include" "$dev/usr/"
mv "$root/usr/lib/libgarner.a" "$root/usr/lib/libgarner.so" "$root/usr/lib/pkgconfig" "$dev/usr/lib/"

# The packages of the libraries that these files are linked with; one that is in no package is left to who put it there.
depends=$(cd "$source" && dpkg-shlibdeps --ignore-missing-info -O "$root/usr/bin/garner" "$root/usr/bin/garnerd" $(find "$root/usr/lib" -name '*.so*' -type f))

# script NAME: a script that dpkg runs; what it does comes by standard input.
script() {
    { printf '#!/bin/sh\nset -e\n' && cat; } >"$root/DEBIAN/$1"
    chmod 755 "$root/DEBIAN/$1"
}
script postinst <<END
[ "\$1" = configure ] || exit 0
! command -v systemd-sysusers >/dev/null || systemd-sysusers garnerd.conf
if [ -d /run/systemd/system ]; then
    systemctl daemon-reload || true
    # After an upgrade, and only what runs.
    [ -z "\$2" ] || systemctl try-restart garnerd.service || true
fi
cat <<\\NOTE
$(cat "$root/hint")
NOTE
END
script prerm <<'END'
[ "$1" = remove ] && [ -d /run/systemd/system ] || exit 0
systemctl disable --now garnerd.service garnerd.socket garnerd-metrics.socket || true
END
script postrm <<'END'
[ -d /run/systemd/system ] || exit 0
systemctl daemon-reload || true
END
rm "$root/hint"
echo 'activate-noawait ldconfig' >"$root/DEBIAN/triggers"
# package ROOT SECTION DEPENDS: the package of what is below ROOT; its description comes by standard input.
package() {
    name=$(basename "$1")
    cat >"$1/DEBIAN/control" <<END
Package: $name
Version: $version
Architecture: $architecture
Maintainer: Garner's developers <garner@localhost>
Depends: $3
Section: $2
Priority: optional
Installed-Size: $(du -sk "$1" | cut -f1)
$(cat)
END
    dpkg-deb --root-owner-group --build "$1" "$output/${name}_${version}_$architecture.deb"
}
package "$root" libs "${depends#shlibs:Depends=}" <<END
Description: RSA acceleration: OpenSSL provider and engine, library, command
 Gathers the RSA private-key operations of a process and runs them in batches,
 eight at a time with AVX-512 IFMA, four with AVX2. Unmodified programs use it
 through OpenSSL's configuration; nothing changes until that names it.
END
package "$dev" libdevel "garner (= $version), libssl-dev" <<END
Description: RSA acceleration: headers and libraries for programs in C
 What is needed to build programs that call libgarner: garner.h, the file for
 pkg-config, and the library for static linking.
END
