// SPDX-License-Identifier: Apache-2.0
//! Digests of messages that begin with the same seed, by libcrypto: the state after the seed is copied for each, so that
//! libcrypto looks the hash up once, not once a digest. (A `Hasher` of the openssl crate cannot be copied where there is no
//! memory: it takes that for a defect.)

use crate::random::before_end;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl_sys as ffi;
use std::ptr;
use zeroize::Zeroizing;

/// Bytes of the longest digest.
const LONGEST: usize = ffi::EVP_MAX_MD_SIZE as usize;

/// A context of libcrypto's, which clears its memory when it is dropped.
struct Context(*mut ffi::EVP_MD_CTX);

impl Context {
    fn new() -> Result<Context, ErrorStack> {
        // SAFETY: takes nothing, and null is handled here.
        let context = unsafe { ffi::EVP_MD_CTX_new() };
        if context.is_null() { Err(ErrorStack::get()) } else { Ok(Context(context)) }
    }

    fn update(&mut self, data: &[u8]) -> Result<(), ErrorStack> {
        // SAFETY: a live context that has begun; the pointer and the length are one slice's.
        done(unsafe { ffi::EVP_DigestUpdate(self.0, data.as_ptr().cast(), data.len()) })
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: the context is live and ours, and nothing uses it after this.
        unsafe { ffi::EVP_MD_CTX_free(self.0) }
    }
}

/// A hash that was given a seed.
pub struct Seeded {
    seeded: Context,
    copy: Context,
}

impl Seeded {
    /// # Errors
    /// libcrypto refuses to compute it.
    pub fn new(function: MessageDigest, seed: &[u8]) -> Result<Seeded, ErrorStack> {
        let mut seeded = Context::new()?;
        // SAFETY: a live context, libcrypto's static method; no engine is named.
        let begin = || unsafe { ffi::EVP_DigestInit_ex(seeded.0, function.as_ptr(), ptr::null_mut()) };
        // Only this takes locks of libcrypto's: what is hashed may be long, and no fork waits for that.
        done(before_end(begin))?;
        seeded.update(seed)?;
        Ok(Seeded { seeded, copy: Context::new()? })
    }

    /// The digest of the seed and what comes after it; the bytes behind the digest are zero.
    ///
    /// # Errors
    /// As [`Seeded::new`].
    pub fn digest(&mut self, after: &[u8]) -> Result<Zeroizing<[u8; LONGEST]>, ErrorStack> {
        // SAFETY: two live contexts, the second of which has begun.
        done(unsafe { ffi::EVP_MD_CTX_copy_ex(self.copy.0, self.seeded.0) })?;
        self.copy.update(after)?;
        let mut digest = Zeroizing::new([0; LONGEST]);
        // SAFETY: a live context that has begun; there is room for any digest.
        done(unsafe { ffi::EVP_DigestFinal_ex(self.copy.0, digest.as_mut_ptr(), ptr::null_mut()) })?;
        Ok(digest)
    }
}

fn done(answer: i32) -> Result<(), ErrorStack> {
    if answer == 1 { Ok(()) } else { Err(ErrorStack::get()) }
}
