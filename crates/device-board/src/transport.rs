// SPDX-License-Identifier: Apache-2.0
//! How the driver reaches a board: one trait, behind which a real PCIe card and a simulated one are the same.

use super::memory::DmaMemory;
use super::vfio::Vfio;
use super::vfio_user::VfioUser;
use std::io;
use std::os::fd::BorrowedFd;
use std::path::Path;
use std::time::Duration;

/// The command register, in a function's configuration space.
pub const COMMAND: u64 = 4;
/// Its bits for memory, whose accesses the function answers then, and bus master, which lets it start transactions.
pub const ENABLE: u16 = 6;

/// One PCI function with the accelerator's registers behind its first base address.
pub trait Transport: Send {
    /// Reads a register.
    ///
    /// # Errors
    /// The board does not answer, or refuses.
    fn read(&mut self, offset: usize) -> io::Result<u32>;

    /// Writes a register, after everything written to memory before.
    ///
    /// # Errors
    /// As [`Transport::read`].
    fn write(&mut self, offset: usize, value: u32) -> io::Result<()>;

    /// Lets the board read and write `memory`, at its address.
    ///
    /// # Errors
    /// It was refused.
    fn map(&mut self, memory: &DmaMemory) -> io::Result<()>;

    /// Takes `memory` back.
    ///
    /// # Errors
    /// It was refused: the board may still write there.
    fn unmap(&mut self, memory: &DmaMemory) -> io::Result<()>;

    /// The event descriptor that MSI-X vector 0 signals, completions.
    ///
    /// # Errors
    /// It was refused.
    fn interrupt(&mut self, event: BorrowedFd<'_>) -> io::Result<()>;

    /// Resets the board and lets it start transactions. Maps and interrupts stay.
    ///
    /// # Errors
    /// It was refused or not answered.
    fn reset(&mut self) -> io::Result<()>;

    /// Without any answer for so long, the board hangs: a simulated one is a thousand times slower than a real one.
    fn patience(&self) -> Duration;
}

/// Opens `vfio-user:PATH`, or a PCI address as `0000:03:00.0`.
///
/// # Errors
/// The address is neither, or nothing usable is there.
pub fn open(address: &str) -> io::Result<Box<dyn Transport>> {
    if let Some(path) = address.strip_prefix("vfio-user:") {
        return Ok(Box::new(VfioUser::open(Path::new(path))?));
    }
    if is_pci_address(address) {
        return Ok(Box::new(Vfio::open(address)?));
    }
    let reason = format!("{address:?} is neither vfio-user:PATH nor a PCI address as 0000:03:00.0");
    Err(io::Error::new(io::ErrorKind::InvalidInput, reason))
}

fn is_pci_address(text: &str) -> bool {
    let hex = |text: &str, digits: usize| text.len() == digits && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let parts: Vec<&str> = text.split([':', '.']).collect();
    matches!(parts[..], [domain, bus, device, function]
        if hex(domain, 4) && hex(bus, 2) && hex(device, 2) && hex(function, 1))
        && text.len() == 12
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_of_neither_kind_or_of_nothing_is_refused() {
        assert!(is_pci_address("0000:03:00.0") && !is_pci_address("03:00.0") && !is_pci_address("../etc:ab:cd.e"));
        let error = open("pci0").err().unwrap().to_string();
        assert!(error.contains("\"pci0\""), "{error}");
        assert!(open("vfio-user:/nonexistent/board").is_err());
        // Who opens a device says its address.
        assert_eq!(open("ffff:ff:1f.7").err().unwrap().to_string(), "there is no such PCI function");
    }
}
