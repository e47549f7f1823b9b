// SPDX-License-Identifier: Apache-2.0
//! The AES engines of a whole board, beside its RSA: pages of registers, rings and vectors of their own, from a client that
//! knows no more than hw/interface. `make test-board`.

mod support;

use bytemuck::bytes_of;
use garner_board::interface::aes::{descriptor, status};
use garner_board::interface::board::{AES_DECRYPTION, AES_ENCRYPTION, ENGINES, Engine, PAGE_BYTES, VECTORS};
use garner_board::interface::registers as register;
use garner_board::interface::rsa;
use garner_vfio_user::message::{IrqInfo, IrqSet, RegionInfo, command, parse, pci};
use openssl::symm::Mode;
use rustix::event::{EventfdFlags, eventfd};
use std::os::fd::{AsFd, OwnedFd};
use support::guest::{BASE, Guest};
use support::{Simulated, aes_cbc};

const KEY: [u8; 16] = *b"sixteen byte key";
const IV: [u8; 16] = *b"an IV, as it is.";
/// Bytes of the fragments of a message, all of them multiples of 16 and at addresses that are not.
const FRAGMENTS: [usize; 3] = [16, 320, 48];
/// Each engine has so much of the memory: submissions, completions, data.
const SHARE: usize = 0x4000;
const COMPLETIONS: usize = 0x1000;
const DATA: usize = 0x2000;

/// Puts a key and a message into an engine's ring, the message once more into a slot without a key; in place if `in_place`.
fn put(guest: &mut Guest, engine: Engine, text: &[u8], in_place: bool) {
    let share = SHARE * engine.offset / PAGE_BYTES;
    let address = |at: usize| BASE + at as u64;
    guest.memory[share + DATA + 1..][..16].copy_from_slice(&KEY);
    let source = share + DATA + 0x103;
    guest.memory[source..][..text.len()].copy_from_slice(text);
    let load = [
        (descriptor::LOAD_KEY, 1),
        (descriptor::SLOT, 1),
        (descriptor::LENGTH, 16),
        (descriptor::SOURCE_ADDRESS, address(share + DATA + 1)),
    ];
    guest.put_words(share, 0, &load);
    let mut at = 0;
    for (number, &length) in FRAGMENTS.iter().enumerate() {
        let last = number + 1 == FRAGMENTS.len();
        let destination = if in_place { source } else { share + DATA + 0x901 };
        let fragment = [
            (descriptor::FIRST, u64::from(number == 0)),
            (descriptor::LAST, u64::from(last)),
            (descriptor::RAISE_INTERRUPT, u64::from(last)),
            (descriptor::SLOT, 1),
            (descriptor::TAG, number as u64 + 1),
            (descriptor::LENGTH, length as u64),
            (descriptor::SOURCE_ADDRESS, address(source + at)),
            (descriptor::DESTINATION_ADDRESS, address(destination + at)),
            (descriptor::IV_LOW, if number == 0 { u64::from_le_bytes(IV[..8].try_into().unwrap()) } else { 0 }),
            (descriptor::IV_HIGH, if number == 0 { u64::from_le_bytes(IV[8..].try_into().unwrap()) } else { 0 }),
        ];
        guest.put_words(share, number + 1, &fragment);
        at += length;
    }
    let refused = [(descriptor::FIRST, 1), (descriptor::TAG, 4), (descriptor::LENGTH, 16), (descriptor::SLOT, 2)];
    guest.put_words(share, 4, &refused);
}

fn signalled(event: &OwnedFd) -> bool {
    rustix::io::read(event, &mut [0; 8]).is_ok()
}

