// SPDX-License-Identifier: Apache-2.0
//! The client's memory as the board sees it: what it has mapped, by address.
//!
//! Accesses go through the file, not through a mapping of it: a client that cuts its file short gets a bus error in its
//! own simulation, and the board lives on.

use crate::device::BusError;
use garner_vfio_user::message::{DmaMap, DmaUnmap};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

/// Reads and writes what the client mapped without a descriptor, by asking it.
pub trait Remote: Send {
    /// Fills `data` from `address` on.
    fn read(&mut self, address: u64, data: &mut [u8]) -> Result<(), BusError>;
    /// Writes `data`.
    fn write(&mut self, address: u64, data: &[u8]) -> Result<(), BusError>;
}

struct Map {
    size: u64,
    flags: u32,
    /// The file and where in it the map begins; none: ask the client.
    file: Option<(Arc<OwnedFd>, u64)>,
}

/// A file, by device, inode and the flags it was opened with.
type Identity = (u64, u64, u32);

/// All maps of one client.
///
/// Files are read and written under the lock, so that nothing goes to a map that was taken away. The client is asked
/// without it: its own requests, to take a map away for one, may come before its answer.
#[derive(Default)]
pub struct Memory {
    maps: BTreeMap<u64, Map>,
    /// The maps' files. A client behind an IOMMU maps page by page, each with a descriptor of the same file; one is
    /// kept, or there would soon be none left.
    files: BTreeMap<Identity, Weak<OwnedFd>>,
    bus_master: bool,
    remote: Option<Arc<Mutex<dyn Remote>>>,
}

pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Forgets everything; from now on `remote` answers for maps without a descriptor. The function is no bus master.
    pub fn restart(&mut self, remote: Option<Arc<Mutex<dyn Remote>>>) {
        *self = Memory { remote, ..Memory::default() };
    }

    /// Whether the function may start transactions; if not, each is a bus error.
    pub fn set_bus_master(&mut self, enabled: bool) {
        self.bus_master = enabled;
    }

    /// A new map.
    ///
    /// # Errors
    /// The error number for the client: EINVAL for an empty, wrapping or unaligned one, EEXIST for an overlap.
    pub fn map(&mut self, map: &DmaMap, file: Option<OwnedFd>) -> Result<(), Errno> {
        let end = map.address.checked_add(map.size).ok_or(Errno::INVAL)?;
        if map.size == 0 || !map.address.is_multiple_of(4096) || map.flags & (DmaMap::READ | DmaMap::WRITE) == 0 {
            return Err(Errno::INVAL);
        }
        if let Some((address, before)) = self.maps.range(..end).next_back()
            && address + before.size > map.address
        {
            return Err(Errno::EXIST);
        }
        let file = match file {
            Some(file) => Some((self.share(file)?, map.offset)),
            None => None,
        };
        self.maps.insert(map.address, Map { size: map.size, flags: map.flags, file });
        Ok(())
    }

    /// The same file under one descriptor.
    fn share(&mut self, file: OwnedFd) -> Result<Arc<OwnedFd>, Errno> {
        let status = rustix::fs::fstat(&file)?;
        let identity = (status.st_dev, status.st_ino, rustix::fs::fcntl_getfl(&file)?.bits());
        if let Some(known) = self.files.get(&identity).and_then(Weak::upgrade) {
            return Ok(known);
        }
        self.files.retain(|_, file| file.strong_count() > 0);
        let file = Arc::new(file);
        self.files.insert(identity, Arc::downgrade(&file));
        Ok(file)
    }

    /// Takes all maps of a range away and tells how many bytes these were, as the kernel's VFIO does: clients unmap
    /// ranges with many maps in them, and ranges with none.
    ///
    /// # Errors
    /// EINVAL for the client when the range is empty, wraps, or cuts a map in two.
    pub fn unmap(&mut self, unmap: &DmaUnmap) -> Result<u64, Errno> {
        let (first, last) = match (unmap.flags & DmaUnmap::ALL != 0, unmap.address, unmap.size) {
            (true, 0, 0) => (0, u64::MAX),
            (true, ..) | (false, _, 0) => return Err(Errno::INVAL),
            (false, address, size) => (address, address.checked_add(size - 1).ok_or(Errno::INVAL)?),
        };
        let end = |(address, map): (&u64, &Map)| address + (map.size - 1);
        let before = self.maps.range(..first).next_back().map(end);
        let at_the_end = self.maps.range(first..=last).next_back().map(end);
        if before.is_some_and(|end| end >= first) || at_the_end.is_some_and(|end| end > last) {
            return Err(Errno::INVAL);
        }
        let addresses: Vec<u64> = self.maps.range(first..=last).map(|(&address, _)| address).collect();
        Ok(addresses.iter().filter_map(|address| self.maps.remove(address)).map(|map| map.size).sum())
    }

    fn find(&self, address: u64, length: usize, flag: u32) -> Result<(u64, &Map), BusError> {
        if !self.bus_master {
            return Err(BusError);
        }
        let (&start, map) = self.maps.range(..=address).next_back().ok_or(BusError)?;
        let offset = address - start;
        let fits = offset.checked_add(length as u64).is_some_and(|end| end <= map.size);
        if fits && map.flags & flag != 0 { Ok((offset, map)) } else { Err(BusError) }
    }

    /// Fills `data` from `address` on.
    ///
    /// # Errors
    /// [`BusError`] where nothing readable is mapped.
    pub fn read(shared: &Mutex<Memory>, address: u64, data: &mut [u8]) -> Result<(), BusError> {
        let memory = lock(shared);
        if let (offset, Map { file: Some((file, start)), .. }) = memory.find(address, data.len(), DmaMap::READ)? {
            return match rustix::io::pread(file, &mut *data, start.saturating_add(offset)) {
                Ok(read) if read == data.len() => Ok(()),
                _ => Err(BusError),
            };
        }
        let remote = memory.remote.clone().ok_or(BusError)?;
        drop(memory);
        lock(&remote).read(address, data)
    }

    /// Writes `data`, its last eight bytes last.
    ///
    /// # Errors
    /// [`BusError`] where nothing writable is mapped.
    pub fn write(shared: &Mutex<Memory>, address: u64, data: &[u8]) -> Result<(), BusError> {
        let memory = lock(shared);
        if let (offset, Map { file: Some((file, start)), .. }) = memory.find(address, data.len(), DmaMap::WRITE)? {
            let mut at = start.saturating_add(offset);
            let (most, last) = data.split_at(data.len().saturating_sub(8));
            for part in [most, last] {
                if !part.is_empty() && rustix::io::pwrite(file, part, at) != Ok(part.len()) {
                    return Err(BusError);
                }
                at += part.len() as u64;
            }
            return Ok(());
        }
        let remote = memory.remote.clone().ok_or(BusError)?;
        drop(memory);
        lock(&remote).write(address, data)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{MemfdFlags, ftruncate, memfd_create};

    fn map(address: u64, size: u64) -> DmaMap {
        DmaMap { flags: DmaMap::READ | DmaMap::WRITE, address, size, ..DmaMap::default() }
    }

    fn unmap(address: u64, size: u64) -> DmaUnmap {
        DmaUnmap { address, size, ..DmaUnmap::default() }
    }

    fn memory() -> Memory {
        Memory { bus_master: true, ..Memory::default() }
    }

    fn file(size: u64) -> OwnedFd {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, size).unwrap();
        file
    }

    #[test]
    fn accesses_beyond_a_map_or_after_its_end_are_bus_errors() {
        let mut memory = memory();
        memory.map(&map(0x10000, 0x2000), Some(file(0x2000))).unwrap();
        let memory = Mutex::new(memory);
        Memory::write(&memory, 0x11FF8, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut data = [0; 8];
        Memory::read(&memory, 0x11FF8, &mut data).unwrap();
        assert_eq!(data, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(Memory::read(&memory, 0x11FFC, &mut data), Err(BusError));
        assert_eq!(Memory::read(&memory, 0xFFFF, &mut data), Err(BusError));
        assert_eq!(Memory::read(&memory, u64::MAX - 3, &mut data), Err(BusError));
        assert_eq!(lock(&memory).unmap(&unmap(0x10000, 0x2000)), Ok(0x2000));
        assert_eq!(Memory::read(&memory, 0x11FF8, &mut data), Err(BusError));
    }

    #[test]
    fn overlapping_empty_and_wrapping_maps_are_refused() {
        let mut memory = memory();
        memory.map(&map(0x10000, 0x2000), Some(file(0x2000))).unwrap();
        assert_eq!(memory.map(&map(0x11000, 0x2000), None), Err(Errno::EXIST));
        assert_eq!(memory.map(&map(0xF000, 0x2000), None), Err(Errno::EXIST));
        assert_eq!(memory.map(&map(0x20000, 0), None), Err(Errno::INVAL));
        assert_eq!(memory.map(&map(u64::MAX - 0xFFF, 0x2000), None), Err(Errno::INVAL));
        memory.map(&map(0x12000, 0x1000), None).unwrap();
    }

    #[test]
    fn a_range_is_unmapped_with_all_maps_in_it_and_none_is_cut_in_two() {
        let mut memory = memory();
        for address in [0x10000, 0x12000, 0x14000] {
            memory.map(&map(address, 0x2000), None).unwrap();
        }
        for (address, size) in [(0x11000, 0x1000), (0x10000, 0x1000), (0xF000, 0x2000), (0x13000, 0x10000), (0, 0)] {
            assert_eq!(memory.unmap(&unmap(address, size)), Err(Errno::INVAL), "{address:#x}, {size:#x}");
        }
        assert_eq!(memory.unmap(&unmap(0, 0x10000)), Ok(0));
        assert_eq!(memory.unmap(&unmap(0x12000, 1 << 47)), Ok(0x4000));
        assert_eq!(memory.unmap(&unmap(0x8000, u64::MAX - 0x7FFF)), Ok(0x2000), "up to the end of the addresses");
        memory.map(&map(0, 0x1000), None).unwrap();
        assert_eq!(memory.unmap(&DmaUnmap { flags: DmaUnmap::ALL, ..DmaUnmap::default() }), Ok(0x1000));
        assert_eq!(memory.unmap(&DmaUnmap { flags: DmaUnmap::ALL, ..unmap(0, 0x1000) }), Err(Errno::INVAL));
    }

    #[test]
    fn a_client_that_maps_page_by_page_does_not_use_up_the_descriptors() {
        let (mut memory, file) = (memory(), file(0x1000_0000));
        for page in 0..0x8000 {
            let map = DmaMap { offset: 0x1000 * page, ..map(0x1000 * (page ^ 1), 0x1000) };
            memory.map(&map, Some(file.try_clone().unwrap())).unwrap();
        }
        let memory = Mutex::new(memory);
        Memory::write(&memory, 0x5000, &[7]).unwrap();
        let mut byte = [0];
        rustix::io::pread(&file, &mut byte, 0x4000).unwrap();
        assert_eq!(byte, [7]);
        assert_eq!(lock(&memory).unmap(&unmap(0, 0x1000_0000)), Ok(0x800_0000));
        assert_eq!(Arc::strong_count(&lock(&memory).share(file).unwrap()), 1, "nothing is kept behind the last map");
    }

    #[test]
    fn nothing_is_read_or_written_by_a_function_that_is_no_bus_master() {
        let mut memory = memory();
        memory.map(&map(0, 0x1000), Some(file(0x1000))).unwrap();
        let memory = Mutex::new(memory);
        Memory::write(&memory, 0, &[1]).unwrap();
        lock(&memory).set_bus_master(false);
        let refused = (Memory::write(&memory, 0, &[1]), Memory::read(&memory, 0, &mut [0]));
        assert_eq!(refused, (Err(BusError), Err(BusError)));
    }

    #[test]
    fn a_file_that_the_client_cut_short_is_a_bus_error_and_not_a_signal() {
        let mut memory = memory();
        let file = file(0x2000);
        memory.map(&map(0, 0x2000), Some(file.try_clone().unwrap())).unwrap();
        ftruncate(&file, 0).unwrap();
        assert_eq!(Memory::read(&Mutex::new(memory), 0x1000, &mut [0; 8]), Err(BusError));
    }
}
