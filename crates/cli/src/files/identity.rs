// SPDX-License-Identifier: Apache-2.0
//! Which regular files this process reads, by device and inode: an output that is one of them, under whatever name, would
//! destroy what it is made of.

use crate::failure::Failure;
use std::fmt::Display;
use std::fs::Metadata;
use std::os::unix::fs::MetadataExt;
use std::sync::{Mutex, PoisonError};

/// One file, whatever its names.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Identity {
    device: u64,
    inode: u64,
}

/// What is read, and as what.
static READ: Mutex<Vec<(Identity, &str)>> = Mutex::new(Vec::new());

impl Identity {
    /// None of what is no regular file: reading and writing one terminal, say, is no mistake.
    pub fn of(metadata: &Metadata) -> Option<Identity> {
        metadata.is_file().then(|| Identity::of_entry(metadata))
    }

    /// Of whatever has a name, a link too.
    pub fn of_entry(metadata: &Metadata) -> Identity {
        Identity { device: metadata.dev(), inode: metadata.ino() }
    }

    /// Notes that the file is read as `role`, such as `the key`.
    pub fn is_read_as(self, role: &'static str) {
        READ.lock().unwrap_or_else(PoisonError::into_inner).push((self, role));
    }
}

/// Refuses to write the file `name` if it is one of those that are read.
pub fn refuse_input(metadata: &Metadata, name: impl Display) -> Result<(), Failure> {
    let identity = Identity::of(metadata);
    let read = READ.lock().unwrap_or_else(PoisonError::into_inner);
    match read.iter().find(|(read, _)| Some(*read) == identity) {
        Some((_, role)) => Err(Failure::Usage(format!("{name}: is {role} itself; name another file for the result"))),
        None => Ok(()),
    }
}
