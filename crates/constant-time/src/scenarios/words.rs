// SPDX-License-Identifier: Apache-2.0
//! `garner::words`, function by function. References are computed before the operands become secret.

use super::reference::{big, low};
use super::{Scenario, Words, clean};
use crate::valgrind::{depends_on_secret, public, reveal, secret};
use garner::words;
use openssl::bn::BigNum;
use std::cmp::Ordering;

/// 2048 bits, and one word that leaves the last bytes of a number unaligned.
const LENGTHS: [usize; 3] = [1, 5, 32];

pub fn all() -> Vec<Scenario> {
    vec![
        clean("words: less", less),
        clean("words: equal", equal),
        clean("words: add_assign", add_assign),
        clean("words: sub_assign", sub_assign),
        clean("words: add_masked", add_masked),
        clean("words: multiply_add", multiply_add),
        clean("words: from_be_bytes, to_be_bytes", bytes),
        clean("words: bit_length", length),
    ]
}

/// Pairs that differ in the first, the last or no word, and unrelated ones.
fn pairs() -> Vec<(Vec<u64>, Vec<u64>)> {
    let mut random = Words(2);
    LENGTHS
        .iter()
        .flat_map(|&len| {
            let a = random.take(len);
            let (mut first, mut last) = (a.clone(), a.clone());
            first[0] ^= 1;
            last[len - 1] ^= 1 << 63;
            [(a.clone(), a.clone()), (a.clone(), first), (last, a.clone()), (a, random.take(len))]
        })
        .collect()
}

/// Runs `operation` on secret pairs and compares the released verdict with `expected` of their order.
fn compare(operation: fn(&[u64], &[u64]) -> subtle::Choice, expected: fn(Ordering) -> bool) {
    for (mut a, mut b) in pairs() {
        let order = a.iter().rev().cmp(b.iter().rev());
        secret(&mut a);
        secret(&mut b);
        let mut verdict = [operation(&a, &b).unwrap_u8()];
        reveal(&mut verdict);
        assert_eq!(verdict[0] == 1, expected(order));
    }
}

fn less() {
    compare(words::less, Ordering::is_lt);
}

fn equal() {
    compare(words::equal, Ordering::is_eq);
}

fn add_assign() {
    for (mut a, mut b) in pairs() {
        let sum = &big(&a) + &big(&b);
        secret(&mut a);
        secret(&mut b);
        let mut carry = [words::add_assign(&mut a, &b)];
        reveal(&mut a);
        reveal(&mut carry);
        assert_eq!(a, low(&sum, a.len()));
        assert_eq!(carry[0], u64::from(sum.num_bits() > 64 * a.len() as i32));
    }
}

fn sub_assign() {
    for (mut a, mut b) in pairs() {
        let negative = big(&a) < big(&b);
        let mut modulus = BigNum::new().expect("memory for a number");
        modulus.set_bit(64 * a.len() as i32).expect("memory for a number");
        let difference = &(&big(&a) + &modulus) - &big(&b);
        secret(&mut a);
        secret(&mut b);
        let mut borrow = [words::sub_assign(&mut a, &b)];
        reveal(&mut a);
        reveal(&mut borrow);
        assert_eq!(a, low(&difference, a.len()));
        assert_eq!(borrow[0], u64::from(negative));
    }
}

fn add_masked() {
    for mask in [0, u64::MAX] {
        for (mut a, mut b) in pairs() {
            let sum = if mask == 0 { big(&a) } else { &big(&a) + &big(&b) };
            let mut mask = [mask];
            secret(&mut a);
            secret(&mut b);
            secret(&mut mask);
            words::add_masked(&mut a, &b, mask[0]);
            reveal(&mut a);
            assert_eq!(a, low(&sum, a.len()));
        }
    }
}

fn multiply_add() {
    for (mut a, mut b) in pairs() {
        let mut to = Words(4).take(a.len());
        let expected = &(&big(&a) * &big(&b)) + &big(&to);
        to.resize(2 * a.len(), 0);
        secret(&mut a);
        secret(&mut b);
        secret(&mut to);
        words::multiply_add(&mut to, &a, &b);
        reveal(&mut to);
        assert_eq!(to, low(&expected, to.len()));
    }
}

fn bytes() {
    for len in LENGTHS {
        let mut number = Words(3).take(len);
        let mut bytes = vec![0u8; 8 * len - 3];
        let expected = big(&number).to_vec_padded(8 * len as i32).expect("it fits")[3..].to_vec();
        secret(&mut number);
        words::to_be_bytes(&number, &mut bytes);
        assert!(depends_on_secret(&bytes));
        let mut back = vec![0; len];
        assert!(words::from_be_bytes(&bytes, &mut back).is_some());
        reveal(&mut bytes);
        assert_eq!(bytes, expected);
        reveal(&mut back);
        public(&mut number);
        assert_eq!(back[..len - 1], number[..len - 1]);
        assert_eq!(back[len - 1], number[len - 1] & (u64::MAX >> 24));
    }
}

fn length() {
    for bits in [1, 63, 64, 65, 130, 2048] {
        let mut number = Words(20).odd(bits);
        number.push(0);
        secret(&mut number);
        let mut length = [words::bit_length(&number)];
        reveal(&mut length);
        assert_eq!(length[0], bits);
    }
}
