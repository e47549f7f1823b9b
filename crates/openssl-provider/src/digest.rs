// SPDX-License-Identifier: Apache-2.0
//! Hashing of messages to be signed, by libcrypto, in our library context.

use crate::call::Refusal;
use crate::sys::{
    EVP_MD, EVP_MD_CTX, EVP_MD_CTX_get_params, EVP_MD_CTX_set_params, EVP_MD_FLAG_XOF, EVP_MD_get_flags, OSSL_PARAM,
};
use crate::upstream::Upstream;
use garner::padding::Hash;
use std::ffi::{CStr, c_int, c_ulong};
use std::ptr;

/// The hash functions whose signatures are ours, fetched once; others are fetched when they are wanted.
pub struct Digests {
    fetched: Vec<(Option<Hash>, *mut EVP_MD)>,
}

// SAFETY: libcrypto's methods may be used by any thread.
unsafe impl Send for Digests {}
// SAFETY: as above.
unsafe impl Sync for Digests {}

const MD5_SHA1: &CStr = c"MD5-SHA1";

/// Whether a name is that of MD5 and SHA-1 one after the other, as TLS signed before 1.2: signed without a `DigestInfo`.
pub fn is_md5_sha1(name: &CStr) -> bool {
    name.to_bytes().eq_ignore_ascii_case(MD5_SHA1.to_bytes())
}

impl Digests {
    /// Fetches what the default provider has.
    pub fn of(upstream: &Upstream) -> Digests {
        let names = [
            (Some(Hash::Sha224), c"SHA2-224"),
            (Some(Hash::Sha256), c"SHA2-256"),
            (Some(Hash::Sha384), c"SHA2-384"),
            (Some(Hash::Sha512), c"SHA2-512"),
            (Some(Hash::Sha512_224), c"SHA2-512/224"),
            (Some(Hash::Sha512_256), c"SHA2-512/256"),
            (Some(Hash::Sha3_224), c"SHA3-224"),
            (Some(Hash::Sha3_256), c"SHA3-256"),
            (Some(Hash::Sha3_384), c"SHA3-384"),
            (Some(Hash::Sha3_512), c"SHA3-512"),
            (Some(Hash::Sha1), c"SHA1"),
            (None, MD5_SHA1),
        ];
        let fetch = |(hash, name): (Option<Hash>, &'static CStr)| {
            // SAFETY: a live library context and a terminated name.
            let method = unsafe { openssl_sys::EVP_MD_fetch(upstream.library(), name.as_ptr(), ptr::null()) };
            (!method.is_null()).then_some((hash, method))
        };
        Digests { fetched: names.into_iter().filter_map(fetch).collect() }
    }

    /// Begins to hash by the function of that name; `None` when it is none of these.
    pub fn begin(&self, name: &CStr) -> Option<Digest> {
        let hash = Hash::from_name(name.to_str().ok()?).ok();
        let known = hash.is_some() || is_md5_sha1(name);
        let (_, method) = *self.fetched.iter().find(|(its_hash, _)| known && *its_hash == hash)?;
        // SAFETY: the method lives as long as `self`.
        unsafe { Digest::of(method) }
    }

    /// The same by any function that the default provider's library context has; `None` for one whose digest has more than
    /// 64 bytes or no length of its own.
    pub fn begin_any(&self, upstream: &Upstream, name: &CStr) -> Option<Digest> {
        if name.is_empty() {
            return None;
        }
        self.begin(name).or_else(|| {
            // SAFETY: a live library context and a terminated name; the method is checked, and freed once.
            unsafe {
                let method = openssl_sys::EVP_MD_fetch(upstream.library(), name.as_ptr(), ptr::null());
                if method.is_null() {
                    return None;
                }
                let fits = (1..=64).contains(&openssl_sys::EVP_MD_get_size(method))
                    && EVP_MD_get_flags(method) & EVP_MD_FLAG_XOF as c_ulong == 0;
                let digest = if fits { Digest::of(method) } else { None };
                openssl_sys::EVP_MD_free(method);
                digest
            }
        })
    }
}

impl Drop for Digests {
    fn drop(&mut self) {
        for (_, method) in &self.fetched {
            // SAFETY: fetched by `of`, freed once.
            unsafe { openssl_sys::EVP_MD_free(*method) };
        }
    }
}

/// A message being hashed.
pub struct Digest(*mut EVP_MD_CTX);

impl Digest {
    /// Begins; `None` where there is no memory.
    ///
    /// # Safety
    /// `method` is alive. The context holds a share of it.
    unsafe fn of(method: *mut EVP_MD) -> Option<Digest> {
        // SAFETY: the context is checked, and freed by `Digest`; by this function's contract.
        unsafe {
            let context = openssl_sys::EVP_MD_CTX_new();
            if context.is_null() {
                return None;
            }
            let digest = Digest(context);
            (openssl_sys::EVP_DigestInit_ex(context, method, ptr::null_mut()) == 1).then_some(digest)
        }
    }

    /// Adds to the message.
    pub fn update(&mut self, data: &[u8]) -> Result<(), Refusal> {
        // SAFETY: a live context and as many bytes as the slice has.
        let done = unsafe { openssl_sys::EVP_DigestUpdate(self.0, data.as_ptr().cast(), data.len()) };
        if done == 1 { Ok(()) } else { Err(Refusal::Told) }
    }

    /// The digest, in `buffer`; its context may be asked again for more of the same message.
    pub fn finish<'a>(&self, buffer: &'a mut [u8; 64]) -> Result<&'a [u8], Refusal> {
        let copy = self.copy()?;
        let mut length = 0;
        // SAFETY: a live context; no digest of libcrypto that was fetched here is longer than 64 bytes.
        let done = unsafe { openssl_sys::EVP_DigestFinal_ex(copy.0, buffer.as_mut_ptr(), &mut length) };
        if done == 1 { Ok(&buffer[..length as usize]) } else { Err(Refusal::Told) }
    }

    /// Asks it for parameters; OpenSSL's word for success.
    ///
    /// # Safety
    /// `params` is an array of OpenSSL's, to be written to.
    pub unsafe fn get_params(&self, params: *mut OSSL_PARAM) -> c_int {
        // SAFETY: a live context; by this function's contract.
        unsafe { EVP_MD_CTX_get_params(self.0, params) }
    }

    /// Gives it parameters; OpenSSL's word for success.
    ///
    /// # Safety
    /// `params` is an array of OpenSSL's.
    pub unsafe fn set_params(&mut self, params: *const OSSL_PARAM) -> c_int {
        // SAFETY: a live context; by this function's contract.
        unsafe { EVP_MD_CTX_set_params(self.0, params) }
    }

    /// The same message so far.
    pub fn copy(&self) -> Result<Digest, Refusal> {
        // SAFETY: the new context is checked, and freed by `Digest`.
        unsafe {
            let context = openssl_sys::EVP_MD_CTX_new();
            if context.is_null() {
                return Err(Refusal::Told);
            }
            let copy = Digest(context);
            if openssl_sys::EVP_MD_CTX_copy_ex(context, self.0) == 1 { Ok(copy) } else { Err(Refusal::Told) }
        }
    }
}

impl Drop for Digest {
    fn drop(&mut self) {
        // SAFETY: ours, freed once.
        unsafe { openssl_sys::EVP_MD_CTX_free(self.0) };
    }
}
