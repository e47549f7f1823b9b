// SPDX-License-Identifier: Apache-2.0
//! Calls that leak on purpose, and one that does not: a tracer that cannot tell them apart proves nothing.

use super::{Expected, SECRETS, Traced};
use crate::scenarios::Words;
use crate::trace::Case;
use garner::words;
use std::hint::black_box;

/// Works on two numbers of eight words; the secrets differ in where they first differ.
struct Pair {
    numbers: [([u64; 8], [u64; 8]); SECRETS],
    current: ([u64; 8], [u64; 8]),
    work: fn(&[u64; 8], &[u64; 8]) -> u64,
    answer: u64,
}

impl Pair {
    fn new(work: fn(&[u64; 8], &[u64; 8]) -> u64) -> Pair {
        let mut random = Words(4);
        let numbers = std::array::from_fn(|secret| {
            let a: [u64; 8] = std::array::from_fn(|_| random.next());
            let mut b = a;
            b[secret] = random.next();
            (a, b)
        });
        Pair { numbers, current: numbers[0], work, answer: 0 }
    }
}

impl Case for Pair {
    fn select(&mut self, secret: usize) {
        // The same memory for every secret.
        self.current = self.numbers[secret];
    }

    fn call(&mut self) {
        let (a, b) = &self.current;
        self.answer = (self.work)(black_box(a), black_box(b));
    }

    fn verify(&mut self) -> bool {
        let (a, b) = &self.current;
        self.answer == (self.work)(a, b)
    }
}

pub fn all() -> Vec<Traced> {
    let control =
        |name: &str, expected, work| Traced::new(format!("trace control: {name}"), expected, move || Pair::new(work));
    vec![
        control("comparison in constant time", Expected::Equal, |a, b| words::equal(a, b).unwrap_u8().into()),
        control("comparison that stops at the first difference", Expected::OtherCounters, |a, b| {
            a.iter().zip(b).position(|(a, b)| a != b).map_or(8, |at| at as u64)
        }),
        control("square and multiply, bit by bit", Expected::OtherCounters, |a, _| {
            (0..64).rev().fold(1u64, |power, bit| {
                let square = power.wrapping_mul(power);
                if a[0] >> bit & 1 == 1 { black_box(square.wrapping_mul(3)) } else { square }
            })
        }),
        control("table indexed by a secret", Expected::OtherAddresses, |a, b| black_box(b)[(a[0] & 7) as usize]),
        control("division by a secret", Expected::OtherAddresses, |a, b| black_box(a[0]) / (b[0] | 1)),
        control("square root of a secret", Expected::Unknown, |a, _| (black_box(a[0]) as f64).sqrt() as u64),
    ]
}
