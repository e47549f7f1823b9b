// SPDX-License-Identifier: Apache-2.0
//! The board as a PCI function, from a client that is not ours: memory that it maps without a descriptor, takes away
//! under running jobs, or never mapped at all. `make test-board`.

mod support;

use garner_board::interface::registers as register;
use garner_board::interface::rsa::{Op, descriptor, status};
use support::Simulated;
use support::guest::{BASE, Guest, SIZE};

const COMPLETIONS: usize = 0x1000;
const OPERANDS: usize = 0x2000;
const RESULTS: usize = 0x3000;

impl Guest {
    /// Fresh rings of RSA, enabled.
    fn start(&mut self) {
        self.reset();
        self.enable(0, 0, COMPLETIONS);
        // A modulus of 512 bits: ones but for the second lowest.
        self.memory[OPERANDS..OPERANDS + 64].fill(0xFF);
        self.memory[OPERANDS] = 0xFD;
    }

    /// A job of slot 0: lengths in bits of modulus and exponent, length and address of the operands.
    fn put(&mut self, index: usize, op: Op, [bits, exponent_bits]: [u64; 2], operands: (u64, u64), result_bytes: u64) {
        let ((operand_bytes, address), result) = (operands, BASE + RESULTS as u64);
        let values = [
            (descriptor::OP, op as u64),
            (descriptor::TAG, index as u64),
            (descriptor::BITS, bits),
            (descriptor::EXPONENT_BITS, exponent_bits),
            (descriptor::OPERAND_BYTES, operand_bytes),
            (descriptor::RESULT_BYTES, result_bytes),
            (descriptor::OPERAND_ADDRESS, address),
            (descriptor::RESULT_ADDRESS, result),
        ];
        self.put_words(0, index, &values);
    }

    fn load(&mut self, index: usize, address: u64) {
        self.put(index, Op::LoadModulus, [512, 0], (64, address), 0);
    }
}

#[test]
#[ignore = "needs a model: make test-board"]
fn memory_without_a_descriptor_is_asked_for_and_none_at_all_is_a_bus_fault_of_that_job() {
    let simulated = Simulated::start(&[]);
    let mut guest = Guest::connect(&simulated);
    guest.map();
    guest.start();
    let operands = BASE + OPERANDS as u64;
    for (i, address) in
        [operands, 0xDEAD_0000, BASE + SIZE as u64 - 32, 0xFFFF_FFFF_FFFF_FFC0, operands].into_iter().enumerate()
    {
        guest.load(i, address & !7);
    }
    guest.write(register::SUBMISSION_TAIL, 5);
    let fault = status::BUS_FAULT;
    assert_eq!(guest.wait_for_completions(0, COMPLETIONS, 5), [status::OK, fault, fault, fault, status::OK]);
    assert!(guest.asked >= 12, "{} requests", guest.asked);
    drop(guest);
    assert_eq!(simulated.statistics(1)[0]["jobs"], 5);
}

#[test]
#[ignore = "needs a model: make test-board"]
fn memory_taken_away_under_a_running_job_is_an_error_bit_and_the_board_lives_on() {
    let simulated = Simulated::start(&[]);
    let mut guest = Guest::connect(&simulated);
    guest.map();
    for _ in 0..2 {
        guest.start();
        guest.load(0, BASE + OPERANDS as u64);
        guest.write(register::SUBMISSION_TAIL, 1);
        assert_eq!(guest.wait_for_completions(0, COMPLETIONS, 1), [status::OK]);
        // base 1 and some exponent of 512 bits, not below 1 but below n: operands from behind the modulus.
        guest.memory[OPERANDS + 64] = 1;
        guest.memory[OPERANDS + 128..OPERANDS + 192].fill(0x5A);
        guest.put(1, Op::Exponentiate, [0, 512], (128, BASE + OPERANDS as u64 + 64), 64);
        guest.write(register::SUBMISSION_TAIL, 2);
        let asked = guest.asked;
        while guest.asked < asked + 2 {
            guest.read(register::CONTROL); // descriptor and operands are read
        }
        guest.unmap();
        while guest.read(register::ERROR) & register::ERROR_COMPLETION_FAULT == 0 {}
        guest.map();
    }
    guest.start();
    guest.load(0, BASE + OPERANDS as u64);
    guest.write(register::SUBMISSION_TAIL, 1);
    assert_eq!(guest.wait_for_completions(0, COMPLETIONS, 1), [status::OK], "the board serves on");
}
