// SPDX-License-Identifier: Apache-2.0
//! Signatures made through the library over simulated boards, each verified by OpenSSL.

use super::Key;
use garner::arithmetic;
use garner::device::{Cpu, Device};
use garner::gather::{Config, Gatherer};
use garner::padding::Hash;
use garner::signature;
use garner_device_board::Board;
use openssl::hash::MessageDigest;
use openssl::sign::Verifier;
use std::sync::Arc;

/// Over these boards, and the CPU for what they cannot take.
pub fn gatherer(boards: &[&Arc<Board>]) -> Gatherer {
    let host = arithmetic::best().unwrap();
    let boards = boards.iter().map(|&board| Arc::clone(board) as Arc<dyn Device>).collect();
    let mut config = Config::with(Arc::clone(&host), boards);
    config.fallback.push(Arc::new(Cpu::new(host)));
    config.slots = 2;
    Gatherer::new(config)
}

/// Jobs that a board has done.
pub fn jobs(board: &Board) -> u64 {
    board.counters(false).unwrap().jobs
}

/// Signs with every key from some threads; OpenSSL verifies each signature.
pub fn sign_all(gatherer: &Gatherer, keys: &[Key], each: usize) {
    std::thread::scope(|scope| {
        for key in keys {
            for caller in 0..each {
                scope.spawn(move || {
                    let message = format!("message {caller}");
                    let signature = signature::sign(gatherer, &key.key, Hash::Sha256, message.as_bytes()).unwrap();
                    let mut verifier = Verifier::new(MessageDigest::sha256(), &key.public).unwrap();
                    verifier.update(message.as_bytes()).unwrap();
                    assert!(verifier.verify(&signature).unwrap(), "a wrong signature was released");
                });
            }
        }
    });
}
