# SPDX-License-Identifier: Apache-2.0
# For scripts that fetch into a folder, which read this file: once LOCK COMPLETE VERSION
# Ends the script with 0 where the file COMPLETE says VERSION. Else one process at a time goes on, by the file LOCK, and is to
# write COMPLETE in the end; whoever waited for another has what that fetched.
once() {
    # Also looked at before the lock, which somebody else's folder does not let be taken.
    ! is_complete "$2" "$3" || exit 0
    exec 8>"$1"
    flock --nonblock 8 || {
        echo "$(dirname "$1"): another process fetches it; waiting" >&2
        flock 8
    }
    ! is_complete "$2" "$3" || exit 0
}

is_complete() {
    [ "$2" = "$(cat "$1" 2>/dev/null)" ]
}
