// SPDX-License-Identifier: Apache-2.0
//! A board in this process, whose ciphers are libcrypto's and whose faults a test asks for.

use super::*;
use crate::format::{COMPLETION, Completion, DESCRIPTOR};
use crate::interface::aes::{descriptor, status};
use crate::interface::board::{self, PAGE_BYTES};
use crate::interface::{registers as register, unmasked};
use crate::memory::DmaMemory;
use crate::ring::{ADDRESS, DEPTH};
use openssl::symm::{Cipher, Crypter};
use rustix::io::{pread, pwrite};
use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::Mutex;
use std::sync::atomic::AtomicUsize;
use std::time::Duration;

/// What is wrong with a board.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A fragment is refused, counted from 1 over both engines.
    Refuse(usize),
    /// Its descriptor cannot be read: nothing is known of it.
    Unread(usize),
    /// Its completion is of another.
    WrongIndex(usize),
    /// It is never completed.
    Silent(usize),
    /// Its completion cannot be written.
    Lost(usize),
    /// There is RSA alone.
    NoEngines,
    /// Both engines encrypt.
    OneWay,
}

#[derive(Default)]
pub struct Seen {
    pub fault: Mutex<Option<Fault>>,
    pub accesses: AtomicUsize,
    pub resets: AtomicUsize,
    /// What is in the slots of the engine that encrypts.
    pub keys: Mutex<HashMap<u64, Vec<u8>>>,
}

#[derive(Default)]
struct Page {
    taken: u16,
    given: usize,
    lost: bool,
    keys: HashMap<u64, Vec<u8>>,
    chains: HashMap<u64, [u8; IV]>,
}

pub struct Fake {
    seen: Arc<Seen>,
    memory: Option<OwnedFd>,
    pages: [Page; 2],
    fragments: usize,
    /// Of the keys that each engine is built for.
    pub key_bytes: [usize; 2],
}

impl Fake {
    pub fn new(fault: Option<Fault>) -> (Box<Fake>, Arc<Seen>) {
        let seen = Arc::new(Seen { fault: Mutex::new(fault), ..Seen::default() });
        let fake = Fake {
            seen: Arc::clone(&seen),
            memory: None,
            pages: Default::default(),
            fragments: 0,
            key_bytes: [KEY; 2],
        };
        (Box::new(fake), seen)
    }

    fn read_memory(&self, address: u64, bytes: usize) -> Vec<u8> {
        let mut data = vec![0; bytes];
        pread(self.memory.as_ref().unwrap(), &mut data, address - ADDRESS).unwrap();
        data
    }

    fn write_memory(&self, address: u64, data: &[u8]) {
        pwrite(self.memory.as_ref().unwrap(), data, address - ADDRESS).unwrap();
    }

    /// The status of a descriptor that was carried out.
    fn carry_out(&mut self, number: usize, words: &[u32]) -> u8 {
        let [slot, length, source, destination, channel] = [
            descriptor::SLOT,
            descriptor::LENGTH,
            descriptor::SOURCE_ADDRESS,
            descriptor::DESTINATION_ADDRESS,
            descriptor::MESSAGE,
        ]
        .map(|field| field.get(words));
        let mut data = self.read_memory(source, length as usize);
        let page = &mut self.pages[number];
        if descriptor::LOAD_KEY.get(words) == 1 {
            let bytes = self.key_bytes[number];
            if data.len() != bytes.next_multiple_of(IV) {
                return status::BAD_LENGTH;
            }
            data.truncate(bytes);
            page.keys.insert(slot, data);
            if number == 0 {
                self.seen.keys.lock().unwrap().clone_from(&page.keys);
            }
            return status::OK;
        }
        if descriptor::FIRST.get(words) == 1 {
            let halves = [descriptor::IV_LOW, descriptor::IV_HIGH].map(|field| field.get(words).to_le_bytes());
            page.chains.insert(channel, halves.concat().try_into().unwrap());
        }
        self.fragments += 1;
        let fault = *self.seen.fault.lock().unwrap();
        let chain = page.chains.remove(&channel);
        let (Some(iv), false) = (chain, fault == Some(Fault::Refuse(self.fragments))) else {
            return if chain.is_some() { status::BUS_FAULT } else { status::BROKEN_CHAIN };
        };
        let mode = [Mode::Encrypt, Mode::Decrypt][number];
        let result = libcrypto(mode, &page.keys[&slot], &iv, &data);
        let ciphertext = if number == 0 { &result } else { &data };
        if descriptor::LAST.get(words) == 0 {
            page.chains.insert(channel, ciphertext[ciphertext.len() - IV..].try_into().unwrap());
        }
        self.write_memory(destination, &result);
        status::OK
    }

