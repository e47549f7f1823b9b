//! The dozen functions of OpenSSL 4's libcrypto that signing and verifying take.

use std::ffi::{CStr, c_char, c_int, c_long, c_ulong};
use std::ptr;

mod sys {
    use super::*;

    macro_rules! opaque {
        ($($name:ident),*) => {$(
            #[repr(C)]
            pub struct $name { _private: [u8; 0] }
        )*};
    }
    opaque!(EvpPkey, EvpPkeyCtx, EvpMd, EvpMdCtx, Engine);

    pub const RSA_PKCS1_PADDING: c_int = 1;

    unsafe extern "C" {
        pub fn OpenSSL_version(kind: c_int) -> *const c_char;
        pub fn ERR_get_error() -> c_ulong;
        pub fn ERR_error_string_n(error: c_ulong, text: *mut c_char, len: usize);
        pub fn d2i_AutoPrivateKey(key: *mut *mut EvpPkey, der: *mut *const u8, len: c_long) -> *mut EvpPkey;
        pub fn EVP_PKEY_free(key: *mut EvpPkey);
        pub fn EVP_PKEY_get_bits(key: *const EvpPkey) -> c_int;
        pub fn EVP_PKEY_CTX_new(key: *mut EvpPkey, engine: *mut Engine) -> *mut EvpPkeyCtx;
        pub fn EVP_PKEY_CTX_free(context: *mut EvpPkeyCtx);
        pub fn EVP_PKEY_CTX_set_rsa_padding(context: *mut EvpPkeyCtx, padding: c_int) -> c_int;
        pub fn EVP_PKEY_CTX_set_signature_md(context: *mut EvpPkeyCtx, hash: *const EvpMd) -> c_int;
        pub fn EVP_PKEY_sign_init(context: *mut EvpPkeyCtx) -> c_int;
        pub fn EVP_PKEY_sign(
            context: *mut EvpPkeyCtx,
            signature: *mut u8,
            signature_len: *mut usize,
            digest: *const u8,
            digest_len: usize,
        ) -> c_int;
        pub fn EVP_PKEY_verify_init(context: *mut EvpPkeyCtx) -> c_int;
        pub fn EVP_PKEY_verify(
            context: *mut EvpPkeyCtx,
            signature: *const u8,
            signature_len: usize,
            digest: *const u8,
            digest_len: usize,
        ) -> c_int;
        pub fn EVP_sha256() -> *const EvpMd;
        pub fn EVP_MD_CTX_new() -> *mut EvpMdCtx;
        pub fn EVP_MD_CTX_free(context: *mut EvpMdCtx);
        pub fn EVP_DigestInit_ex(context: *mut EvpMdCtx, hash: *const EvpMd, engine: *mut Engine) -> c_int;
        pub fn EVP_DigestUpdate(context: *mut EvpMdCtx, data: *const u8, len: usize) -> c_int;
        pub fn EVP_DigestFinal_ex(context: *mut EvpMdCtx, digest: *mut u8, len: *mut u32) -> c_int;
    }
}

/// "OpenSSL 4.0.3 …": the library linked.
pub fn version() -> String {
    // SAFETY: version 0 is a constant string.
    unsafe { CStr::from_ptr(sys::OpenSSL_version(0)) }.to_string_lossy().into_owned()
}

/// The first error libcrypto has noted for this thread.
fn error() -> String {
    let mut text = [0; 256];
    // SAFETY: the text is written and terminated within its length.
    unsafe {
        sys::ERR_error_string_n(sys::ERR_get_error(), text.as_mut_ptr(), text.len());
        CStr::from_ptr(text.as_ptr()).to_string_lossy().into_owned()
    }
}

fn done(outcome: c_int) -> Result<(), String> {
    if outcome == 1 { Ok(()) } else { Err(error()) }
}

/// A key with everything one thread needs to sign, or to verify, PKCS#1 v1.5 signatures over SHA-256.
///
/// Each thread has its own, as in `openssl speed`, so that none waits for another's lock.
pub struct Signer {
    key: *mut sys::EvpPkey,
    signing: *mut sys::EvpPkeyCtx,
    verifying: *mut sys::EvpPkeyCtx,
    hashing: *mut sys::EvpMdCtx,
}

