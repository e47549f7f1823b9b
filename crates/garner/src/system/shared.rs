// SPDX-License-Identifier: Apache-2.0
//! A page of words that several processes see, each word read and written as a whole.

use memmap2::{MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, fcntl_get_seals, memfd_create};
use std::fs::File;
use std::io;
use std::os::fd::OwnedFd;
use std::sync::atomic::AtomicU64;

/// Length of the page, in bytes.
pub const BYTES: usize = 4096;

/// The page, mapped.
pub struct SharedPage(MmapRaw);

impl SharedPage {
    /// A memfd of one page, sealed against any change of its length, so that no reader and no writer can fall off its end.
    ///
    /// # Errors
    /// The system has no memfd, or no memory to map it.
    pub fn create(name: &str) -> io::Result<(SharedPage, OwnedFd)> {
        let file = File::from(memfd_create(name, MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?);
        file.set_len(BYTES as u64)?;
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let map = MmapOptions::new().len(BYTES).map_raw(&file)?;
        Ok((SharedPage(map), file.into()))
    }

    /// The page behind a file that is open for reading; none if it is no such page. Words of it may be loaded, and nothing
    /// else.
    pub fn open(file: &File) -> Option<SharedPage> {
        let metadata = file.metadata().ok()?;
        // Without the seal its owner could shorten the page under us.
        let sealed = fcntl_get_seals(file).ok()?.contains(SealFlags::SHRINK);
        if !metadata.is_file() || metadata.len() != BYTES as u64 || !sealed {
            return None;
        }
        // SAFETY: the length cannot shrink any more; others write to the page, so it is read through atomics only.
        let map = unsafe { MmapOptions::new().len(BYTES).map(file) }.ok()?;
        Some(SharedPage(map.into()))
    }

    /// A word.
    pub fn word(&self, index: usize) -> &AtomicU64 {
        assert!(index < BYTES / 8);
        // SAFETY: the mapping is page-aligned, BYTES long, lives as long as `self`, cannot shrink (it is sealed), and nobody in
        // this process reaches it but through these atomics. Where it is mapped read-only, only `load` is called.
        unsafe { AtomicU64::from_ptr(self.0.as_mut_ptr().cast::<u64>().add(index)) }
    }
}