    fn ring(&mut self, number: usize, tail: u16) {
        let at = ADDRESS + (number * engine::ENGINE_BYTES) as u64;
        while self.pages[number].taken != tail {
            let index = self.pages[number].taken;
            let place = usize::from(index) % DEPTH * DESCRIPTOR;
            self.pages[number].taken = index.wrapping_add(1);
            let record: [u8; DESCRIPTOR] = self.read_memory(at + place as u64, DESCRIPTOR).try_into().unwrap();
            let words = bytemuck::cast::<_, [u32; DESCRIPTOR / 4]>(record).map(u32::from_le);
            let fault = *self.seen.fault.lock().unwrap();
            let status = if fault == Some(Fault::Unread(self.fragments + 1)) {
                self.fragments += 1;
                status::BUS_FAULT
            } else {
                self.carry_out(number, &words)
            };
            let given = self.pages[number].given;
            if fault == Some(Fault::Silent(self.fragments)) {
                continue;
            }
            self.pages[number].given += 1;
            if fault == Some(Fault::Lost(self.fragments)) {
                self.pages[number].lost = true;
                continue;
            }
            let index = index + u16::from(fault == Some(Fault::WrongIndex(self.fragments)));
            let place = DEPTH * DESCRIPTOR + given % DEPTH * COMPLETION;
            let completion = Completion { index, status, cycles: 11 };
            self.write_memory(at + place as u64, &completion.to_bytes((given / DEPTH).is_multiple_of(2)));
        }
    }
}

impl Transport for Fake {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        if offset >= PAGE_BYTES && *self.seen.fault.lock().unwrap() == Some(Fault::NoEngines) {
            return Err(io::Error::from_raw_os_error(22));
        }
        let lost = offset >= PAGE_BYTES && self.pages[offset / PAGE_BYTES - 1].lost;
        Ok(match offset % PAGE_BYTES {
            register::ERROR if lost => register::ERROR_COMPLETION_FAULT,
            register::ID => register::ID_VALUE_CONSTANT,
            register::VERSION => unmasked(register::VERSION_MAJOR_CONSTANT, register::VERSION_MAJOR),
            register::CAPABILITY_CORES => {
                unmasked(3, register::CAPABILITY_CORES_CORES) | unmasked(4, register::CAPABILITY_CORES_KEY_SLOTS)
            }
            register::CAPABILITY_MONTGOMERY => {
                let decrypts = offset >= board::AES_DECRYPTION.offset;
                let one_way = *self.seen.fault.lock().unwrap() == Some(Fault::OneWay);
                let words = (self.key_bytes[usize::from(decrypts)] / 4 - 4) as u32;
                unmasked(u32::from(decrypts && !one_way), register::CAPABILITY_MONTGOMERY_R_STEP)
                    | unmasked(words, register::CAPABILITY_MONTGOMERY_OPERAND_WORDS)
            }
            _ => 0,
        })
    }

    fn write(&mut self, offset: usize, value: u32) -> io::Result<()> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        if offset % PAGE_BYTES == register::SUBMISSION_TAIL {
            let number = [board::AES_ENCRYPTION, board::AES_DECRYPTION]
                .iter()
                .position(|engine| engine.offset == offset - offset % PAGE_BYTES)
                .expect("the page of an engine");
            self.ring(number, value as u16);
        }
        Ok(())
    }

    fn map(&mut self, memory: &DmaMemory) -> io::Result<()> {
        self.memory = Some(memory.file().try_clone_to_owned()?);
        Ok(())
    }

    fn unmap(&mut self, _: &DmaMemory) -> io::Result<()> {
        self.memory = None;
        Ok(())
    }

    fn interrupt(&mut self, _: BorrowedFd<'_>) -> io::Result<()> {
        unreachable!("completions are polled for")
    }

    fn reset(&mut self) -> io::Result<()> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        self.seen.resets.fetch_add(1, Ordering::SeqCst);
        self.pages = Default::default();
        Ok(())
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(50)
    }
}

pub fn libcrypto(mode: Mode, key: &[u8], iv: &[u8; IV], text: &[u8]) -> Vec<u8> {
    let cipher = match key.len() {
        16 => Cipher::aes_128_cbc(),
        24 => Cipher::aes_192_cbc(),
        _ => Cipher::aes_256_cbc(),
    };
    let mut crypter = Crypter::new(cipher, mode, key, Some(iv)).unwrap();
    crypter.pad(false);
    let mut result = vec![0; text.len() + IV];
    let done = crypter.update(text, &mut result).unwrap();
    result.truncate(done);
    result
}