// SAFETY: libcrypto's objects belong to no thread; `&mut self` keeps two from using them at once.
unsafe impl Send for Signer {}

impl Signer {
    /// From a private key in DER, PKCS#1 or PKCS#8.
    pub fn new(der: &[u8]) -> Result<Signer, String> {
        let mut signer = Signer {
            key: ptr::null_mut(),
            signing: ptr::null_mut(),
            verifying: ptr::null_mut(),
            hashing: ptr::null_mut(),
        };
        // SAFETY: every pointer is checked before it is used, and freed by `drop` (which takes null).
        unsafe {
            signer.key = sys::d2i_AutoPrivateKey(ptr::null_mut(), &mut der.as_ptr(), der.len() as c_long);
            if signer.key.is_null() {
                return Err(error());
            }
            signer.signing = sys::EVP_PKEY_CTX_new(signer.key, ptr::null_mut());
            signer.verifying = sys::EVP_PKEY_CTX_new(signer.key, ptr::null_mut());
            signer.hashing = sys::EVP_MD_CTX_new();
            if signer.signing.is_null() || signer.verifying.is_null() || signer.hashing.is_null() {
                return Err(error());
            }
            done(sys::EVP_PKEY_sign_init(signer.signing))?;
            done(sys::EVP_PKEY_verify_init(signer.verifying))?;
            for context in [signer.signing, signer.verifying] {
                done(sys::EVP_PKEY_CTX_set_rsa_padding(context, sys::RSA_PKCS1_PADDING))?;
                done(sys::EVP_PKEY_CTX_set_signature_md(context, sys::EVP_sha256()))?;
            }
            done(sys::EVP_DigestInit_ex(signer.hashing, sys::EVP_sha256(), ptr::null_mut()))?;
        }
        Ok(signer)
    }

    /// Modulus length in bits.
    pub fn bits(&self) -> usize {
        // SAFETY: the key is there.
        unsafe { sys::EVP_PKEY_get_bits(self.key) as usize }
    }

    fn digest(&mut self, message: &[u8]) -> Result<[u8; 32], String> {
        let mut digest = [0; 32];
        // SAFETY: the context is there, and SHA-256's digest has 32 bytes.
        unsafe {
            // Without a hash named, the context starts again with the one it has.
            done(sys::EVP_DigestInit_ex(self.hashing, ptr::null(), ptr::null_mut()))?;
            done(sys::EVP_DigestUpdate(self.hashing, message.as_ptr(), message.len()))?;
            done(sys::EVP_DigestFinal_ex(self.hashing, digest.as_mut_ptr(), ptr::null_mut()))?;
        }
        Ok(digest)
    }

    /// Signs `message` into `signature`, which is as long as the modulus.
    pub fn sign(&mut self, message: &[u8], signature: &mut [u8]) -> Result<(), String> {
        let digest = self.digest(message)?;
        let mut len = signature.len();
        // SAFETY: the context is there, and the lengths are those of the slices.
        done(unsafe {
            sys::EVP_PKEY_sign(self.signing, signature.as_mut_ptr(), &mut len, digest.as_ptr(), digest.len())
        })
    }

    /// Verifies.
    pub fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let digest = self.digest(message)?;
        // SAFETY: as in `sign`.
        done(unsafe {
            sys::EVP_PKEY_verify(self.verifying, signature.as_ptr(), signature.len(), digest.as_ptr(), digest.len())
        })
    }
}

impl Drop for Signer {
    fn drop(&mut self) {
        // SAFETY: each was made by `new` or is null, which these functions take.
        unsafe {
            sys::EVP_MD_CTX_free(self.hashing);
            sys::EVP_PKEY_CTX_free(self.verifying);
            sys::EVP_PKEY_CTX_free(self.signing);
            sys::EVP_PKEY_free(self.key);
        }
    }
}