#[test]
#[ignore = "needs a model: make test-board"]
fn rsa_and_both_aes_engines_work_at_once_each_with_its_page_rings_and_vectors() {
    let simulated = Simulated::start(&[]);
    let mut guest = Guest::connect(&simulated);
    let asked = IrqInfo { index: pci::MSIX, ..IrqInfo::default() };
    let said = guest.request(command::GET_IRQ_INFO, &[bytes_of(&asked)]).unwrap();
    assert_eq!(parse::<IrqInfo>(&said).unwrap().0.count as usize, VECTORS);
    let asked = RegionInfo { index: pci::BAR0, ..RegionInfo::default() };
    let said = guest.request(command::GET_REGION_INFO, &[bytes_of(&asked)]).unwrap();
    assert!(parse::<RegionInfo>(&said).unwrap().0.size as usize >= ENGINES.len() * PAGE_BYTES);

    let events: Vec<OwnedFd> = (0..VECTORS).map(|_| eventfd(0, EventfdFlags::NONBLOCK).unwrap()).collect();
    let files: Vec<_> = events.iter().map(AsFd::as_fd).collect();
    let flags = IrqSet::EVENT | IrqSet::TRIGGER;
    let set = IrqSet { argsz: 20, flags, index: pci::MSIX, start: 0, count: VECTORS as u32 };
    guest.request_with(command::SET_IRQS, &[bytes_of(&set)], &files).unwrap();
    guest.map();
    guest.reset();
    let text: Vec<u8> = (0..FRAGMENTS.iter().sum::<usize>()).map(|i| (i * i % 251) as u8).collect();
    let encrypted = aes_cbc(Mode::Encrypt, &KEY, &IV, &text);
    for engine in ENGINES {
        let share = SHARE * engine.offset / PAGE_BYTES;
        guest.enable(engine.offset, share, share + COMPLETIONS);
        let enabled = register::INTERRUPT_ENABLE_COMPLETION;
        guest.write(engine.offset + register::INTERRUPT_ENABLE, enabled);
    }
    // RSA: a modulus of 512 bits, ones but for the second lowest.
    guest.memory[DATA..DATA + 64].fill(0xFF);
    guest.memory[DATA] = 0xFD;
    let modulus = [
        (rsa::descriptor::OP, rsa::Op::LoadModulus as u64),
        (rsa::descriptor::BITS, 512),
        (rsa::descriptor::OPERAND_BYTES, 64),
        (rsa::descriptor::OPERAND_ADDRESS, BASE + DATA as u64),
    ];
    guest.put_words(0, 0, &modulus);
    put(&mut guest, AES_ENCRYPTION, &text, false);
    put(&mut guest, AES_DECRYPTION, &encrypted, true);
    for engine in ENGINES {
        let count = if engine.offset == 0 { 1 } else { 5 };
        guest.write(engine.offset + register::SUBMISSION_TAIL, count);
    }
    assert_eq!(guest.wait_for_completions(0, COMPLETIONS, 1), [rsa::status::OK]);
    for (engine, at, expected) in [(AES_ENCRYPTION, 0x901, &encrypted), (AES_DECRYPTION, 0x103, &text)] {
        let share = SHARE * engine.offset / PAGE_BYTES;
        let done = guest.wait_for_completions(engine.offset, share + COMPLETIONS, 5);
        assert_eq!(done, [status::OK, status::OK, status::OK, status::OK, status::EMPTY_SLOT], "{}", engine.name);
        assert_eq!(&guest.memory[share + DATA + at..][..expected.len()], expected, "{}", engine.name);
        assert!(signalled(&events[engine.vector]), "the marked fragment of {}", engine.name);
        let (before, behind) = (share + DATA + at - 1, share + DATA + at + expected.len());
        assert_eq!([guest.memory[before], guest.memory[behind]], [0, 0], "not a byte beside it");
    }
    assert!(!signalled(&events[0]), "RSA's job was not marked");
    drop(guest);
    let statistics = &simulated.statistics(1)[0];
    assert_eq!((&statistics["jobs"], &statistics["bus_errors"]), (&1.into(), &0.into()));
    for engine in [AES_ENCRYPTION, AES_DECRYPTION] {
        let of_engine = &statistics[engine.name];
        assert_eq!((&of_engine["jobs"], &of_engine["interrupts"]), (&5.into(), &1.into()), "{statistics}");
    }
}
