// SPDX-License-Identifier: Apache-2.0
//! Where signatures go, one after the other.

use super::folder::Folder;
use super::jobs::Item;
use super::partial::Partial;
use super::records::Records;
use crate::failure::Failure;
use crate::files::Stream;
use crate::interruption::Interruptible;
use std::mem;

/// What takes the signatures.
pub enum Target {
    /// Standard output, a pipe or a device: nothing to go on from after an interruption, which just ends the process.
    Stream(Stream),
    /// A file that is not whole yet.
    File(Interruptible<Partial>),
    /// A file for each.
    Folder(Interruptible<Folder>),
}

/// The target while it is written.
pub struct Sink<'a> {
    target: &'a mut Target,
    records: Records,
    /// Whole records that are not written yet.
    text: Vec<u8>,
}

impl Sink<'_> {
    /// Writes to `target`, in files of several in the form of `records`.
    pub fn new(target: &mut Target, records: Records) -> Sink<'_> {
        Sink { target, records, text: Vec::new() }
    }

    /// Takes a signature.
    pub fn add(&mut self, item: &Item, signature: &[u8]) -> Result<(), Failure> {
        match self.target {
            Target::Folder(folder) => folder.with(|folder| folder.write(item, signature)),
            _ => {
                self.records.append(signature, &item.name, &mut self.text);
                Ok(())
            }
        }
    }

    /// Writes what was taken.
    pub fn flush(&mut self) -> Result<(), Failure> {
        let text = mem::take(&mut self.text);
        match self.target {
            Target::Stream(stream) => stream.write(&text),
            Target::File(partial) => partial.with(|partial| partial.append(&text)),
            Target::Folder(_) => Ok(()),
        }
    }
}
