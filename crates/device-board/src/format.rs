// SPDX-License-Identifier: Apache-2.0
//! Descriptors and completions as the driver has them; `interface` says where their fields lie.

use super::interface::ring::completion;
use super::interface::rsa::descriptor;
pub use super::interface::rsa::{Op, Scheme, status};

/// Bytes of a descriptor.
pub const DESCRIPTOR: usize = descriptor::BYTES;
/// Bytes of a completion.
pub const COMPLETION: usize = completion::BYTES;

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
    pub operand_bytes: usize,
    pub result_bytes: usize,
    pub operand_address: u64,
    pub result_address: u64,
}

impl Descriptor {
    /// Its 64 bytes.
    pub fn to_bytes(self) -> [u8; DESCRIPTOR] {
        let Job { op, scheme, slot, bits, exponent_bits, interrupt } = self.job;
        let mut words = [0u32; DESCRIPTOR / 4];
        for (field, value) in [
            (descriptor::OP, op as u64),
            (descriptor::SCHEME, scheme as u64),
            (descriptor::SLOT, slot.into()),
            (descriptor::BITS, bits as u64),
            (descriptor::EXPONENT_BITS, exponent_bits as u64),
            (descriptor::OPERAND_BYTES, self.operand_bytes as u64),
            (descriptor::RESULT_BYTES, self.result_bytes as u64),
            (descriptor::OPERAND_ADDRESS, self.operand_address),
            (descriptor::RESULT_ADDRESS, self.result_address),
            (descriptor::RAISE_INTERRUPT, interrupt.into()),
        ] {
            field.put(&mut words, value);
        }
        bytemuck::cast(words.map(u32::to_le))
    }
}

/// An answer in the completion ring.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)]
pub struct Completion {
    /// Of its descriptor. It tells which job has ended; a tag could not: that of a descriptor that was not read is 0.
    pub index: u16,
    pub status: u8,
    /// From the job's being given to a core to its answer.
    pub cycles: u32,
}

impl Completion {
    /// Where in a completion its phase is to be read, before anything else of it.
    pub const PHASE: usize = completion::PHASE.offset();

    /// From its words, `word(offset)` the one at so many bytes.
    pub fn read(word: impl Fn(usize) -> u32) -> Completion {
        let words: [u32; COMPLETION / 4] = std::array::from_fn(|i| word(4 * i));
        Completion {
            index: completion::INDEX.get(&words) as u16,
            status: completion::STATUS.get(&words) as u8,
            cycles: completion::CYCLES.get(&words) as u32,
        }
    }

    /// Whether the word at [`Completion::PHASE`] belongs to the pass through the ring in which index `index` is expected.
    pub fn is_new(word: u32, index: u16, ring: usize) -> bool {
        let mut words = [0; COMPLETION / 4];
        words[completion::PHASE.word] = word;
        (completion::PHASE.get(&words) == 1) == (usize::from(index) / ring).is_multiple_of(2)
    }

    /// What a board writes.
    #[cfg(test)]
    pub fn to_bytes(self, phase: bool) -> [u8; COMPLETION] {
        let mut words = [0; COMPLETION / 4];
        completion::INDEX.put(&mut words, self.index.into());
        completion::STATUS.put(&mut words, self.status.into());
        completion::CYCLES.put(&mut words, self.cycles.into());
        completion::PHASE.put(&mut words, phase.into());
        bytemuck::cast(words.map(u32::to_le))
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
            operand_bytes: 256,
            result_bytes: 128,
            operand_address: 0x1_2345_6780,
            result_address: 0x9_8765_4320,
        }
        .to_bytes();
        let words = bytemuck::cast::<_, [u32; DESCRIPTOR / 4]>(bytes).map(u32::from_le);
        for (field, value) in [
            (descriptor::OP, Op::Private as u64),
            (descriptor::SCHEME, Scheme::SlidingWindow as u64),
            (descriptor::SLOT, 3),
            (descriptor::BITS, 2048),
            (descriptor::EXPONENT_BITS, 0x123),
            (descriptor::OPERAND_BYTES, 256),
            (descriptor::RESULT_BYTES, 128),
            (descriptor::OPERAND_ADDRESS, 0x1_2345_6780),
            (descriptor::RESULT_ADDRESS, 0x9_8765_4320),
            (descriptor::RAISE_INTERRUPT, 1),
        ] {
            assert_eq!(field.get(&words), value, "{field:?}");
        }
        // What boards of version 1 read stays where it is, whatever else is described.
        assert_eq!(words[..5], [0x0335, 0x0123_0800, 256, 128, 0x2345_6780]);
        assert_eq!(words[5..9], [1, 0x8765_4320, 9, 1]);
        assert_eq!(words[9..], [0; 7]);
    }

    #[test]
    fn the_phase_turns_with_every_pass_and_at_the_wrap_of_the_index() {
        let one = 1 << completion::PHASE.low;
        assert!(Completion::is_new(one, 0, 64) && !Completion::is_new(0, 0, 64));
        assert!(Completion::is_new(0, 64, 64) && !Completion::is_new(one, 127, 64));
        assert!(Completion::is_new(0, u16::MAX, 64) && Completion::is_new(one, 128, 64));
    }
}
