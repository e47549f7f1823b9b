// SPDX-License-Identifier: Apache-2.0
//! Both engines over a board in this process, whose ciphers are libcrypto's and whose faults a test asks for. The real
//! engines are in hw/board/tests/aes_direct.rs.

mod fake;

use super::plan::FRAGMENT;
use super::*;
use crate::child::in_child;
use fake::{Fake, Fault, libcrypto};
use openssl::symm::Mode;
use std::sync::Arc;
use std::sync::atomic::Ordering;

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
fn a_fragment_that_is_refused_or_not_read_fails_its_message_alone_and_leaves_none_of_it() {
    // The fifth fragment is the second or third of the long message: fragments of others come between.
    for fault in [Fault::Refuse(5), Fault::Unread(5)] {
        let (fake, seen) = Fake::new(None);
        let mut aes = Aes::over("fake", fake).unwrap();
        let key = aes.load_key(&KEYS[0]).unwrap();
        let texts = [bytes(16, 1), bytes(4 * FRAGMENT, 2), bytes(32, 3), bytes(48, 4), bytes(64, 5)];
        *seen.fault.lock().unwrap() = Some(fault);
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
}

#[test]
fn a_board_that_lies_or_is_silent_is_reset_and_out_of_use_and_no_result_is_left() {
    for (fault, why) in [
        (Fault::WrongIndex(2), "was not under way"),
        (Fault::Silent(2), "did not answer"),
        (Fault::Lost(1), "could not write a completion"),
    ] {
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
    // Dropped in the child, too; the parent goes on with it.
    let mut aes = Some(aes);
    assert!(in_child(|| {
        let accesses = seen.accesses.load(Ordering::SeqCst);
        let mut aes = aes.take().unwrap();
        let refused = convert(&mut aes, &[key], Mode::Encrypt, &text).2.is_err()
            && aes.load_key(&KEYS[0]).is_err()
            && aes.counters(false).is_err();
        drop(aes);
        refused && seen.accesses.load(Ordering::SeqCst) == accesses
    }));
    let mut aes = aes.unwrap();
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
