// SPDX-License-Identifier: Apache-2.0
//! Keys that garnerd holds: an `RSA` that was read from a stub. OpenSSL's paddings are not used for them, because the daemon
//! signs and decrypts by schemes and refuses bare blocks unless its policy names them.

use crate::key::bytes;
use crate::sys::*;
use garner::encryption::Scheme;
use garner::padding::Hash;
use garner::secret::Wiped;
use garner_openssl_common::held::{self, Failure};
use garner_openssl_common::libcrypto::{raise, raise_reason};
use garner_remote::message::{Fingerprint, Work};
use garner_remote::stub;
use std::ffi::c_int;

/// What padding takes of a block at least, in bytes: RFC 8017, 7.2.1 and 7.1.1.
const RSA_PKCS1_PADDING_SIZE: usize = 11;
const OAEP_SHA1_SIZE: usize = 42;

/// What is done with the key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// `RSA_private_encrypt`, which signs.
    Sign,
    /// `RSA_private_decrypt`.
    Decrypt,
}

/// The modulus's hash, if the key is a stub's. Of the private exponents of other keys only the length is looked at, but of those
/// as short as a stub's, with moduli of some 600 bits and less.
///
/// # Safety
/// `rsa` is alive, and nobody changes it meanwhile.
pub unsafe fn modulus(rsa: *const RSA) -> Option<Fingerprint> {
    // SAFETY: by this function's contract; null has no bits.
    unsafe {
        let d = RSA_get0_d(rsa);
        if d.is_null() || BN_num_bits(d).unsigned_abs() as usize > 8 * stub::LONGEST_MARK {
            return None;
        }
        stub::name_in(&bytes(d)?)?;
        stub::fingerprint(&bytes(RSA_get0_n(rsa))?).ok()
    }
}

/// Has the daemon sign or decrypt `from`: at most as many bytes as OpenSSL's own function writes at this padding, or `None` and an
/// error on OpenSSL's queue.
///
/// # Safety
/// `rsa` is alive.
pub unsafe fn private(
    modulus: Fingerprint,
    purpose: Purpose,
    from: &[u8],
    rsa: *const RSA,
    padding: c_int,
) -> Option<Wiped<u8>> {
    // SAFETY: by this function's contract.
    let size = unsafe { BN_num_bits(RSA_get0_n(rsa)).unsigned_abs().div_ceil(8) as usize };
    // OpenSSL takes shorter ciphertexts for numbers, too.
    let whole = [&vec![0; size.saturating_sub(from.len())], from].concat();
    let decrypt = |scheme| held::decrypt(modulus, scheme, &whole);
    let sign = |work| held::ask(modulus, work, "signature");
    let answer = match (purpose, padding) {
        (Purpose::Sign, RSA_PKCS1_PADDING) => sign(Some(Work::SignUnnamed { payload: from })),
        (Purpose::Sign, RSA_NO_PADDING) => sign(Some(Work::Raw { input: from })),
        (Purpose::Sign, _) => sign(None),
        (Purpose::Decrypt, RSA_PKCS1_PADDING) => decrypt(Some(Scheme::Pkcs1v15)),
        (Purpose::Decrypt, RSA_PKCS1_OAEP_PADDING) => decrypt(Some(Scheme::oaep(Hash::Sha1))),
        (Purpose::Decrypt, RSA_NO_PADDING) => decrypt(Some(Scheme::Raw)),
        (Purpose::Decrypt, _) => decrypt(None),
    };
    // What OpenSSL's own function would need room for.
    let most = match (purpose, padding) {
        (Purpose::Decrypt, RSA_PKCS1_PADDING) => size.saturating_sub(RSA_PKCS1_PADDING_SIZE),
        (Purpose::Decrypt, RSA_PKCS1_OAEP_PADDING) => size.saturating_sub(OAEP_SHA1_SIZE),
        _ => size,
    };
    match answer {
        Ok(answer) if answer.len() <= most => return Some(answer),
        Ok(_) => raise("garnerd answered with more than there can be"),
        Err(Failure::Refused(reason)) => raise(&reason),
        Err(Failure::Verification) => raise_reason(ERR_LIB_RSA, RSA_R_OAEP_DECODING_ERROR),
    }
    None
}
