//! PCI configuration space: one function, registers behind the first base address, MSI-X table behind the third.

/// The registers' page.
pub const BAR0_SIZE: u64 = 4096;
/// The page of the MSI-X table and its pending bits.
pub const BAR2_SIZE: u64 = 4096;
/// Bytes of configuration space.
pub const SIZE: usize = 256;

/// No identity is assigned to this design; this vendor number is QEMU's own, for experiments.
const VENDOR: u16 = 0x1234;
const DEVICE: u16 = 0x4E47;
const MSIX: usize = 0x40;
const PENDING: u32 = 0x800;

/// The registers of configuration space, with the bits that can be written.
pub struct ConfigSpace {
    bytes: [u8; SIZE],
    writable: [u8; SIZE],
}

impl ConfigSpace {
    /// As after reset.
    pub fn new(vectors: usize) -> ConfigSpace {
        let mut space = ConfigSpace { bytes: [0; SIZE], writable: [0; SIZE] };
        space.put(0x00, &VENDOR.to_le_bytes(), &[0; 2]);
        space.put(0x02, &DEVICE.to_le_bytes(), &[0; 2]);
        space.put(0x04, &[0; 2], &[0x46, 0x05]); // memory, bus master, parity; SERR, interrupt disable
        space.put(0x06, &[0x10, 0], &[0; 2]); // has capabilities
        space.put(0x08, &[1, 0, 0x80, 0x10], &[0; 4]); // revision; encryption controller, other
        space.put(0x0C, &[0], &[0xFF]);
        for (bar, size) in [(0x10, BAR0_SIZE), (0x18, BAR2_SIZE)] {
            space.put(bar, &[0; 4], &(!(size as u32 - 1)).to_le_bytes());
        }
        space.put(0x2C, &VENDOR.to_le_bytes(), &[0; 2]);
        space.put(0x2E, &DEVICE.to_le_bytes(), &[0; 2]);
        space.put(0x34, &[MSIX as u8], &[0]);
        space.put(0x3C, &[0], &[0xFF]);
        space.put(MSIX, &[0x11, 0], &[0; 2]);
        space.put(MSIX + 2, &(vectors as u16 - 1).to_le_bytes(), &[0, 0xC0]); // enable, mask all
        space.put(MSIX + 4, &2u32.to_le_bytes(), &[0; 4]); // the table: third base address, offset 0
        space.put(MSIX + 8, &(2 | PENDING).to_le_bytes(), &[0; 4]);
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
    pub fn write(&mut self, offset: usize, data: &[u8]) -> Option<()> {
        let end = offset.checked_add(data.len())?;
        let bytes = self.bytes.get_mut(offset..end)?;
        for ((byte, &mask), &new) in bytes.iter_mut().zip(&self.writable[offset..end]).zip(data) {
            *byte = *byte & !mask | new & mask;
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_base_address_tells_its_size_and_identity_cannot_be_written() {
        let mut space = ConfigSpace::new(3);
        space.write(0, &[0xFF; 4]).unwrap();
        space.write(0x10, &[0xFF; 4]).unwrap();
        assert_eq!(space.read(0, 4).unwrap(), [0x34, 0x12, 0x47, 0x4E]);
        assert_eq!(space.read(0x10, 4).unwrap(), 0xFFFF_F000u32.to_le_bytes());
        assert!(space.write(SIZE - 2, &[0; 4]).is_none());
        assert!(space.read(usize::MAX, 4).is_none());
    }
}
