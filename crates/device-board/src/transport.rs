// SPDX-License-Identifier: Apache-2.0
//! How the driver reaches a board: one trait, behind which a real PCIe card and a simulated one are the same.

use super::memory::DmaMemory;
use std::io;
use std::os::fd::BorrowedFd;
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
