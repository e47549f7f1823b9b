#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the command, its manual pages and what completes it in shells:   install.sh BUILD PREFIX [DESTDIR]
# removes them:                                                             install.sh --remove PREFIX [DESTDIR]
#   BUILD    where cargo left garner, such as target/release
#   PREFIX   where programs will be found, such as /usr/local
#   DESTDIR  put in front of PREFIX for packaging
set -eu
umask 022
[ $# -ge 2 ] || {
    sed -n '3,7s/^# //p' "$0" >&2
    exit 2
}
build=$1 root=${3-}$2
bash=$root/share/bash-completion/completions/garner
zsh=$root/share/zsh/site-functions/_garner
fish=$root/share/fish/vendor_completions.d/garner.fish

if [ "$build" = --remove ]; then
    rm -f "$root/bin/garner" "$bash" "$zsh" "$fish" "$root"/share/man/man1/garner.1 "$root"/share/man/man1/garner-*.1
    exit
fi
install -D -s -m 755 "$build/garner" "$root/bin/garner"
install -d "$root/share/man/man1" "${bash%/*}" "${zsh%/*}" "${fish%/*}"
"$build/garner" manual "$root/share/man/man1"
"$build/garner" completions bash >"$bash"
"$build/garner" completions zsh >"$zsh"
"$build/garner" completions fish >"$fish"
