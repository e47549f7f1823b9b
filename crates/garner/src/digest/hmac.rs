// SPDX-License-Identifier: Apache-2.0
//! HMAC with SHA-256 (RFC 2104) by libcrypto, keyed once and used often: implicit rejection needs some twenty an
//! operation.

use crate::error::{Error, Result};
use crate::random::before_end;
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl_sys as ffi;
use std::ptr;
use zeroize::Zeroizing;

/// Bytes of a tag.
pub const TAG: usize = 32;

/// A key, ready for any number of tags. libcrypto clears its memory when it is dropped.
pub struct HmacSha256(*mut ffi::HMAC_CTX);

impl HmacSha256 {
    /// Shapes   key: 32 bytes, as every key here has.
    ///
    /// # Errors
    /// [`Error::Argument`] when libcrypto refuses to compute it (by how it was built or configured); [`Error::Memory`].
    pub fn new(key: &[u8; TAG]) -> Result<HmacSha256> {
        // SAFETY: takes nothing, and null is handled below.
        let context = unsafe { ffi::HMAC_CTX_new() };
        if context.is_null() {
            return Err(refused());
        }
        let hmac = HmacSha256(context);
        let digest = MessageDigest::sha256().as_ptr();
        // SAFETY: the context is live and ours; the key is TAG bytes, which are copied; no engine is named.
        let init = || unsafe { ffi::HMAC_Init_ex(hmac.0, key.as_ptr().cast(), TAG as _, digest, ptr::null_mut()) };
        let done = before_end(init);
        if done == 1 { Ok(hmac) } else { Err(refused()) }
    }

    /// The tag of the concatenation of `parts`.
    ///
    /// # Errors
    /// As [`HmacSha256::new`].
    pub fn tag(&mut self, parts: &[&[u8]]) -> Result<Zeroizing<[u8; TAG]>> {
        // SAFETY: the context is live, ours and keyed; no key and no digest mean those it has.
        let begun = unsafe { ffi::HMAC_Init_ex(self.0, ptr::null(), 0, ptr::null(), ptr::null_mut()) } == 1;
        // What failed to begin, or to go on, for want of memory for one, crashes where it is continued.
        // SAFETY: the context is live and initialised; the pointer and the length are one slice's.
        let update = |part: &&[u8]| unsafe { ffi::HMAC_Update(self.0, part.as_ptr(), part.len()) } == 1;
        if !(begun && parts.iter().all(update)) {
            return Err(refused());
        }
        let mut tag = Zeroizing::new([0; TAG]);
        let mut length = 0;
        // SAFETY: the context is live and initialised; the tag has room for all that SHA-256 gives.
        let done = unsafe { ffi::HMAC_Final(self.0, tag.as_mut_ptr(), &mut length) } == 1;
        if done && length as usize == TAG { Ok(tag) } else { Err(refused()) }
    }
}

impl Drop for HmacSha256 {
    fn drop(&mut self) {
        // SAFETY: the context is live and ours, and nothing uses it after this.
        unsafe { ffi::HMAC_CTX_free(self.0) }
    }
}

fn refused() -> Error {
    // Taken off libcrypto's queue, where the caller's next error would be looked for.
    Error::refused(&ErrorStack::get(), "HMAC with SHA-256")
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::pkey::PKey;
    use openssl::sign::Signer;

    #[test]
    fn tags_are_those_of_libcryptos_other_interface_in_any_number_and_cut_anyhow() {
        let key = std::array::from_fn(|i| i as u8 * 7);
        let mut hmac = HmacSha256::new(&key).unwrap();
        let pkey = PKey::hmac(&key).unwrap();
        let message = [0x5a; 150];
        for length in [0, 1, 55, 64, 65, 150] {
            let message = &message[..length];
            let mut signer = Signer::new(MessageDigest::sha256(), &pkey).unwrap();
            let expected = signer.sign_oneshot_to_vec(message).unwrap();
            let (start, end) = message.split_at(length / 3);
            assert_eq!(hmac.tag(&[message]).unwrap()[..], expected[..], "{length} bytes");
            assert_eq!(hmac.tag(&[start, &[], end]).unwrap()[..], expected[..], "{length} bytes");
        }
    }
}
