// SPDX-License-Identifier: Apache-2.0
//! PCI Express configuration space: one function, registers behind the first base address, MSI-X table behind the
//! third, function-level reset.

use crate::interface::board::{PCI_DEVICE, PCI_VENDOR};

/// The page of the MSI-X table and its pending bits.
pub const BAR2_SIZE: u64 = 4096;
/// Bytes of configuration space. There are no extended capabilities.
pub const SIZE: usize = 4096;

const COMMAND: usize = 0x04;
const BUS_MASTER: u8 = 4;
const MSIX: usize = 0x40;
const PENDING: u32 = 0x800;
const EXPRESS: usize = 0x60;
/// The high byte of the device control register; its top bit starts a function-level reset and reads as 0.
const DEVICE_CONTROL_HIGH: usize = EXPRESS + 9;
const RESET: u8 = 0x80;

/// The registers of configuration space, with the bits that can be written.
pub struct ConfigSpace {
    bytes: [u8; SIZE],
    writable: [u8; SIZE],
}

/// What a write asks for beyond its being stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub enum Effect {
    /// Nothing.
    None,
    /// A function-level reset.
    Reset,
}

impl ConfigSpace {
    /// As after reset, of a function with so many vectors and bytes of registers.
    pub fn new(vectors: usize, registers: u64) -> ConfigSpace {
        let mut space = ConfigSpace { bytes: [0; SIZE], writable: [0; SIZE] };
        space.put(0x00, &PCI_VENDOR.to_le_bytes(), &[0; 2]);
        space.put(0x02, &PCI_DEVICE.to_le_bytes(), &[0; 2]);
        space.put(COMMAND, &[0; 2], &[0x46, 0x05]); // memory, bus master, parity; SERR, interrupt disable
        space.put(0x06, &[0x10, 0], &[0; 2]); // has capabilities
        space.put(0x08, &[1, 0, 0x80, 0x10], &[0; 4]); // revision; encryption controller, other
        space.put(0x0C, &[0], &[0xFF]);
        for (bar, size) in [(0x10, registers), (0x18, BAR2_SIZE)] {
            space.put(bar, &[0; 4], &(!(size as u32 - 1)).to_le_bytes());
        }
        space.put(0x2C, &PCI_VENDOR.to_le_bytes(), &[0; 2]);
        space.put(0x2E, &PCI_DEVICE.to_le_bytes(), &[0; 2]);
        space.put(0x34, &[MSIX as u8], &[0]);
        space.put(0x3C, &[0], &[0xFF]);
        space.put(MSIX, &[0x11, EXPRESS as u8], &[0; 2]);
        space.put(MSIX + 2, &(vectors as u16 - 1).to_le_bytes(), &[0, 0xC0]); // enable, mask all
        space.put(MSIX + 4, &2u32.to_le_bytes(), &[0; 4]); // the table: third base address, offset 0
        space.put(MSIX + 8, &(2 | PENDING).to_le_bytes(), &[0; 4]);
        space.put(EXPRESS, &[0x10, 0, 2, 0], &[0; 4]); // the last; version 2, endpoint
        space.put(EXPRESS + 4, &0x1000_8001u32.to_le_bytes(), &[0; 4]); // resets, role-based errors, 256 bytes
        space.put(EXPRESS + 8, &0x2810u16.to_le_bytes(), &[0xFF, 0x7F]); // as the standard's default
        space.put(EXPRESS + 12, &0x42u32.to_le_bytes(), &[0; 4]); // four lanes, up to 5 GT/s
        space.put(EXPRESS + 16, &[0, 0, 0x42, 0], &[0xC3, 0, 0, 0]); // which it runs at
        space.put(EXPRESS + 44, &6u32.to_le_bytes(), &[0; 4]); // 2.5 and 5 GT/s
        space.put(EXPRESS + 48, &2u16.to_le_bytes(), &[0xF, 0]);
        space
    }

    fn put(&mut self, at: usize, bytes: &[u8], writable: &[u8]) {
        self.bytes[at..][..bytes.len()].copy_from_slice(bytes);
        self.writable[at..][..writable.len()].copy_from_slice(writable);
    }

    /// Bytes from `offset` on, if there are as many.
    pub fn read(&self, offset: usize, count: usize) -> Option<&[u8]> {
        self.bytes.get(offset..offset.checked_add(count)?)
    }

    /// Writes what is writable; `None` beyond the end.
    pub fn write(&mut self, offset: usize, data: &[u8]) -> Option<Effect> {
        let end = offset.checked_add(data.len())?;
        let bytes = self.bytes.get_mut(offset..end)?;
        for ((byte, &mask), &new) in bytes.iter_mut().zip(&self.writable[offset..end]).zip(data) {
            *byte = *byte & !mask | new & mask;
        }
        let control = DEVICE_CONTROL_HIGH.checked_sub(offset).and_then(|at| data.get(at));
        Some(if control.is_some_and(|byte| byte & RESET != 0) { Effect::Reset } else { Effect::None })
    }

    /// Whether the function may read and write memory.
    pub fn is_bus_master(&self) -> bool {
        self.bytes[COMMAND] & BUS_MASTER != 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_tells_its_size_and_identity_cannot_be_written() {
        let mut space = ConfigSpace::new(3, 4096);
        assert_eq!(space.write(0, &[0xFF; 4]), Some(Effect::None));
        assert_eq!(space.write(0x10, &[0xFF; 4]), Some(Effect::None));
        assert_eq!(space.read(0, 4).unwrap(), [0x34, 0x12, 0x47, 0x4E]);
        assert_eq!(space.read(0x10, 4).unwrap(), 0xFFFF_F000u32.to_le_bytes());
        assert!(space.write(SIZE - 2, &[0; 4]).is_none());
        assert!(space.read(usize::MAX, 4).is_none());
    }

    #[test]
    fn the_capabilities_form_a_list_and_the_express_one_starts_a_reset() {
        let mut space = ConfigSpace::new(3, 4096);
        let (mut at, mut found) = (space.read(0x34, 1).unwrap()[0], Vec::new());
        while at != 0 {
            found.push(space.read(at.into(), 1).unwrap()[0]);
            at = space.read(usize::from(at) + 1, 1).unwrap()[0];
        }
        assert_eq!(found, [0x11, 0x10]);
        assert_eq!(space.write(EXPRESS + 8, &[0x10, 0xA8]), Some(Effect::Reset));
        assert_eq!(space.read(EXPRESS + 8, 2).unwrap(), [0x10, 0x28], "the bit reads as 0");
        assert_eq!(space.write(EXPRESS + 8, &[0x10, 0x28]), Some(Effect::None));
        assert_eq!(space.write(DEVICE_CONTROL_HIGH, &[RESET]), Some(Effect::Reset));
        assert_eq!(space.write(COMMAND, &[6]), Some(Effect::None));
        assert!(space.is_bus_master());
    }
}
