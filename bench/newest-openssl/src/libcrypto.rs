// SPDX-License-Identifier: Apache-2.0
//! The functions of OpenSSL 4's libcrypto that signing, verifying, decrypting and making keys take.

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

    pub const EVP_PKEY_RSA: c_int = 6;
    pub const RSA_PKCS1_PADDING: c_int = 1;
    pub const RSA_PKCS1_OAEP_PADDING: c_int = 4;

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
        pub fn EVP_PKEY_CTX_set_rsa_oaep_md(context: *mut EvpPkeyCtx, hash: *const EvpMd) -> c_int;
        pub fn EVP_PKEY_CTX_set_rsa_mgf1_md(context: *mut EvpPkeyCtx, hash: *const EvpMd) -> c_int;
        pub fn EVP_PKEY_encrypt_init(context: *mut EvpPkeyCtx) -> c_int;
        pub fn EVP_PKEY_encrypt(
            context: *mut EvpPkeyCtx,
            ciphertext: *mut u8,
            ciphertext_len: *mut usize,
            message: *const u8,
            message_len: usize,
        ) -> c_int;
        pub fn EVP_PKEY_decrypt_init(context: *mut EvpPkeyCtx) -> c_int;
        pub fn EVP_PKEY_decrypt(
            context: *mut EvpPkeyCtx,
            message: *mut u8,
            message_len: *mut usize,
            ciphertext: *const u8,
            ciphertext_len: usize,
        ) -> c_int;
        pub fn EVP_PKEY_CTX_new_id(kind: c_int, engine: *mut Engine) -> *mut EvpPkeyCtx;
        pub fn EVP_PKEY_keygen_init(context: *mut EvpPkeyCtx) -> c_int;
        pub fn EVP_PKEY_CTX_set_rsa_keygen_bits(context: *mut EvpPkeyCtx, bits: c_int) -> c_int;
        pub fn EVP_PKEY_generate(context: *mut EvpPkeyCtx, key: *mut *mut EvpPkey) -> c_int;
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

/// A private key.
struct Key(*mut sys::EvpPkey);

impl Key {
    /// From DER, PKCS#1 or PKCS#8.
    fn read(der: &[u8]) -> Result<Key, String> {
        // SAFETY: the length is the slice's; the result is checked, and freed by `drop`.
        let key = unsafe { sys::d2i_AutoPrivateKey(ptr::null_mut(), &mut der.as_ptr(), der.len() as c_long) };
        if key.is_null() { Err(error()) } else { Ok(Key(key)) }
    }

    /// Modulus length in bits.
    fn bits(&self) -> usize {
        // SAFETY: the key is there.
        unsafe { sys::EVP_PKEY_get_bits(self.0) as usize }
    }

    fn context(&self) -> Result<Context, String> {
        // SAFETY: the key is there; the result is checked by `Context::of`.
        Context::of(unsafe { sys::EVP_PKEY_CTX_new(self.0, ptr::null_mut()) })
    }
}

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: this key is ours.
        unsafe { sys::EVP_PKEY_free(self.0) }
    }
}

/// What one operation is set up in. It holds on to its key.
struct Context(*mut sys::EvpPkeyCtx);

impl Context {
    fn of(context: *mut sys::EvpPkeyCtx) -> Result<Context, String> {
        if context.is_null() { Err(error()) } else { Ok(Context(context)) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: this context is ours.
        unsafe { sys::EVP_PKEY_CTX_free(self.0) }
    }
}

/// A key with everything one thread needs to sign, or to verify, PKCS#1 v1.5 signatures over SHA-256.
///
/// Each thread has its own, as in `openssl speed`, so that none waits for another's lock.
pub struct Signer {
    bits: usize,
    signing: Context,
    verifying: Context,
    hashing: *mut sys::EvpMdCtx,
}

// SAFETY: libcrypto's objects belong to no thread; `&mut self` keeps two from using them at once.
unsafe impl Send for Signer {}

impl Signer {
    /// From a private key in DER, PKCS#1 or PKCS#8.
    pub fn new(der: &[u8]) -> Result<Signer, String> {
        let key = Key::read(der)?;
        let (signing, verifying) = (key.context()?, key.context()?);
        // SAFETY: every pointer is checked before it is used, or belongs to a value that is there.
        unsafe {
            done(sys::EVP_PKEY_sign_init(signing.0))?;
            done(sys::EVP_PKEY_verify_init(verifying.0))?;
            for context in [&signing, &verifying] {
                done(sys::EVP_PKEY_CTX_set_rsa_padding(context.0, sys::RSA_PKCS1_PADDING))?;
                done(sys::EVP_PKEY_CTX_set_signature_md(context.0, sys::EVP_sha256()))?;
            }
            let hashing = sys::EVP_MD_CTX_new();
            if hashing.is_null() {
                return Err(error());
            }
            let signer = Signer { bits: key.bits(), signing, verifying, hashing };
            done(sys::EVP_DigestInit_ex(hashing, sys::EVP_sha256(), ptr::null_mut()))?;
            Ok(signer)
        }
    }

