// SPDX-License-Identifier: Apache-2.0
//! Both engines over a board in this process, whose ciphers are libcrypto's and whose faults a test asks for. The real
//! engines are in hw/board/tests/aes_direct.rs.

use super::plan::FRAGMENT;
use super::*;
use crate::format::{COMPLETION, Completion, DESCRIPTOR};
use crate::interface::aes::{descriptor, status};
use crate::interface::board::{self, PAGE_BYTES};
use crate::interface::{registers as register, unmasked};
use crate::memory::DmaMemory;
use crate::ring::{ADDRESS, DEPTH};
use openssl::symm::{Cipher, Crypter, Mode};
use rustix::io::{pread, pwrite};
use std::collections::HashMap;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What is wrong with a board.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// A fragment is refused, counted from 1 over both engines.
    Refuse(usize),
    /// Its completion names another.
    WrongTag(usize),
    /// It is never completed.
    Silent(usize),
    /// There is RSA alone.
    NoEngines,
    /// Both engines encrypt.
    OneWay,
}

#[derive(Default)]
struct Seen {
    fault: Mutex<Option<Fault>>,
    accesses: AtomicUsize,
    resets: AtomicUsize,
    /// What is in the slots of the engine that encrypts.
    keys: Mutex<HashMap<u64, Vec<u8>>>,
}

#[derive(Default)]
struct Page {
    taken: u16,
    given: usize,
    keys: HashMap<u64, Vec<u8>>,
    chains: HashMap<u64, [u8; IV]>,
}

struct Fake {
    seen: Arc<Seen>,
    memory: Option<OwnedFd>,
    pages: [Page; 2],
    fragments: usize,
    /// Of the keys that each engine is built for.
    key_bytes: [usize; 2],
}

impl Fake {
    fn new(fault: Option<Fault>) -> (Box<Fake>, Arc<Seen>) {
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
            let place = usize::from(self.pages[number].taken) % DEPTH * DESCRIPTOR;
            self.pages[number].taken = self.pages[number].taken.wrapping_add(1);
            let record: [u8; DESCRIPTOR] = self.read_memory(at + place as u64, DESCRIPTOR).try_into().unwrap();
            let words = bytemuck::cast::<_, [u32; DESCRIPTOR / 4]>(record).map(u32::from_le);
            let status = self.carry_out(number, &words);
            let fault = *self.seen.fault.lock().unwrap();
            if fault == Some(Fault::Silent(self.fragments)) {
                continue;
            }
            let tag = descriptor::TAG.get(&words) as u16 + u16::from(fault == Some(Fault::WrongTag(self.fragments)));
            let given = self.pages[number].given;
            let place = DEPTH * DESCRIPTOR + given % DEPTH * COMPLETION;
            let completion = Completion { tag, status, cycles: 11 };
            self.write_memory(at + place as u64, &completion.to_bytes((given / DEPTH).is_multiple_of(2)));
            self.pages[number].given += 1;
        }
    }
}

