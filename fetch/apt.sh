# SPDX-License-Identifier: Apache-2.0
# An apt of a folder's own, to be sourced: private_apt FOLDER KIND SUITE[,SUITE...]
#   KIND             deb or deb-src
#   FOLDER/apt       its state; the caller removes it
# Sets and exports APT_CONFIG. The mirror is the one that this machine's own apt uses; what comes is checked against
# Debian's keys. Where apt cannot bring what is asked for, whatever it says is the reason, the script ends with 77; so do those
# that call it, and what needs the packages is left out there. Every other failure is one.

failed() {
    echo "$(basename "$0"): $*" >&2
    exit 1
}

no_mirror() {
    echo "$(basename "$0"): $*" >&2
    exit 77
}

private_apt() {
    mirror=$(apt-get indextargets --format '$(REPO_URI)' 'Created-By: Packages' | grep -m 1 '/debian/$') ||
        no_mirror "no Debian mirror is among apt's sources"
    apt=$1/apt
    rm -rf "$apt"
    mkdir -p "$apt/state/lists/partial" "$apt/cache/archives/partial"
    : >"$apt/status"
    for suite in $(echo "$3" | tr , ' '); do
        echo "$2 [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main"
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
    apt-get -qq update || no_mirror "$mirror cannot be read"
}
