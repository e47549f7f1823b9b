// SPDX-License-Identifier: Apache-2.0
//! What crosses to a board: registers, rings, and what travels in them. Generated from hw/interface, but for this file.

#![allow(dead_code)] // all of it is generated, and the driver needs some

pub mod aes;
pub mod board;
pub mod registers;
pub mod ring;
pub mod rsa;

/// Where a value lies in a record of 32-bit words. One of 64 bits has two words, the low one first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Field {
    /// The word, from 0.
    pub word: usize,
    /// Its lowest bit there.
    pub low: u32,
    /// Its bits.
    pub width: u32,
}

impl Field {
    /// The value in a record.
    pub fn get(self, record: &[u32]) -> u64 {
        if self.width == u64::BITS {
            return u64::from(record[self.word]) | u64::from(record[self.word + 1]) << u32::BITS;
        }
        u64::from(record[self.word]) >> self.low & ((1 << self.width) - 1)
    }

    /// Puts a value that fits into a record whose bits there are 0.
    pub fn put(self, record: &mut [u32], value: u64) {
        debug_assert!(self.width == u64::BITS || value >> self.width == 0, "{value:#x} in {self:?}");
        record[self.word] |= (value << self.low) as u32;
        if self.width == u64::BITS {
            record[self.word + 1] |= (value >> u32::BITS) as u32;
        }
    }

    /// Where its word begins in a record, in bytes.
    pub const fn offset(self) -> usize {
        4 * self.word
    }
}

/// The field of a register's value that the mask covers.
pub const fn masked(value: u32, mask: u32) -> u32 {
    (value & mask) >> mask.trailing_zeros()
}

/// A value that fits, where the mask has its field.
pub const fn unmasked(value: u32, mask: u32) -> u32 {
    debug_assert!(value <= masked(mask, mask));
    value << mask.trailing_zeros()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_is_put_where_its_field_lies_and_read_back_without_its_neighbours() {
        let (middle, top, whole) = (
            Field { word: 2, low: 4, width: 8 },
            Field { word: 2, low: 31, width: 1 },
            Field { word: 0, low: 0, width: 64 },
        );
        let mut record = [0; 3];
        middle.put(&mut record, 0xAB);
        top.put(&mut record, 1);
        whole.put(&mut record, 0x0123_4567_89AB_CDEF);
        assert_eq!(record, [0x89AB_CDEF, 0x0123_4567, 0x8000_0AB0]);
        let neighbours = record.map(|word| !word);
        assert_eq!((middle.get(&record), top.get(&record), whole.get(&record)), (0xAB, 1, 0x0123_4567_89AB_CDEF));
        assert_eq!((middle.get(&neighbours), top.get(&neighbours)), (0x54, 0));
        assert_eq!(middle.offset(), 8);
    }

    #[test]
    fn a_field_of_a_register_is_found_by_its_mask_and_put_there() {
        let mask = 0x00FF_0000;
        assert_eq!((masked(0x1234_5678, mask), unmasked(0x34, mask)), (0x34, 0x0034_0000));
        assert_eq!((masked(u32::MAX, u32::MAX), unmasked(u32::MAX, u32::MAX)), (u32::MAX, u32::MAX));
    }
}
