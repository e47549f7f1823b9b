// SPDX-License-Identifier: Apache-2.0
//! A vfio-user client that is not ours, one that maps its memory without a descriptor: the board has to ask.
#![allow(dead_code, reason = "each test file uses a part")]

use super::Simulated;
use bytemuck::bytes_of;
use garner_board::interface::Field;
use garner_board::interface::registers as register;
use garner_board::interface::ring::completion;
use garner_board::interface::rsa::descriptor;
use garner_vfio_user::Socket;
use garner_vfio_user::message::{
    DmaAccess, DmaMap, DmaUnmap, Header, RegionAccess, Version, command, flags, parse, pci,
};
use std::os::fd::BorrowedFd;
use std::os::unix::net::UnixStream;
use std::time::Duration;

/// Where its memory begins for the board, and how much there is.
pub const BASE: u64 = 0x4000_0000;
pub const SIZE: usize = 0x10000;

/// A client whose memory only it can reach: the board has to ask.
pub struct Guest {
    socket: Socket,
    next_id: u16,
    pub memory: Vec<u8>,
    /// Requests of the board for memory.
    pub asked: usize,
}

impl Guest {
    pub fn connect(simulated: &Simulated) -> Guest {
        let stream = UnixStream::connect(&simulated.sockets[0]).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        let mut guest = Guest { socket: Socket::new(stream), next_id: 0, memory: vec![0; SIZE], asked: 0 };
        guest.request(command::VERSION, &[bytes_of(&Version { major: 0, minor: 1 }), b"{}\0"]).unwrap();
        guest
    }

    /// Sends a request and serves the board until its answer is there, or its error number.
    pub fn request(&mut self, command: u16, parts: &[&[u8]]) -> Result<Vec<u8>, u32> {
        self.request_with(command, parts, &[])
    }

    /// The same, with descriptors of files.
    pub fn request_with(&mut self, command: u16, parts: &[&[u8]], files: &[BorrowedFd<'_>]) -> Result<Vec<u8>, u32> {
        let id = self.next_id;
        self.next_id += 1;
        self.socket.send(Header { id, command, ..Header::default() }, parts, files).unwrap();
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

    pub fn map(&mut self) {
        let flags = DmaMap::READ | DmaMap::WRITE;
        let map = DmaMap { argsz: 32, flags, offset: 0, address: BASE, size: SIZE as u64 };
        self.request(command::DMA_MAP, &[bytes_of(&map)]).unwrap();
    }

    pub fn unmap(&mut self) {
        let unmap = DmaUnmap { argsz: 24, flags: 0, address: BASE, size: SIZE as u64 };
        self.request(command::DMA_UNMAP, &[bytes_of(&unmap)]).unwrap();
    }

    pub fn read(&mut self, register: usize) -> u32 {
        let access = RegionAccess { offset: register as u64, region: pci::BAR0, count: 4 };
        let answer = self.request(command::REGION_READ, &[bytes_of(&access)]).unwrap();
        u32::from_le_bytes(answer[16..20].try_into().unwrap())
    }

    pub fn write(&mut self, register: usize, value: u32) {
        let access = RegionAccess { offset: register as u64, region: pci::BAR0, count: 4 };
        self.request(command::REGION_WRITE, &[bytes_of(&access), &value.to_le_bytes()]).unwrap();
    }

    /// Resets the board, clears memory, and lets the board at it.
    pub fn reset(&mut self) {
        self.request(command::RESET, &[]).unwrap();
        let command_register = RegionAccess { offset: 4, region: pci::CONFIG, count: 1 };
        self.request(command::REGION_WRITE, &[bytes_of(&command_register), &[6]]).unwrap(); // memory, bus master
        self.memory.fill(0);
    }

    /// Enables the rings, of 16 places, of the engine whose registers begin at `page`; addresses are within `memory`.
    pub fn enable(&mut self, page: usize, submissions: usize, completions: usize) {
        for (offset, value) in [
            (register::SUBMISSION_BASE_LOW, BASE as u32 + submissions as u32),
            (register::SUBMISSION_SIZE, 4),
            (register::COMPLETION_BASE_LOW, BASE as u32 + completions as u32),
            (register::COMPLETION_SIZE, 4),
            (register::CONTROL, register::CONTROL_ENABLE),
        ] {
            self.write(page + offset, value);
        }
    }

    /// Puts a descriptor into a ring.
    pub fn put_words(&mut self, submissions: usize, index: usize, values: &[(Field, u64)]) {
        let mut words = [0; descriptor::BYTES / 4];
        for &(field, value) in values {
            field.put(&mut words, value);
        }
        let record = words.map(u32::to_le_bytes).concat();
        self.memory[submissions + descriptor::BYTES * index..][..record.len()].copy_from_slice(&record);
    }

    /// Waits for so many completions of an engine; the status of each job, by its tag: they end in any order.
    pub fn wait_for_completions(&mut self, page: usize, completions: usize, count: u32) -> Vec<u8> {
        while self.read(page + register::COMPLETION_TAIL) != count {}
        let mut status = vec![0xFF; count as usize];
        for record in self.memory[completions..].chunks(completion::BYTES).take(count as usize) {
            let words: Vec<u32> =
                record.chunks(4).map(|word| u32::from_le_bytes(word.try_into().expect("four bytes"))).collect();
            // A descriptor that could not be read has no tag; here all can be.
            status[completion::TAG.get(&words) as usize] = completion::STATUS.get(&words) as u8;
        }
        status
    }
}
