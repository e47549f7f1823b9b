// SPDX-License-Identifier: Apache-2.0
//! The transport to a PCIe card: the kernel's VFIO, by group and container. The function must be bound to `vfio-pci`.
//!
//! The crate swallows the errors of region accesses and of a reset, so those are made here, over its descriptor.

use super::interface::board::PAGE_BYTES;
use super::memory::DmaMemory;
use super::transport::{COMMAND, ENABLE, Transport};
use rustix::io::{Errno, pread, pwrite};
use rustix::ioctl::{NoArg, Opcode, ioctl, opcode};
use std::io;
use std::os::fd::{AsRawFd, BorrowedFd, FromRawFd, IntoRawFd};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;
use vfio_ioctls::{VfioContainer, VfioDevice, VfioOps};
use vmm_sys_util::eventfd::EventFd;

const BAR0: u32 = 0;
const CONFIG: u32 = 7;
/// VFIO_DEVICE_RESET of linux/vfio.h.
const DEVICE_RESET: Opcode = opcode::none(b';', 100 + 11);

/// An open card.
pub struct Vfio {
    device: VfioDevice,
    container: Arc<VfioContainer>,
    /// Where in the device's file its registers and its configuration space begin.
    registers: u64,
    config: u64,
    /// What the kernel signals, kept while it does.
    event: Option<EventFd>,
}

fn io_error(error: impl std::fmt::Display) -> io::Error {
    io::Error::other(error.to_string())
}

impl Vfio {
    /// Opens the function at a PCI address as `0000:03:00.0`.
    ///
    /// # Errors
    /// There is none, it is not bound to `vfio-pci`, it is behind no IOMMU, or this process may not use it.
    pub fn open(address: &str) -> io::Result<Vfio> {
        let path = Path::new("/sys/bus/pci/devices").join(address);
        if !path.exists() {
            return Err(io::Error::new(io::ErrorKind::NotFound, "there is no such PCI function"));
        }
        is_ready(&path)?;
        let container = Arc::new(VfioContainer::new(None).map_err(io_error)?);
        let device = VfioDevice::new(&path, Arc::clone(&container) as Arc<dyn VfioOps>, true).map_err(io_error)?;
        if device.get_region_size(BAR0) < PAGE_BYTES as u64 {
            return Err(io_error("no page of registers behind the first base address"));
        }
        let (registers, config) = (device.get_region_offset(BAR0), device.get_region_offset(CONFIG));
        Ok(Vfio { device, container, registers, config, event: None })
    }

    fn file(&self) -> BorrowedFd<'_> {
        // SAFETY: the descriptor is the device's and lives as long as `self`.
        unsafe { BorrowedFd::borrow_raw(self.device.as_raw_fd()) }
    }

    /// Lets the function answer register accesses and start transactions.
    fn enable(&self) -> io::Result<()> {
        let mut command = [0; 2];
        whole(pread(self.file(), &mut command, self.config + COMMAND), 2)?;
        let command = u16::from_le_bytes(command) | ENABLE;
        whole(pwrite(self.file(), &command.to_le_bytes(), self.config + COMMAND), 2)
    }
}

/// Says what is missing, with its remedy, before VFIO says less.
fn is_ready(path: &Path) -> io::Result<()> {
    let name = |link: &str| path.join(link).read_link().ok()?.file_name()?.to_str().map(str::to_owned);
    match name("driver").as_deref() {
        Some("vfio-pci") => {}
        Some(other) => return Err(io_error(format!("its driver is {other}; bind it to vfio-pci"))),
        None => return Err(io_error("it has no driver; bind it to vfio-pci")),
    }
    if name("iommu_group").is_none() {
        return Err(io_error("no IOMMU is in front of it; switch the IOMMU on in firmware and kernel"));
    }
    Ok(())
}

fn whole(moved: rustix::io::Result<usize>, expected: usize) -> io::Result<()> {
    if moved? == expected { Ok(()) } else { Err(io::Error::from(io::ErrorKind::UnexpectedEof)) }
}

impl Transport for Vfio {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        let mut value = [0; 4];
        whole(pread(self.file(), &mut value, self.registers + offset as u64), 4)?;
        Ok(u32::from_le_bytes(value)) // a function that is gone reads as ones
    }

    fn write(&mut self, offset: usize, value: u32) -> io::Result<()> {
        fence(Ordering::SeqCst);
        whole(pwrite(self.file(), &value.to_le_bytes(), self.registers + offset as u64), 4)
    }

    fn map(&mut self, memory: &DmaMemory) -> io::Result<()> {
        // SAFETY: the mapping lives until `unmap` (its owner unmaps before it is dropped), is accessed through raw
        // pointers only, and what the board writes there is never trusted.
        let mapped = unsafe { self.container.vfio_dma_map(memory.address(), memory.len(), memory.pointer()) };
        mapped.map_err(|error| {
            io_error(format!("{} bytes at {:#x} for the board: {error}", memory.len(), memory.address()))
        })
    }

    fn unmap(&mut self, memory: &DmaMemory) -> io::Result<()> {
        self.container.vfio_dma_unmap(memory.address(), memory.len()).map_err(io_error)
    }

    fn interrupt(&mut self, event: BorrowedFd<'_>) -> io::Result<()> {
        let event = event.try_clone_to_owned()?;
        // SAFETY: the descriptor is owned and handed over.
        let event = unsafe { EventFd::from_raw_fd(event.into_raw_fd()) };
        self.device.enable_msix(vec![&event]).map_err(io_error)?;
        self.event = Some(event);
        Ok(())
    }

    fn reset(&mut self) -> io::Result<()> {
        // SAFETY: it is a request of the file's driver, and takes no argument.
        let reset = unsafe { ioctl(self.file(), NoArg::<DEVICE_RESET>::new()) };
        reset.map_err(|error| match error {
            Errno::INVAL | Errno::NOTTY => io_error("it cannot be reset: it has no function-level reset"),
            other => other.into(),
        })?;
        self.enable()
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(2)
    }
}
