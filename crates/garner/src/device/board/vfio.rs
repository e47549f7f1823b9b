//! The transport to a PCIe card: the kernel's VFIO. The function must be bound to `vfio-pci`.

use super::memory::DmaMemory;
use super::transport::Transport;
use std::io;
use std::os::fd::{BorrowedFd, FromRawFd, IntoRawFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{Ordering, fence};
use std::time::Duration;
use vfio_ioctls::{VfioContainer, VfioDevice, VfioOps};
use vmm_sys_util::eventfd::EventFd;

const BAR0: u32 = 0;
const CONFIG: u32 = 7;
/// In the command register: memory and bus master.
const ENABLE: u16 = 6;

/// An open card.
pub struct Vfio {
    device: VfioDevice,
    container: Arc<VfioContainer>,
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
    /// There is none, it is not bound to `vfio-pci`, or this process may not use it.
    pub fn open(address: &str) -> io::Result<Vfio> {
        let path: PathBuf = Path::new("/sys/bus/pci/devices").join(address);
        if !path.exists() {
            return Err(io::Error::new(io::ErrorKind::NotFound, format!("there is no PCI function {address}")));
        }
        let container = Arc::new(VfioContainer::new(None).map_err(io_error)?);
        let device = VfioDevice::new(&path, Arc::clone(&container) as Arc<dyn VfioOps>, true)
            .map_err(|error| io_error(format!("{address}: {error}; is it bound to vfio-pci?")))?;
        if device.get_region_size(BAR0) < 4096 {
            return Err(io_error(format!("{address}: no page of registers behind the first base address")));
        }
        let mut vfio = Vfio { device, container, event: None };
        vfio.enable();
        Ok(vfio)
    }

    fn enable(&mut self) {
        let mut command = [0; 2];
        self.device.region_read(CONFIG, &mut command, 4);
        let command = u16::from_le_bytes(command) | ENABLE;
        self.device.region_write(CONFIG, &command.to_le_bytes(), 4);
    }
}

impl Transport for Vfio {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        // A function that is gone reads as ones, and a read that the kernel refuses leaves the ones here.
        let mut value = [0xFF; 4];
        self.device.region_read(BAR0, &mut value, offset as u64);
        Ok(u32::from_le_bytes(value))
    }

    fn write(&mut self, offset: usize, value: u32) -> io::Result<()> {
        fence(Ordering::SeqCst);
        self.device.region_write(BAR0, &value.to_le_bytes(), offset as u64);
        Ok(())
    }

    fn map(&mut self, memory: &DmaMemory) -> io::Result<()> {
        // SAFETY: the mapping lives until `unmap` (its owner unmaps before it is dropped), is accessed through raw
        // pointers only, and what the board writes there is never trusted.
        unsafe { self.container.vfio_dma_map(memory.address(), memory.len(), memory.pointer()) }.map_err(io_error)
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
        self.device.reset();
        self.enable();
        Ok(())
    }

    fn patience(&self) -> Duration {
        Duration::from_secs(2)
    }
}
