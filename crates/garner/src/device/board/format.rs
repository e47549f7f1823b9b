// SPDX-License-Identifier: Apache-2.0
//! Descriptors and completions, as docs/integration.md lays them out.

/// Bytes of a descriptor.
pub const DESCRIPTOR: usize = 64;
/// Bytes of a completion.
pub const COMPLETION: usize = 16;

/// Operations, as `op_e` of hw/rtl/garner_pkg.sv.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum Op {
    /// In: n.
    LoadModulus = 1,
    /// In: n, e, p, q, dp, dq, qinv.
    LoadKey = 2,
    /// In: a, b. Out: a * b / R mod n.
    Multiply = 3,
    /// In: base, exponent. Out: base^exponent mod n.
    Exponentiate = 4,
    /// In: m. Out: m^d mod n.
    Private = 5,
    /// Overwrites what is in the slot, and what jobs of any key have left in the cores' working memories.
    Zeroise = 6,
}

/// How a board exponentiates, as `scheme_e` there. All but the first take time that depends on the exponent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
#[allow(missing_docs)]
pub enum Scheme {
    /// Constant time: the number of cycles depends on lengths alone.
    FixedWindow = 0,
    LeftToRight = 1,
    RightToLeft = 2,
    SlidingWindow = 3,
}

/// Status codes, as `status_e` there.
pub mod status {
    /// Done.
    pub const OK: u8 = 0;
    /// The board found its own result wrong and released nothing.
    pub const CHECK_FAILED: u8 = 7;

    /// What a code means.
    pub fn text(status: u8) -> &'static str {
        match status {
            OK => "done",
            1 => "unknown operation",
            2 => "no such key slot",
            3 => "nothing is loaded in the key slot",
            4 => "length out of range",
            5 => "the modulus is even or its top bit is not set",
            6 => "operand not below the modulus",
            CHECK_FAILED => "the board's own check failed",
            8 => "memory could not be read or written",
            9 => "bad descriptor",
            _ => "unknown status",
        }
    }
}

/// What a job is to do.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Job {
    pub op: Op,
    pub scheme: Scheme,
    pub slot: u8,
    /// Of the modulus that is loaded.
    pub bits: usize,
    /// Of the exponent of an exponentiation.
    pub exponent_bits: usize,
    /// Whether its completion raises an interrupt.
    pub interrupt: bool,
}

/// A job in the submission ring.
#[derive(Debug, Clone, Copy)]
#[allow(missing_docs)]
pub struct Descriptor {
    pub job: Job,
    pub tag: u16,
    pub operand_bytes: usize,
    pub result_bytes: usize,
    pub operand_address: u64,
    pub result_address: u64,
}

impl Descriptor {
    /// Its 64 bytes.
    pub fn to_bytes(self) -> [u8; DESCRIPTOR] {
        let Job { op, scheme, slot, bits, exponent_bits, interrupt } = self.job;
        let words: [u32; 9] = [
            op as u32 | (scheme as u32) << 4 | u32::from(slot) << 8 | u32::from(self.tag) << 16,
            bits as u32 | (exponent_bits as u32) << 16,
            self.operand_bytes as u32,
            self.result_bytes as u32,
            self.operand_address as u32,
            (self.operand_address >> 32) as u32,
            self.result_address as u32,
            (self.result_address >> 32) as u32,
            interrupt.into(),
        ];
        let mut bytes = [0; DESCRIPTOR];
        for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes
    }
}

/// An answer in the completion ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Completion {
    pub tag: u16,
    pub status: u8,
    /// From the job's being given to a core to its answer.
    pub cycles: u32,
}

impl Completion {
    /// From its first two words.
    pub fn from_words(first: u32, cycles: u32) -> Completion {
        Completion { tag: first as u16, status: (first >> 16) as u8 & 15, cycles }
    }

    /// Whether the last word belongs to the pass through the ring in which index `index` is expected.
    pub fn is_new(last: u32, index: u16, ring: usize) -> bool {
        (last >> 31 == 1) == (usize::from(index) / ring).is_multiple_of(2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_descriptor_has_its_fields_where_the_hardware_reads_them() {
        let job = Job {
            op: Op::Private,
            scheme: Scheme::SlidingWindow,
            slot: 3,
            bits: 2048,
            exponent_bits: 0x123,
            interrupt: true,
        };
        let bytes = Descriptor {
            job,
            tag: 0xBEEF,
            operand_bytes: 256,
            result_bytes: 128,
            operand_address: 0x1_2345_6780,
            result_address: 0x9_8765_4320,
        }
        .to_bytes();
        let word = |i: usize| u32::from_le_bytes(bytes[4 * i..][..4].try_into().unwrap());
        let words: Vec<u32> = (0..16).map(word).collect();
        assert_eq!(words[..5], [0xBEEF_0335, 0x0123_0800, 256, 128, 0x2345_6780]);
        assert_eq!(words[5..9], [1, 0x8765_4320, 9, 1]);
        assert_eq!(words[9..], [0; 7]);
    }

    #[test]
    fn the_phase_turns_with_every_pass_and_at_the_wrap_of_the_index() {
        assert!(Completion::is_new(1 << 31, 0, 64) && !Completion::is_new(0, 0, 64));
        assert!(Completion::is_new(0, 64, 64) && !Completion::is_new(1 << 31, 127, 64));
        assert!(Completion::is_new(0, u16::MAX, 64) && Completion::is_new(1 << 31, 128, 64));
    }
}
