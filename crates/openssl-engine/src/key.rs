// SPDX-License-Identifier: Apache-2.0
//! Garner's key out of the numbers of an `RSA`.

use crate::sys::*;
use garner::error::Error;
use garner::key::{Components, PrivateKey};
use zeroize::Zeroizing;

/// A number as big-endian bytes; `None` for null.
///
/// # Safety
/// `number` is null or alive.
pub unsafe fn bytes(number: *const BIGNUM) -> Option<Zeroizing<Vec<u8>>> {
    if number.is_null() {
        return None;
    }
    // SAFETY: by this function's contract; `BN_bn2bin` writes as many bytes as the bits take.
    unsafe {
        let mut bytes = Zeroizing::new(vec![0; BN_num_bits(number).unsigned_abs().div_ceil(8) as usize]);
        BN_bn2bin(number, bytes.as_mut_ptr());
        Some(bytes)
    }
}

/// The key of an `RSA`, if it has all numbers that Garner wants.
///
/// # Errors
/// Garner refuses it, or could not try it.
///
/// # Safety
/// `rsa` is alive, and nobody changes it meanwhile.
pub unsafe fn read(rsa: *const RSA) -> Result<Option<PrivateKey>, Error> {
    // SAFETY: by this function's contract.
    let numbers = unsafe {
        if RSA_get_multi_prime_extra_count(rsa) > 0 {
            return Ok(None);
        }
        [
            bytes(RSA_get0_n(rsa)),
            bytes(RSA_get0_e(rsa)),
            bytes(RSA_get0_d(rsa)),
            bytes(RSA_get0_p(rsa)),
            bytes(RSA_get0_q(rsa)),
            bytes(RSA_get0_dmp1(rsa)),
            bytes(RSA_get0_dmq1(rsa)),
            bytes(RSA_get0_iqmp(rsa)),
        ]
    };
    let [Some(n), Some(e), Some(d), Some(p), Some(q), Some(dp), Some(dq), Some(inverse)] = numbers else {
        return Ok(None);
    };
    PrivateKey::from_components(&Components {
        modulus: &n,
        public_exponent: &e,
        private_exponent: &d,
        prime1: &p,
        prime2: &q,
        exponent1: &dp,
        exponent2: &dq,
        coefficient: &inverse,
    })
    .map(Some)
}
