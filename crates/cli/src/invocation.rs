// SPDX-License-Identifier: Apache-2.0
//! The command line of this process, as a shell takes it again.

use std::borrow::Cow;
use std::env;
use std::os::unix::ffi::OsStrExt;

/// The program as it was called, and its arguments.
pub fn whole() -> String {
    let program = env::args_os().next().unwrap_or_else(|| "garner".into());
    format!("{} {}", quoted(program.as_bytes()), arguments())
}

/// The arguments alone.
pub fn arguments() -> String {
    env::args_os().skip(1).map(|word| quoted(word.as_bytes())).collect::<Vec<_>>().join(" ")
}

fn quoted(word: &[u8]) -> String {
    // No argument has a NUL byte, all that there is to refuse.
    let quoted = shlex::bytes::try_quote(word).unwrap_or(Cow::Borrowed(word));
    String::from_utf8_lossy(&quoted).into_owned()
}
