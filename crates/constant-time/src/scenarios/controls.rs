// SPDX-License-Identifier: Apache-2.0
//! Leaks on purpose: a check that does not report these proves nothing.

use super::marking::mark_modulus;
use super::{Expected, Scenario, Words, clean};
use crate::valgrind::{NOWHERE, public, reveal, secret};
use garner::arithmetic::Modulus;
use garner::keygen::{PrivateRandom, Random};
use garner::{secret::released, words};
use std::hint::black_box;

const BRANCH: &str = "Conditional jump or move depends on uninitialised value";
const ADDRESS: &str = "Use of uninitialised value of size 8";

pub fn all() -> Vec<Scenario> {
    let control = |name, expected, run| Scenario { name, expected, run };
    vec![
        control("control: branch on a secret bit", Expected::Report(BRANCH), branch),
        control("control: table indexed by a secret", Expected::Report(ADDRESS), index),
        control("control: comparison that stops at the first difference", Expected::Report(BRANCH), early_exit),
        control("control: length of a secret number", Expected::Report(BRANCH), length),
        control("control: square and multiply, bit by bit", Expected::Report(BRANCH), square_and_multiply),
        control("control: branch on a random number as blinding draws it", Expected::Report(BRANCH), drawn),
        control("control: branch on a modulus's last constant", Expected::Report(BRANCH), constant),
        control("control: branch on a comparison that was not released", Expected::Report(BRANCH), unreleased),
        clean("control: branch on a comparison that was released", released_bit),
        control("control: secrets that go nowhere", Expected::Panic(NOWHERE), nowhere),
    ]
}

fn numbers() -> (Vec<u64>, Vec<u64>) {
    let mut words = Words(1);
    let mut numbers = (words.take(4), words.take(4));
    secret(&mut numbers.0);
    secret(&mut numbers.1);
    numbers
}

fn branch() {
    let (a, _) = numbers();
    if black_box(&a)[0] & 1 == 1 {
        eprintln!("odd");
    }
}

fn index() {
    let (a, _) = numbers();
    let table = black_box([1u64, 2, 3, 4]);
    let mut entry = [table[(a[0] & 3) as usize]];
    public(&mut entry);
    assert!(black_box(entry)[0] > 0);
}

fn early_exit() {
    let (a, b) = numbers();
    black_box(black_box(&a).iter().zip(black_box(&b)).position(|(a, b)| a != b));
}

fn length() {
    let (a, _) = numbers();
    black_box(black_box(&a).iter().rposition(|&word| word != 0));
}

fn square_and_multiply() {
    const MODULUS: u64 = 0xffff_fffb;
    let (exponent, _) = numbers();
    let mut power = 1u64;
    for i in (0..64).rev() {
        power = power * power % MODULUS;
        if exponent[0] >> i & 1 == 1 {
            power = black_box(power * 3 % MODULUS);
        }
    }
    let mut power = [power];
    reveal(&mut power);
}

fn drawn() {
    let mut number = [0; 8];
    PrivateRandom.fill(&mut number).expect("randomness");
    if black_box(&number)[7] & 1 == 1 {
        eprintln!("odd");
    }
}

fn constant() {
    let modulus = Modulus::new(&Words(1).odd(512)).expect("odd");
    mark_modulus(&modulus);
    if black_box(modulus.memory().last()) == Some(&1) {
        eprintln!("one");
    }
}

fn unreleased() {
    let (a, b) = numbers();
    if black_box(bool::from(words::less(&a, &b))) {
        eprintln!("less");
    }
}

fn released_bit() {
    let (mut a, mut b) = numbers();
    let less = released(words::less(&a, &b));
    public(&mut a);
    public(&mut b);
    assert_eq!(less, a.iter().rev().lt(b.iter().rev()));
}

fn nowhere() {
    let (a, _) = numbers();
    black_box(&a);
    reveal(&mut [black_box(7u64)]);
}
