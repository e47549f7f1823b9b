// SPDX-License-Identifier: Apache-2.0
//! What the bases of one batch, and of batches that follow each other, have to do with each other: nothing, whatever inputs
//! an attacker chooses. Related bases are what comparing the power traces of two exponentiations needs (Fouque and
//! Valette 2003 with x and x^2; Yen et al. 2005 with x and -x; Homma et al. 2010 with any powers that agree).

use super::{Watching, key, run_all};
use crate::arithmetic::libcrypto::Libcrypto;
use crate::device::Cpu;
use crate::words;
use openssl::bn::{BigNum, BigNumContext};
use std::collections::HashMap;
use std::sync::Arc;

/// How many bases are held against each other: those of the last several batches.
const WINDOW: usize = 300;

/// Numbers modulo n.
struct Group {
    n: BigNum,
    context: BigNumContext,
}

impl Group {
    fn number(&self, number: &[u64]) -> BigNum {
        let mut bytes = vec![0; 8 * number.len()];
        words::to_be_bytes(number, &mut bytes);
        BigNum::from_slice(&bytes).unwrap()
    }

    fn words(&self, number: &BigNum) -> Vec<u64> {
        let mut to = vec![0; words::words_for(self.n.num_bits() as usize)];
        words::from_be_bytes(&number.to_vec(), &mut to).unwrap();
        to
    }

    fn product(&mut self, a: &BigNum, b: &BigNum) -> BigNum {
        let mut product = BigNum::new().unwrap();
        product.mod_mul(a, b, &self.n, &mut self.context).unwrap();
        product
    }

    fn inverse(&mut self, a: &BigNum) -> BigNum {
        let mut inverse = BigNum::new().unwrap();
        inverse.mod_inverse(a, &self.n, &mut self.context).unwrap();
        inverse
    }

    /// Two or three numbers of which one is, but for the sign, equal to the other, its inverse, its square or cube, or the
    /// product or quotient of the other two.
    fn relation(&mut self, numbers: &[BigNum]) -> Option<String> {
        let mut known = HashMap::from([(vec![1], "1".to_owned())]);
        for (i, x) in numbers.iter().enumerate() {
            for (number, name) in [(x, format!("x{i}")), (&(&self.n - x), format!("-x{i}"))] {
                if let Some(other) = known.insert(number.to_vec(), name.clone()) {
                    return Some(format!("{name} = {other}"));
                }
            }
        }
        for i in 0..numbers.len() {
            for j in 0..=i {
                let product = self.product(&numbers[i], &numbers[j]);
                if let Some(other) = known.get(&product.to_vec()) {
                    return Some(format!("x{i} x{j} = {other}"));
                }
            }
            let square = self.product(&numbers[i], &numbers[i]);
            let cube = self.product(&square, &numbers[i]);
            if let Some(other) = known.get(&cube.to_vec()) {
                return Some(format!("x{i}^3 = {other}"));
            }
        }
        None
    }
}

#[test]
fn relations_are_found_where_there_are_some() {
    let mut group = Group { n: BigNum::from_u32(10_007).unwrap(), context: BigNumContext::new().unwrap() };
    let mut relation = |numbers: &[u32]| {
        let numbers: Vec<BigNum> = numbers.iter().map(|&number| BigNum::from_u32(number).unwrap()).collect();
        group.relation(&numbers)
    };
    assert_eq!(relation(&[2, 3, 5, 7]), None);
    let related: [(&[u32], &str); 8] = [
        (&[5, 3, 5], "x2 = x0"),
        (&[5, 3, 10_002], "x2 = -x0"),
        (&[5, 1], "x1 = 1"),
        (&[5, 25], "x0 x0 = x1"),
        (&[5, 10_007 - 25], "x0 x0 = -x1"),
        (&[5, 3, 125], "x0^3 = x2"),
        (&[5, 3, 15], "x1 x0 = x2"),
        (&[5, 3, 8_005], "x2 x0 = -x1"),
    ];
    for (numbers, found) in related {
        assert_eq!(relation(numbers).as_deref(), Some(found), "{numbers:?}");
    }
}

#[test]
fn no_base_that_a_device_sees_is_a_power_or_product_of_others_whatever_the_inputs() {
    let (rsa, key) = key(512);
    let mut group = Group { n: rsa.n().to_owned().unwrap(), context: BigNumContext::new().unwrap() };
    let device = Watching(Cpu::new(Arc::new(Libcrypto)), Default::default());
    // An input, its square and cube, its inverse, their negatives, and the input again.
    let m = BigNum::from_slice(&[0x5a; 63]).unwrap();
    let (square, inverse) = (group.product(&m, &m), group.inverse(&m));
    let cube = group.product(&square, &m);
    let negative = &group.n - &m;
    let negative_square = &group.n - &square;
    let inputs = [&m, &square, &m, &cube, &negative, &inverse, &negative_square].map(|input| group.words(input));
    let (mut bases, mut factors) = (Vec::new(), Vec::new());
    // Small batches one after the other, as of one caller; large ones; both in turns.
    let sizes = [1, 1, 1, 1, 2, 3, 5, 8, 9, 12, 64, 1, 128, 2, 127, 100, 100].into_iter().chain([1; 60]).chain([8; 30]);
    for (batch, size) in sizes.enumerate() {
        let jobs: Vec<_> = (0..size).map(|i| (&key, inputs[(i + batch) % inputs.len()].clone())).collect();
        assert!(!run_all(&Libcrypto, &device, &jobs).0.unwrap().contains(&true));
        for ((_, input), base) in jobs.iter().zip(device.1.lock().unwrap().drain(..)) {
            let (base, input) = (group.number(&base), group.number(input));
            let inverse = group.inverse(&input);
            // Whatever other inputs might have been: base = input * factor.
            factors.push(group.product(&base, &inverse));
            bases.push(base);
        }
        let first = bases.len().saturating_sub(WINDOW);
        if size < 64 && batch % 10 != 0 {
            continue;
        }
        for numbers in [&bases[first..], &factors[first..]] {
            assert_eq!(group.relation(numbers), None, "after a batch of {size}");
        }
    }
}
