// SPDX-License-Identifier: Apache-2.0
//! Memory that the board reads and writes: rings, operands, results.

use memmap2::{Advice, MmapOptions, MmapRaw};
use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, ftruncate, memfd_create};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::sync::atomic::{Ordering, compiler_fence};

/// A shared mapping of whole pages, out of core dumps and of children made by `fork`, zeroised on drop.
///
/// The board may write at any time, so nothing here gives a reference to it: only copies in and out.
pub struct DmaMemory {
    file: OwnedFd,
    mapping: MmapRaw,
    address: u64,
}

impl DmaMemory {
    /// At least `bytes` of zeros, which the board sees at `address`.
    ///
    /// # Errors
    /// The system has none.
    pub fn new(bytes: usize, address: u64) -> io::Result<DmaMemory> {
        let bytes = bytes.next_multiple_of(4096);
        let file = memfd_create("garner-board", MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING)?;
        ftruncate(&file, bytes as u64)?;
        // Who gets the descriptor could otherwise shorten the file under us, which ends the process at the next access.
        fcntl_add_seals(&file, SealFlags::SHRINK | SealFlags::GROW | SealFlags::SEAL)?;
        let mapping = MmapOptions::new().len(bytes).map_raw(&file)?;
        // All are best effort; VFIO pins the pages itself. A child made by `fork` has no business with a board.
        let _ = mapping.advise(Advice::DontDump);
        let _ = mapping.advise(Advice::DontFork);
        let _ = mapping.lock();
        Ok(DmaMemory { file, mapping, address })
    }

    /// Where the board sees it.
    pub fn address(&self) -> u64 {
        self.address
    }

    /// Bytes.
    #[allow(clippy::len_without_is_empty)] // never empty
    pub fn len(&self) -> usize {
        self.mapping.len()
    }

    /// What a transport shares with a board in another process.
    pub fn file(&self) -> BorrowedFd<'_> {
        self.file.as_fd()
    }

    /// What a transport lets the kernel map for the board.
    pub fn pointer(&self) -> *mut u8 {
        self.mapping.as_mut_ptr()
    }

    fn at(&self, offset: usize, bytes: usize) -> *mut u8 {
        let end = offset.checked_add(bytes).expect("an offset in the mapping");
        assert!(end <= self.len(), "{bytes} bytes at {offset} of {}", self.len());
        // SAFETY: offset and length were compared with the mapping's just now.
        unsafe { self.mapping.as_mut_ptr().add(offset) }
    }

    /// Copies `data` to `offset`.
    pub fn write(&self, offset: usize, data: &[u8]) {
        let to = self.at(offset, data.len());
        // SAFETY: `at` checked the bounds; no reference to the mapping exists.
        unsafe { to.copy_from_nonoverlapping(data.as_ptr(), data.len()) };
    }

    /// Copies from `offset` to `data`. Each byte is read once, so that what is checked of the copy is what is used.
    pub fn read(&self, offset: usize, data: &mut [u8]) {
        let from = self.at(offset, data.len());
        // Eight bytes at once from a boundary on, where all that is long begins.
        let count = if from.cast::<u64>().is_aligned() { data.len() / 8 } else { 0 };
        let (words, bytes) = data.split_at_mut(8 * count);
        for (i, word) in words.as_chunks_mut().0.iter_mut().enumerate() {
            // SAFETY: in bounds, which `at` checked, and aligned.
            *word = unsafe { from.cast::<u64>().add(i).read_volatile() }.to_ne_bytes();
        }
        for (i, byte) in bytes.iter_mut().enumerate() {
            // SAFETY: in bounds, which `at` checked.
            *byte = unsafe { from.add(8 * count + i).read_volatile() };
        }
    }

    /// The 32-bit word at `offset`, a multiple of 4, as it is in memory now.
    pub fn word(&self, offset: usize) -> u32 {
        assert!(offset.is_multiple_of(4));
        let from = self.at(offset, 4).cast::<u32>();
        // SAFETY: in bounds and aligned, as the mapping starts at a page.
        u32::from_le(unsafe { from.read_volatile() })
    }

    /// Overwrites with zeros.
    pub fn wipe(&self, offset: usize, bytes: usize) {
        let to = self.at(offset, bytes);
        // SAFETY: `at` checked the bounds.
        unsafe { to.write_bytes(0, bytes) };
        compiler_fence(Ordering::SeqCst); // the mapping is shared, so the writes are seen and not left out
    }
}

impl Drop for DmaMemory {
    fn drop(&mut self) {
        self.wipe(0, self.len());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_at_every_offset_and_length() {
        let memory = DmaMemory::new(4096, 0).unwrap();
        let bytes: Vec<u8> = (1..101).collect();
        memory.write(24, &bytes);
        for offset in 0..32 {
            for length in 0..32 {
                let mut read = vec![0; length];
                memory.read(24 + offset, &mut read);
                assert_eq!(read, bytes[offset..offset + length], "{length} bytes at {offset}");
            }
        }
    }
}
