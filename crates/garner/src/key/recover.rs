// SPDX-License-Identifier: Apache-2.0
//! The primes of a key that came as (n, e, d): SP 800-56B rev. 2, appendix C.1 (probabilistic).
//!
//! Called by `components`; the result is validated like any other key. Not constant time: how often it tries, and
//! how many squarings the successful try takes, depend on the primes and on fresh random numbers.

use super::numbers::{Numbers, computed, less_1};
use super::validate::check_public;
use crate::arithmetic::libcrypto::SecretBigNum;
use crate::error::{Error, Result};
use crate::random::before_end;
use openssl::bn::{BigNumContext, BigNumRef};
use std::cmp::Ordering;

/// Each try finds the primes of an honest key with probability 1/2 or more (the number is SP 800-56B's).
const TRIES: usize = 100;

/// All parts of the key (n, e, d), from the primes found.
pub(super) fn primes(n: SecretBigNum, e: SecretBigNum, d: SecretBigNum) -> Result<Numbers> {
    check_public(&n, &e)?;
    if d.num_bits() == 0 {
        return Err(Error::key("privateExponent", "privateExponent is zero"));
    }
    if d.ucmp(&n) != Ordering::Less {
        return Err(Error::key("privateExponent", "privateExponent is not below the modulus"));
    }
    let mut context = computed(BigNumContext::new());
    let context = &mut context;

    // e d - 1 = 2^t r with r odd; a multiple of lcm(p - 1, q - 1), so t > 0.
    let mut product = SecretBigNum::new();
    computed(product.checked_mul(&e, &d, context));
    if product.is_even() {
        return Err(Error::key("privateExponent", "privateExponent is even"));
    }
    let k = less_1(&product);
    let t = (0..k.num_bits()).take_while(|&i| !k.is_bit_set(i)).count();
    let mut r = SecretBigNum::new();
    computed(r.rshift(&k, t as i32));

    let factor = factor(&n, &r, t, context)?;
    let (mut p, mut q) = (factor, SecretBigNum::new());
    computed(q.checked_div(&n, &p, context));
    if p.ucmp(&q) == Ordering::Less {
        std::mem::swap(&mut p, &mut q);
    }
    let (mut dp, mut dq, mut q_inverse) = (SecretBigNum::new(), SecretBigNum::new(), SecretBigNum::new());
    computed(dp.nnmod(&d, &less_1(&p), context));
    computed(dq.nnmod(&d, &less_1(&q), context));
    q_inverse.mod_inverse(&q, &p, context).map_err(|_| not_two_primes())?;
    // A modulus of three primes splits too, into one prime and a composite for which the exponents cannot be right.
    let numbers = Numbers { n, e, d, p, q, dp, dq, q_inverse };
    Ok(numbers)
}

fn not_two_primes() -> Error {
    Error::key("modulus", "modulus is not the product of two primes")
}

/// A proper factor of `n`, given `2^t r`, a multiple of the order of every unit modulo n.
fn factor(n: &BigNumRef, r: &BigNumRef, t: usize, context: &mut BigNumContext) -> Result<SecretBigNum> {
    let n_less_1 = less_1(n);
    for _ in 0..TRIES {
        let mut g = SecretBigNum::new();
        before_end(|| n.rand_range(&mut g)).map_err(|error| Error::Random(error.to_string()))?;
        if g.num_bits() == 0 {
            continue;
        }
        let mut y = SecretBigNum::new();
        computed(y.mod_exp(&g, r, n, context));
        if y.num_bits() == 1 || y.ucmp(&n_less_1) == Ordering::Equal {
            continue;
        }
        let mut root = None;
        let mut reached_minus_1 = false;
        for _ in 0..t {
            let mut square = SecretBigNum::new();
            computed(square.mod_sqr(&y, n, context));
            if square.num_bits() == 1 {
                root = Some(y);
                break;
            }
            if square.ucmp(&n_less_1) == Ordering::Equal {
                reached_minus_1 = true;
                break;
            }
            y = square;
        }
        if reached_minus_1 {
            continue;
        }
        let mut factor = SecretBigNum::new();
        let Some(root) = root else {
            // g^(e d - 1) is not 1. If g is no unit (likely only where a prime is tiny), it gives the factor away.
            computed(factor.gcd(&g, n, context));
            if factor.num_bits() > 1 {
                return Ok(factor);
            }
            // Otherwise d is no inverse of e, and no further try would tell more.
            let reason = "privateExponent does not belong to modulus and publicExponent";
            return Err(Error::key("privateExponent", reason));
        };
        // A square root of 1 other than 1 and -1.
        computed(factor.gcd(&less_1(&root), n, context));
        return Ok(factor);
    }
    Err(not_two_primes())
}
