// SPDX-License-Identifier: Apache-2.0
//! Tests of the kernels and of what is built of them; here what these share.
//!
//! | file | what it is about |
//! |---|---|
//! | `twins` | every kernel against its interpreted twin |
//! | `operations` | field operations against libcrypto's numbers |
//! | `carries` | the longest ways of a carry through lanes |
//! | `known_answers` | kernels that compute wrongly, and what does their work |
//! | `counts` | multiply-adds, as many as the contracts say |
//! | `memory` | the workspace: the table, words as limbs, wiping, bounds |
//! | `agreement` | the implementations of [`Arithmetic`] against each other |

#![allow(clippy::needless_range_loop, reason = "a lane's number is the index of several things")]

mod agreement;
mod carries;
mod counts;
mod known_answers;
mod memory;
mod operations;
mod twins;

use super::class::{CLASSES, Class, DOUBLE_PAIRS, DOUBLE_QUADS, DOUBLES, HEADROOM_BITS, PAIRS, QUADS};
use super::field::Field;
use super::kernels::{InterpretedTwoRows, Rows};
use super::workspace::{Layout, Workspace};
use super::*;
use garner_kernels::LIMB_BITS;
use openssl::bn::{BigNum, BigNumContext};

/// The assembly, or a printed reason why a test leaves it out.
fn assembly() -> Option<Assembly> {
    let assembly = Assembly::new();
    if assembly.is_none() {
        println!("the assembly is not tested: this processor has no AVX-512 IFMA");
    }
    assembly
}

/// All that this processor has.
fn available() -> impl Iterator<Item = Assembly> {
    [Assembly::new(), Assembly::avx_ifma_on_avx512(), Assembly::avx_ifma(), Assembly::avx2()].into_iter().flatten()
}

/// xorshift64*, for test data that is the same in every run.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn words(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.word()).collect()
    }

    /// A number of exactly `bits` bits.
    fn number(&mut self, bits: usize) -> Vec<u64> {
        let mut words = self.words(bits.div_ceil(64));
        let top = words.last_mut().unwrap();
        *top = (*top | 1 << 63) >> ((64 - bits % 64) % 64);
        words
    }

    /// An odd number of exactly `bits` bits.
    fn modulus(&mut self, bits: usize) -> Vec<u64> {
        let mut words = self.number(bits);
        words[0] |= 1;
        words
    }
}

fn number(words: &[u64]) -> BigNum {
    let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    BigNum::from_slice(&bytes).unwrap()
}

fn words(number: &BigNum, count: usize) -> Vec<u64> {
    let bytes = number.to_vec_padded(8 * count as i32).unwrap();
    bytes.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap())).collect()
}

/// Moduli for a class: its longest and shortest, all ones, just above a power of two, and random ones.
fn moduli(class: &Class, random: &mut Random) -> Vec<Modulus> {
    let longest = (class.limbs * LIMB_BITS - HEADROOM_BITS).min(Modulus::MAX_BITS);
    let shorter = CLASSES.iter().rev().find(|other| other.limbs < class.limbs);
    let shortest = shorter.map_or(2, |other| other.limbs * LIMB_BITS - HEADROOM_BITS + 1);
    let mut ones = vec![u64::MAX; longest.div_ceil(64)];
    *ones.last_mut().unwrap() >>= (64 - longest % 64) % 64;
    let mut power = vec![0; longest.div_ceil(64)];
    power[0] = 1;
    power[(longest - 1) / 64] |= 1 << ((longest - 1) % 64);
    let mut all = vec![ones, power, random.modulus(shortest)];
    (3..8).for_each(|_| all.push(random.modulus(longest)));
    all.iter().map(|words| Modulus::new(words).unwrap()).collect()
}

/// The classes whose kernels these are, folded ones included.
fn classes_of(kernels: &impl Kernels) -> Vec<&'static Class> {
    match kernels.classes() {
        doubles if std::ptr::eq(doubles, &DOUBLES) => {
            doubles.iter().chain(&DOUBLE_PAIRS).chain(&DOUBLE_QUADS).collect()
        }
        classes => classes.iter().chain(&PAIRS).chain(&QUADS).collect(),
    }
}

fn write(field: &mut Field<'_, impl Kernels>, place: usize, job: usize, value: &BigNum) {
    let (rows, lanes) = (field.rows(), field.limbs() / field.rows());
    for i in 0..field.limbs() {
        let mut limb = BigNum::new().unwrap();
        limb.rshift(value, (i * LIMB_BITS) as i32).unwrap();
        // Fails where the limb is 0 and has no bits to cut off.
        let _ = limb.mask_bits(LIMB_BITS as i32);
        field.number(place)[i % rows][job * lanes + i / rows] = words(&limb, 1)[0];
    }
}

fn read(field: &mut Field<'_, impl Kernels>, place: usize, job: usize) -> BigNum {
    let (rows, lanes) = (field.rows(), field.limbs() / field.rows());
    let mut value = BigNum::new().unwrap();
    for i in (0..field.limbs()).rev() {
        let limb = field.number(place)[i % rows][job * lanes + i / rows];
        assert!(field.is_loose() || limb < 1 << LIMB_BITS, "limbs are carried");
        let limb = limb & ((1 << LIMB_BITS) - 1);
        let mut shifted = BigNum::new().unwrap();
        shifted.lshift(&value, LIMB_BITS as i32).unwrap();
        value.checked_add(&shifted, &number(&[limb])).unwrap();
    }
    value
}

struct Check<'a> {
    moduli: &'a [Modulus],
    context: BigNumContext,
}

impl Check<'_> {
    fn modulus(&self, lane: usize) -> BigNum {
        number(self.moduli[lane].words())
    }

    /// `value · 2^(−bits) mod n`
    fn shifted(&mut self, lane: usize, value: &BigNum, bits: usize) -> BigNum {
        let n = self.modulus(lane);
        let (mut power, mut inverse, mut result) =
            (BigNum::new().unwrap(), BigNum::new().unwrap(), BigNum::new().unwrap());
        power.set_bit(bits as i32).unwrap();
        inverse.mod_inverse(&power, &n, &mut self.context).unwrap();
        result.mod_mul(value, &inverse, &n, &mut self.context).unwrap();
        result
    }

    /// `value` is `wanted` modulo n and below `multiple · n`.
    fn same(&mut self, lane: usize, value: &BigNum, wanted: &BigNum, multiple: u32, what: &str) {
        let n = self.modulus(lane);
        let (mut left, mut right) = (BigNum::new().unwrap(), BigNum::new().unwrap());
        left.nnmod(value, &n, &mut self.context).unwrap();
        right.nnmod(wanted, &n, &mut self.context).unwrap();
        assert_eq!(left, right, "{what}, lane {lane}");
        let mut bound = n;
        bound.mul_word(multiple).unwrap();
        assert!(*value < bound, "{what}, lane {lane}: not below {multiple} n");
    }
}
