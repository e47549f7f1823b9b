// SPDX-License-Identifier: Apache-2.0
//! The transport to a simulated board: vfio-user over a UNIX socket.

use super::interface::board::PAGE_BYTES;
use super::memory::DmaMemory;
use super::transport::{COMMAND, ENABLE, Transport};
use garner_vfio_user::message::{Info, pci};
use garner_vfio_user::{Client, Error};
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;

/// The longest wait for any answer of the other process.
const ANSWER_LIMIT: Duration = Duration::from_secs(10);

/// A connection to a board.
pub struct VfioUser(Client);

fn io_error(error: Error) -> io::Error {
    match error {
        Error::Socket(error) => error,
        Error::Refused { errno, .. } => io::Error::from_raw_os_error(errno as i32),
        other => io::Error::other(other),
    }
}

impl VfioUser {
    /// Connects to the socket at `path`.
    ///
    /// # Errors
    /// Nobody listens there, or what does is no PCI function with registers.
    pub fn open(path: &Path) -> io::Result<VfioUser> {
        let mut client = Client::connect(path, ANSWER_LIMIT).map_err(io_error)?;
        let info = client.info().map_err(io_error)?;
        let bar = client.region_info(pci::BAR0).map_err(io_error)?;
        if info.flags & Info::PCI == 0 || bar.size < PAGE_BYTES as u64 {
            return Err(io::Error::other("no PCI function with a page of registers"));
        }
        Ok(VfioUser(client))
    }
}

impl Transport for VfioUser {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        let mut value = [0; 4];
        self.0.region_read(pci::BAR0, offset as u64, &mut value).map_err(io_error)?;
        Ok(u32::from_le_bytes(value))
    }

    fn write(&mut self, offset: usize, value: u32) -> io::Result<()> {
        fence(Ordering::SeqCst);
        self.0.region_write(pci::BAR0, offset as u64, &value.to_le_bytes()).map_err(io_error)
    }

    fn map(&mut self, memory: &DmaMemory) -> io::Result<()> {
        self.0.dma_map(memory.address(), memory.len() as u64, memory.file()).map_err(io_error)
    }

    fn unmap(&mut self, memory: &DmaMemory) -> io::Result<()> {
        self.0.dma_unmap(memory.address(), memory.len() as u64).map_err(io_error)
    }

    fn interrupt(&mut self, event: BorrowedFd<'_>) -> io::Result<()> {
        self.0.set_interrupts(&[event]).map_err(io_error)
    }

    fn reset(&mut self) -> io::Result<()> {
        self.0.reset().map_err(io_error)?;
        self.0.region_write(pci::CONFIG, COMMAND, &ENABLE.to_le_bytes()).map_err(io_error)
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(120)
    }
}