    /// Modulus length in bits.
    pub fn bits(&self) -> usize {
        self.bits
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
            sys::EVP_PKEY_sign(self.signing.0, signature.as_mut_ptr(), &mut len, digest.as_ptr(), digest.len())
        })
    }

    /// Verifies.
    pub fn verify(&mut self, message: &[u8], signature: &[u8]) -> Result<(), String> {
        let digest = self.digest(message)?;
        // SAFETY: as in `sign`.
        done(unsafe {
            sys::EVP_PKEY_verify(self.verifying.0, signature.as_ptr(), signature.len(), digest.as_ptr(), digest.len())
        })
    }
}

impl Drop for Signer {
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        unsafe { sys::EVP_MD_CTX_free(self.hashing) }
    }
}

/// A key with everything one thread needs to encrypt and decrypt by OAEP with SHA-256.
pub struct Decrypter {
    bits: usize,
    encrypting: Context,
    decrypting: Context,
}

// SAFETY: as for `Signer`.
unsafe impl Send for Decrypter {}

impl Decrypter {
    /// From a private key in DER, PKCS#1 or PKCS#8.
    pub fn new(der: &[u8]) -> Result<Decrypter, String> {
        let key = Key::read(der)?;
        let (encrypting, decrypting) = (key.context()?, key.context()?);
        // SAFETY: the contexts are there.
        unsafe {
            done(sys::EVP_PKEY_encrypt_init(encrypting.0))?;
            done(sys::EVP_PKEY_decrypt_init(decrypting.0))?;
            for context in [&encrypting, &decrypting] {
                done(sys::EVP_PKEY_CTX_set_rsa_padding(context.0, sys::RSA_PKCS1_OAEP_PADDING))?;
                done(sys::EVP_PKEY_CTX_set_rsa_oaep_md(context.0, sys::EVP_sha256()))?;
                done(sys::EVP_PKEY_CTX_set_rsa_mgf1_md(context.0, sys::EVP_sha256()))?;
            }
        }
        Ok(Decrypter { bits: key.bits(), encrypting, decrypting })
    }

    /// Encrypts.
    pub fn encrypt(&mut self, message: &[u8]) -> Result<Vec<u8>, String> {
        let mut ciphertext = vec![0; self.bits.div_ceil(8)];
        let mut len = ciphertext.len();
        // SAFETY: the context is there, and the lengths are those of the slices.
        done(unsafe {
            sys::EVP_PKEY_encrypt(
                self.encrypting.0,
                ciphertext.as_mut_ptr(),
                &mut len,
                message.as_ptr(),
                message.len(),
            )
        })?;
        Ok(ciphertext)
    }

    /// Decrypts into `message`, which is as long as the modulus; returns the message's length.
    pub fn decrypt(&mut self, ciphertext: &[u8], message: &mut [u8]) -> Result<usize, String> {
        let mut len = message.len();
        // SAFETY: as above.
        done(unsafe {
            sys::EVP_PKEY_decrypt(
                self.decrypting.0,
                message.as_mut_ptr(),
                &mut len,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        })?;
        Ok(len)
    }
}

/// Makes keys.
pub struct KeyMaker(Context);

// SAFETY: as for `Signer`.
unsafe impl Send for KeyMaker {}

impl KeyMaker {
    /// Of `bits` bits, with e = 65537.
    pub fn new(bits: usize) -> Result<KeyMaker, String> {
        // SAFETY: the context is checked by `of` before it is used.
        unsafe {
            let context = Context::of(sys::EVP_PKEY_CTX_new_id(sys::EVP_PKEY_RSA, ptr::null_mut()))?;
            done(sys::EVP_PKEY_keygen_init(context.0))?;
            done(sys::EVP_PKEY_CTX_set_rsa_keygen_bits(context.0, bits as c_int))?;
            Ok(KeyMaker(context))
        }
    }

    /// Makes one and throws it away.
    pub fn make(&mut self) -> Result<(), String> {
        let mut key = ptr::null_mut();
        // SAFETY: the context is there, and the key is freed by its owner.
        done(unsafe { sys::EVP_PKEY_generate(self.0.0, &mut key) })?;
        drop(Key(key));
        Ok(())
    }
}
