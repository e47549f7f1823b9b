//! The client's memory as the board sees it: what it has mapped, by address.
//!
//! Accesses go through the file, not through a mapping of it: a client that cuts its file short gets a bus error in its
//! own simulation, and the board lives on.

use garner_vfio_user::message::{DmaMap, DmaUnmap};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// An access that a bus answers with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusError;

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
    file: Option<(OwnedFd, u64)>,
}

/// All maps of one client.
///
/// Files are read and written under the lock, so that nothing goes to a map that was taken away. The client is asked
/// without it: its own requests, to take a map away for one, may come before its answer.
#[derive(Default)]
pub struct Memory {
    maps: BTreeMap<u64, Map>,
    remote: Option<Arc<Mutex<dyn Remote>>>,
}

fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Memory {
    /// Forgets everything; from now on `remote` answers for maps without a descriptor.
    pub fn restart(&mut self, remote: Option<Arc<Mutex<dyn Remote>>>) {
        self.maps.clear();
        self.remote = remote;
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
        let file = file.map(|file| (file, map.offset));
        self.maps.insert(map.address, Map { size: map.size, flags: map.flags, file });
        Ok(())
    }

    /// Takes a map away; it must be one that was made, whole.
    ///
    /// # Errors
    /// EINVAL for the client when there is no such map.
    pub fn unmap(&mut self, unmap: &DmaUnmap) -> Result<(), Errno> {
        if unmap.flags & DmaUnmap::ALL != 0 {
            self.maps.clear();
            return Ok(());
        }
        match self.maps.get(&unmap.address) {
            Some(map) if map.size == unmap.size => self.maps.remove(&unmap.address),
            _ => return Err(Errno::INVAL),
        };
        Ok(())
    }

    fn find(&self, address: u64, length: usize, flag: u32) -> Result<(u64, &Map), BusError> {
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

    fn file(size: u64) -> OwnedFd {
        let file = memfd_create("test", MemfdFlags::CLOEXEC).unwrap();
        ftruncate(&file, size).unwrap();
        file
    }

    #[test]
    fn accesses_beyond_a_map_or_after_its_end_are_bus_errors() {
        let mut memory = Memory::default();
        memory.map(&map(0x10000, 0x2000), Some(file(0x2000))).unwrap();
        let memory = Mutex::new(memory);
        Memory::write(&memory, 0x11FF8, &[1, 2, 3, 4, 5, 6, 7, 8]).unwrap();
        let mut data = [0; 8];
        Memory::read(&memory, 0x11FF8, &mut data).unwrap();
        assert_eq!(data, [1, 2, 3, 4, 5, 6, 7, 8]);
        assert_eq!(Memory::read(&memory, 0x11FFC, &mut data), Err(BusError));
        assert_eq!(Memory::read(&memory, 0xFFFF, &mut data), Err(BusError));
        assert_eq!(Memory::read(&memory, u64::MAX - 3, &mut data), Err(BusError));
        lock(&memory).unmap(&DmaUnmap { address: 0x10000, size: 0x2000, ..DmaUnmap::default() }).unwrap();
        assert_eq!(Memory::read(&memory, 0x11FF8, &mut data), Err(BusError));
    }

    #[test]
    fn overlapping_empty_wrapping_and_unknown_maps_are_refused() {
        let mut memory = Memory::default();
        memory.map(&map(0x10000, 0x2000), Some(file(0x2000))).unwrap();
        assert_eq!(memory.map(&map(0x11000, 0x2000), None), Err(Errno::EXIST));
        assert_eq!(memory.map(&map(0xF000, 0x2000), None), Err(Errno::EXIST));
        assert_eq!(memory.map(&map(0x20000, 0), None), Err(Errno::INVAL));
        assert_eq!(memory.map(&map(u64::MAX - 0xFFF, 0x2000), None), Err(Errno::INVAL));
        memory.map(&map(0x12000, 0x1000), None).unwrap();
        let unknown = DmaUnmap { address: 0x10000, size: 0x1000, ..DmaUnmap::default() };
        assert_eq!(memory.unmap(&unknown), Err(Errno::INVAL));
    }

    #[test]
    fn a_file_that_the_client_cut_short_is_a_bus_error_and_not_a_signal() {
        let mut memory = Memory::default();
        let file = file(0x2000);
        memory.map(&map(0, 0x2000), Some(file.try_clone().unwrap())).unwrap();
        ftruncate(&file, 0).unwrap();
        assert_eq!(Memory::read(&Mutex::new(memory), 0x1000, &mut [0; 8]), Err(BusError));
    }
}
