// SPDX-License-Identifier: Apache-2.0
//! The board as a PCI function, from a client that is not ours: memory that it maps without a descriptor, takes away
//! under running jobs, or never mapped at all. `make board-test`.

mod support;

use bytemuck::bytes_of;
use garner_board::interface::registers as register;
use garner_board::interface::ring::completion;
use garner_board::interface::rsa::{Op, descriptor, status};
use garner_vfio_user::Socket;
use garner_vfio_user::message::{
    DmaAccess, DmaMap, DmaUnmap, Header, RegionAccess, Version, command, flags, parse, pci,
};
use std::os::unix::net::UnixStream;
use std::time::Duration;
use support::Simulated;

const BASE: u64 = 0x4000_0000;
const COMPLETIONS: usize = 0x1000;
const OPERANDS: usize = 0x2000;
const RESULTS: usize = 0x3000;
const SIZE: usize = 0x4000;

/// A client whose memory only it can reach: the board has to ask.
struct Guest {
    socket: Socket,
    next_id: u16,
    memory: Vec<u8>,
    asked: usize,
}

impl Guest {
    fn connect(simulated: &Simulated) -> Guest {
        let stream = UnixStream::connect(&simulated.sockets[0]).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut guest = Guest { socket: Socket::new(stream), next_id: 0, memory: vec![0; SIZE], asked: 0 };
        guest.request(command::VERSION, &[bytes_of(&Version { major: 0, minor: 1 }), b"{}\0"]).unwrap();
        guest
    }

    /// Sends a request and serves the board until its answer is there, or its error number.
    fn request(&mut self, command: u16, parts: &[&[u8]]) -> Result<Vec<u8>, u32> {
        let id = self.next_id;
        self.next_id += 1;
        self.socket.send(Header { id, command, ..Header::default() }, parts, &[]).unwrap();
        loop {
            let message = self.socket.receive().expect("the board lives on");
            if message.is_reply() {
                assert_eq!(message.header.id, id);
                let failed = message.header.flags & flags::ERROR != 0;
                return if failed { Err(message.header.error) } else { Ok(message.body) };
            }
            let (access, data): (DmaAccess, _) = parse(&message.body).unwrap();
            let at = (access.address - BASE) as usize..(access.address - BASE + access.count) as usize;
            self.asked += 1;
            if message.header.command == command::DMA_READ {
                let parts: [&[u8]; 2] = [bytes_of(&access), &self.memory[at]];
                self.socket.reply(message.header, &parts).unwrap();
            } else {
                self.memory[at].copy_from_slice(data);
                self.socket.reply(message.header, &[bytes_of(&access)]).unwrap();
            }
        }
    }

    fn map(&mut self) {
        let flags = DmaMap::READ | DmaMap::WRITE;
        let map = DmaMap { argsz: 32, flags, offset: 0, address: BASE, size: SIZE as u64 };
        self.request(command::DMA_MAP, &[bytes_of(&map)]).unwrap();
    }

    fn unmap(&mut self) {
        let unmap = DmaUnmap { argsz: 24, flags: 0, address: BASE, size: SIZE as u64 };
        self.request(command::DMA_UNMAP, &[bytes_of(&unmap)]).unwrap();
    }

    fn read(&mut self, register: usize) -> u32 {
        let access = RegionAccess { offset: register as u64, region: pci::BAR0, count: 4 };
        let answer = self.request(command::REGION_READ, &[bytes_of(&access)]).unwrap();
        u32::from_le_bytes(answer[16..20].try_into().unwrap())
    }

    fn write(&mut self, register: usize, value: u32) {
        let access = RegionAccess { offset: register as u64, region: pci::BAR0, count: 4 };
        self.request(command::REGION_WRITE, &[bytes_of(&access), &value.to_le_bytes()]).unwrap();
    }

    /// Fresh rings of 16 places, enabled.
    fn start(&mut self) {
        self.request(command::RESET, &[]).unwrap();
        let command_register = RegionAccess { offset: 4, region: pci::CONFIG, count: 1 };
        self.request(command::REGION_WRITE, &[bytes_of(&command_register), &[6]]).unwrap(); // memory, bus master
        self.memory.fill(0);
        for (offset, value) in [
            (register::SUBMISSION_BASE_LOW, BASE as u32),
            (register::SUBMISSION_SIZE, 4),
            (register::COMPLETION_BASE_LOW, BASE as u32 + COMPLETIONS as u32),
            (register::COMPLETION_SIZE, 4),
            (register::CONTROL, register::CONTROL_ENABLE),
        ] {
            self.write(offset, value);
        }
        // A modulus of 512 bits: ones but for the second lowest.
        self.memory[OPERANDS..OPERANDS + 64].fill(0xFF);
        self.memory[OPERANDS] = 0xFD;
    }

    /// A job of slot 0: lengths in bits of modulus and exponent, length and address of the operands.
    fn put(&mut self, index: usize, op: Op, [bits, exponent_bits]: [u64; 2], operands: (u64, u64), result_bytes: u64) {
        let ((operand_bytes, address), result) = (operands, BASE + RESULTS as u64);
        let mut words = [0; descriptor::BYTES / 4];
        for (field, value) in [
            (descriptor::OP, op as u64),
            (descriptor::TAG, index as u64),
            (descriptor::BITS, bits),
            (descriptor::EXPONENT_BITS, exponent_bits),
            (descriptor::OPERAND_BYTES, operand_bytes),
            (descriptor::RESULT_BYTES, result_bytes),
            (descriptor::OPERAND_ADDRESS, address),
            (descriptor::RESULT_ADDRESS, result),
        ] {
            field.put(&mut words, value);
        }
        let record = words.map(u32::to_le_bytes).concat();
        self.memory[descriptor::BYTES * index..][..record.len()].copy_from_slice(&record);
    }

    fn load(&mut self, index: usize, address: u64) {
        self.put(index, Op::LoadModulus, [512, 0], (64, address), 0);
    }

    /// The status of each job, by its tag: they end in any order.
    fn wait_for_completions(&mut self, count: u32) -> Vec<u8> {
        while self.read(register::COMPLETION_TAIL) != count {}
        let mut status = vec![0xFF; count as usize];
        for record in self.memory[COMPLETIONS..].chunks(completion::BYTES).take(count as usize) {
            let words: Vec<u32> =
                record.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
            // A descriptor that could not be read has no tag; here all can be.
            status[completion::TAG.get(&words) as usize] = completion::STATUS.get(&words) as u8;
        }
        status
    }
}

#[test]
#[ignore = "needs a model: make board-test"]
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
    assert_eq!(guest.wait_for_completions(5), [status::OK, fault, fault, fault, status::OK]);
    assert!(guest.asked >= 12, "{} requests", guest.asked);
    drop(guest);
    assert_eq!(simulated.statistics(1)[0]["jobs"], 5);
}

#[test]
#[ignore = "needs a model: make board-test"]
fn memory_taken_away_under_a_running_job_is_an_error_bit_and_the_board_lives_on() {
    let simulated = Simulated::start(&[]);
    let mut guest = Guest::connect(&simulated);
    guest.map();
    for _ in 0..2 {
        guest.start();
        guest.load(0, BASE + OPERANDS as u64);
        guest.write(register::SUBMISSION_TAIL, 1);
        assert_eq!(guest.wait_for_completions(1), [status::OK]);
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
    assert_eq!(guest.wait_for_completions(1), [status::OK], "the board serves on");
}
