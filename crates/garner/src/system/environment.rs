// SPDX-License-Identifier: Apache-2.0
//! Environment variables, which have no effect in a program that has more rights than its user: by the set-user-ID or
//! set-group-ID bit, or by capabilities of its file. Its user must not tell it which files to write or which code to run.
//!
//! All crates read variables here. What processes hand on to libraries as it is, theirs must judge: libcrypto ignores
//! `OPENSSL_CONF` and its like in such programs; NVIDIA's driver, which takes code by variables, is not used there.

use std::ffi::OsString;

/// The variable of this name: none where it is not set, and none in a program with more rights than its user.
pub fn variable(name: &str) -> Option<OsString> {
    if is_ignored() { None } else { std::env::var_os(name) }
}

/// Whether this program has more rights than its user, as the kernel found when it was started.
pub fn is_ignored() -> bool {
    // SAFETY: reads the vector that the kernel wrote when the program was started, which never changes.
    unsafe { libc::getauxval(libc::AT_SECURE) != 0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    // What happens in a program with more rights is tested in `tests/raised.rs` of the front ends.
    #[test]
    fn a_program_with_its_users_rights_has_its_users_variables() {
        assert!(!is_ignored());
        assert_eq!(variable("PATH"), std::env::var_os("PATH"));
        assert_eq!(variable("GARNER_NO_SUCH_VARIABLE"), None);
    }
}