impl Transport for Fake {
    fn read(&mut self, offset: usize) -> io::Result<u32> {
        self.seen.accesses.fetch_add(1, Ordering::SeqCst);
        if offset >= PAGE_BYTES && *self.seen.fault.lock().unwrap() == Some(Fault::NoEngines) {
            return Err(io::Error::from_raw_os_error(22));
        }
        Ok(match offset % PAGE_BYTES {
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

fn libcrypto(mode: Mode, key: &[u8], iv: &[u8; IV], text: &[u8]) -> Vec<u8> {
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

/// Bytes that look random.
fn bytes(count: usize, seed: u64) -> Vec<u8> {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state.to_le_bytes()[0]
    };
    (0..count).map(|_| next()).collect()
}

const KEY: usize = 16;
const KEYS: [[u8; KEY]; 2] = [*b"sixteen byte key", *b"another such key"];

fn iv(number: usize) -> [u8; IV] {
    bytes(IV, number as u64 + 100).try_into().unwrap()
}

/// Converts texts, the keys in turn; the results, and what was said of the batch.
fn convert(aes: &mut Aes, keys: &[Key], mode: Mode, texts: &[Vec<u8>]) -> (Vec<Vec<u8>>, Vec<bool>, Result<()>) {
    let mut results: Vec<Vec<u8>> = texts.iter().map(|text| vec![0xA5; text.len()]).collect();
    let mut messages: Vec<Message<'_>> = texts
        .iter()
        .zip(&mut results)
        .enumerate()
        .map(|(i, (text, result))| Message::new(keys[i % keys.len()], iv(i), text, result).unwrap())
        .collect();
    let said = match mode {
        Mode::Encrypt => aes.encrypt(&mut messages),
        Mode::Decrypt => aes.decrypt(&mut messages),
    };
    let done = messages.iter().map(Message::is_done).collect();
    drop(messages);
    (results, done, said)
}

#[test]
fn keys_have_the_length_that_the_engines_were_built_for() {
    let text = vec![bytes(FRAGMENT + 16, 3)];
    for length in [16, 24, 32] {
        let (mut fake, seen) = Fake::new(None);
        fake.key_bytes = [length; 2];
        let mut aes = Aes::over("fake", fake).unwrap();
        assert_eq!(aes.key_bytes(), length);
        let secret = bytes(length, 9);
        let key = aes.load_key(&secret).unwrap();
        for mode in [Mode::Encrypt, Mode::Decrypt] {
            let (results, _, said) = convert(&mut aes, &[key], mode, &text);
            said.unwrap();
            assert!(results[0] == libcrypto(mode, &secret, &iv(0), &text[0]), "{length} bytes of key");
        }
        for other in [0, 15, 16, 24, 32, 33].into_iter().filter(|&other| other != length) {
            let said = aes.load_key(&vec![7; other]).unwrap_err().to_string();
            assert!(said.contains(&format!("{other} bytes; this board takes keys of {length}")), "{said}");
        }
        aes.unload_key(key).unwrap();
        assert_eq!(seen.keys.lock().unwrap()[&0], vec![0; length], "the key is overwritten");
    }
}

#[test]
fn engines_with_keys_of_different_or_impossible_lengths_are_refused() {
    for (lengths, reason) in [([16, 32], "keys of 128 and of 256 bits"), ([20, 20], "impossible capabilities")] {
        let (mut fake, _) = Fake::new(None);
        fake.key_bytes = lengths;
        let said = Aes::over("fake", fake).err().unwrap().to_string();
        assert!(said.contains(reason), "{said}");
    }
}

#[test]
fn batches_of_any_depth_and_length_equal_libcrypto_both_ways() {
    let (fake, _) = Fake::new(None);
    let mut aes = Aes::over("fake", fake).unwrap();
    let keys = KEYS.map(|key| aes.load_key(&key).unwrap());
    let long = 3 * FRAGMENT + 48;
    for lengths in
        [vec![16], vec![long], vec![16, FRAGMENT, long, 32, FRAGMENT + 16, 4096, 80, 16], vec![long; 64], vec![]]
    {
        let texts: Vec<Vec<u8>> = lengths.iter().enumerate().map(|(i, &length)| bytes(length, i as u64)).collect();
        for mode in [Mode::Encrypt, Mode::Decrypt] {
            let (results, done, said) = convert(&mut aes, &keys, mode, &texts);
            said.unwrap();
            assert!(done.into_iter().all(|done| done));
            for (i, (text, result)) in texts.iter().zip(results).enumerate() {
                assert!(result == libcrypto(mode, &KEYS[i % 2], &iv(i), text), "message {i} of {} bytes", text.len());
            }
        }
    }
}

#[test]
fn a_fragment_that_is_refused_fails_its_message_alone_and_leaves_none_of_it() {
    let (fake, seen) = Fake::new(None);
    let mut aes = Aes::over("fake", fake).unwrap();
    let key = aes.load_key(&KEYS[0]).unwrap();
    let texts = [bytes(16, 1), bytes(4 * FRAGMENT, 2), bytes(32, 3), bytes(48, 4), bytes(64, 5)];
    // The fifth fragment is the second or third of the long message: fragments of others come between.
    *seen.fault.lock().unwrap() = Some(Fault::Refuse(5));
    let (results, done, said) = convert(&mut aes, &[key], Mode::Encrypt, &texts);
    let said = said.unwrap_err().to_string();
    assert!(said.contains("message 1 of 5: memory could not be read"), "{said}");
    assert_eq!(done, [true, false, true, true, true]);
    assert!(results[1].iter().all(|&byte| byte == 0), "no part of it is released");
    for i in [0, 2, 3, 4] {
        assert_eq!(results[i], libcrypto(Mode::Encrypt, &KEYS[0], &iv(i), &texts[i]));
    }
    *seen.fault.lock().unwrap() = None;
    let (results, _, said) = convert(&mut aes, &[key], Mode::Encrypt, &texts);
    said.unwrap();
    assert_eq!(results[1], libcrypto(Mode::Encrypt, &KEYS[0], &iv(1), &texts[1]), "the engine goes on");
}

#[test]
fn a_board_that_lies_or_is_silent_is_reset_and_out_of_use_and_no_result_is_left() {
    for (fault, why) in [(Fault::WrongTag(2), "was not under way"), (Fault::Silent(2), "did not answer")] {
        let (fake, seen) = Fake::new(Some(fault));
        let mut aes = Aes::over("fake", fake).unwrap();
        let key = aes.load_key(&KEYS[0]).unwrap();
        let resets = seen.resets.load(Ordering::SeqCst);
        let (results, done, said) = convert(&mut aes, &[key], Mode::Decrypt, &[bytes(2 * FRAGMENT, 1)]);
        let said = said.unwrap_err().to_string();
        assert!(said.contains(why) && said.contains("out of use"), "{said}");
        assert_eq!((done, seen.resets.load(Ordering::SeqCst)), (vec![false], resets + 1));
        assert!(results[0].iter().all(|&byte| byte == 0));
        assert!(aes.load_key(&KEYS[1]).unwrap_err().to_string().contains("out of use"));
        let mut memory = vec![1; aes.open.link.memory.len()];
        aes.open.link.memory.read(0, &mut memory);
        assert!(memory.iter().all(|&byte| byte == 0), "keys and texts are overwritten");
    }
}

#[test]
fn keys_have_slots_until_they_are_unloaded_and_one_that_was_is_refused() {
    let (fake, seen) = Fake::new(None);
    let mut aes = Aes::over("fake", fake).unwrap();
    let keys: Vec<Key> = (0..4).map(|_| aes.load_key(&KEYS[0]).unwrap()).collect();
    assert!(aes.load_key(&KEYS[1]).unwrap_err().to_string().contains("all 4 slots"));
    aes.unload_key(keys[2]).unwrap();
    assert_eq!(seen.keys.lock().unwrap()[&2], vec![0; KEY], "the key is overwritten");
    let again = aes.load_key(&KEYS[1]).unwrap();
    assert_eq!(again.slot, keys[2].slot);
    let text = [bytes(16, 1)];
    let (results, _, said) = convert(&mut aes, &keys[2..3], Mode::Encrypt, &text);
    assert!(said.unwrap_err().to_string().contains("not loaded"));
    assert_eq!(results[0], [0xA5; 16], "nothing was done");
    assert!(aes.unload_key(keys[2]).is_err());
    let (results, _, said) = convert(&mut aes, &[again], Mode::Encrypt, &text);
    said.unwrap();
    assert_eq!(results[0], libcrypto(Mode::Encrypt, &KEYS[1], &iv(0), &text[0]));
}

#[test]
fn lengths_that_are_no_whole_blocks_and_boards_without_engines_are_refused() {
    let key = Key { slot: 0, id: 1 };
    for (source, destination, field) in
        [(0, 0, "source"), (15, 15, "source"), (17, 17, "source"), (16, 32, "destination")]
    {
        let refused =
            Message::new(key, [0; IV], &vec![0; source], &mut vec![0; destination]).err().unwrap().to_string();
        assert!(refused.starts_with(field), "{refused}");
    }
    let (fake, _) = Fake::new(Some(Fault::NoEngines));
    assert!(Aes::over("fake", fake).err().unwrap().to_string().starts_with("no AES engine"));
}

#[test]
fn a_child_of_a_fork_gets_errors_and_leaves_the_board_alone() {
    let (fake, seen) = Fake::new(None);
    let mut aes = Aes::over("fake", fake).unwrap();
    let key = aes.load_key(&KEYS[0]).unwrap();
    let text = [bytes(16, 1)];
    // SAFETY: the child makes no use of other threads' locks but the allocator's, which the C library looks after, and ends
    // by `_exit`.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let accesses = seen.accesses.load(Ordering::SeqCst);
        let refused = convert(&mut aes, &[key], Mode::Encrypt, &text).2.is_err()
            && aes.load_key(&KEYS[0]).is_err()
            && aes.counters(false).is_err();
        drop(aes);
        let left_alone = refused && seen.accesses.load(Ordering::SeqCst) == accesses;
        // SAFETY: ends the child without running what is the parent's.
        unsafe { libc::_exit(i32::from(!left_alone)) };
    }
    let mut status = -1;
    // SAFETY: waits for the child made above.
    assert_eq!(unsafe { libc::waitpid(child, &raw mut status, 0) }, child);
    assert_eq!(status, 0);
    assert!(convert(&mut aes, &[key], Mode::Encrypt, &text).2.is_ok());
    let resets = seen.resets.load(Ordering::SeqCst);
    drop(aes);
    assert_eq!(seen.resets.load(Ordering::SeqCst), resets + 1, "the owner leaves a board without keys");
}

#[test]
fn an_engine_that_goes_the_other_way_is_refused() {
    let (fake, _) = Fake::new(Some(Fault::OneWay));
    let error = Aes::over("fake", fake).err().unwrap().to_string();
    assert!(error.contains("the page of aes_decryption belongs to another engine"), "{error}");
}
