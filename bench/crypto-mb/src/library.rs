// SPDX-License-Identifier: Apache-2.0
//! The two functions of libcrypto_mb that are measured: RSA on eight numbers at once, loaded at run time.

use libloading::Library;
use openssl::bn::BigNumRef;
use openssl::pkey::Private;
use openssl::rsa::Rsa;
use std::ffi::{CStr, OsStr, c_char, c_int, c_void};
use std::ptr;

/// Operations that one call does.
pub const LANES: usize = 8;

/// `mbxVersion` of crypto_mb/version.h.
#[repr(C)]
struct Version {
    number: [c_int; 3],
    target: [c_char; 4],
    name: *const c_char,
    build_date: *const c_char,
    text: *const c_char,
}

/// Eight addresses; a call reads or writes what is at each.
type In8<T> = [*const T; LANES];
type Out8<T> = [*mut T; LANES];

/// `mbx_rsa_private_crt_mb8(from, to, p, q, dp, dq, iq, bits, method, buffer)`: 0, or which lanes failed.
type PrivateCrt = unsafe extern "C" fn(
    *const In8<u8>,
    *const Out8<u8>,
    *const In8<u64>,
    *const In8<u64>,
    *const In8<u64>,
    *const In8<u64>,
    *const In8<u64>,
    c_int,
    *const c_void,
    *mut u8,
) -> c_int;

/// `mbx_rsa_public_mb8(from, to, n, bits, method, buffer)`, for e = 65537.
type Public =
    unsafe extern "C" fn(*const In8<u8>, *const Out8<u8>, *const In8<u64>, c_int, *const c_void, *mut u8) -> c_int;

/// The library, loaded.
pub struct CryptoMb {
    private: PrivateCrt,
    public: Public,
    version: String,
    /// Keeps the functions where they are.
    _library: Library,
}

impl CryptoMb {
    /// Loads it by a path or, without a slash, by a name.
    pub fn load(path: &OsStr) -> Result<CryptoMb, String> {
        let failed = |error: libloading::Error| format!("{}: {error}", path.display());
        // SAFETY: the library's constructors ask for the processor only; the types are those of its headers, version 12.
        unsafe {
            let library = Library::new(path).map_err(failed)?;
            let version = library.get::<unsafe extern "C" fn() -> *const Version>(b"mbx_getversion").map_err(failed)?;
            let Version { number: [major, minor, patch], name, .. } = *version();
            let name = CStr::from_ptr(name).to_string_lossy();
            let version = format!("{} {major}.{minor}.{patch}", name.split(' ').next().unwrap_or_default());
            let private = *library.get::<PrivateCrt>(b"mbx_rsa_private_crt_mb8").map_err(failed)?;
            let public = *library.get::<Public>(b"mbx_rsa_public_mb8").map_err(failed)?;
            Ok(CryptoMb { private, public, version, _library: library })
        }
    }

    /// Its name and number.
    pub fn version(&self) -> &str {
        &self.version
    }
}

/// A key as the library takes it: words, the lowest first, of half the modulus's length or of all of it.
pub struct Key {
    bits: usize,
    p: Vec<u64>,
    q: Vec<u64>,
    dp: Vec<u64>,
    dq: Vec<u64>,
    inverse: Vec<u64>,
    modulus: Vec<u64>,
}

impl Key {
    /// Of 1,024, 2,048, 3,072 or 4,096 bits and with e = 65537: the library has nothing for others.
    pub fn new(key: &Rsa<Private>) -> Result<Key, String> {
        let bits = key.n().num_bits() as usize;
        if !matches!(bits, 1024 | 2048 | 3072 | 4096) {
            return Err(format!("crypto_mb has nothing for {bits} bits"));
        }
        if key.e().to_vec() != [1, 0, 1] {
            return Err("crypto_mb is measured with e = 65537 only".into());
        }
        let half =
            |number: Option<&BigNumRef>| number.map(|number| words(number, bits / 128)).ok_or("a key without p and q");
        Ok(Key {
            bits,
            p: half(key.p())?,
            q: half(key.q())?,
            dp: half(key.dmp1())?,
            dq: half(key.dmq1())?,
            inverse: half(key.iqmp())?,
            modulus: words(key.n(), bits / 64),
        })
    }

    /// Bytes of a message or result.
    pub fn bytes(&self) -> usize {
        self.bits / 8
    }

    /// Bits of the modulus.
    pub fn bits(&self) -> usize {
        self.bits
    }

    /// The private operation on eight numbers, big-endian and as long as the modulus.
    pub fn private(
        &self,
        library: &CryptoMb,
        inputs: &[Vec<u8>; LANES],
        results: &mut [Vec<u8>; LANES],
    ) -> Result<(), String> {
        let (from, to) = self.addresses(inputs, results);
        let all = |number: &Vec<u64>| [number.as_ptr(); LANES];
        let (p, q, dp, dq, inverse) = (all(&self.p), all(&self.q), all(&self.dp), all(&self.dq), all(&self.inverse));
        // SAFETY: every number has the words, every input and result the bytes that the bits say (`Key::new`,
        // `addresses`); without a method and a buffer the library takes its own.
        let status = unsafe {
            (library.private)(&from, &to, &p, &q, &dp, &dq, &inverse, self.bits as c_int, ptr::null(), ptr::null_mut())
        };
        done(status)
    }

    /// The public operation on eight numbers, big-endian and as long as the modulus.
    pub fn public(
        &self,
        library: &CryptoMb,
        inputs: &[Vec<u8>; LANES],
        results: &mut [Vec<u8>; LANES],
    ) -> Result<(), String> {
        let (from, to) = self.addresses(inputs, results);
        let modulus = [self.modulus.as_ptr(); LANES];
        // SAFETY: as in `private`.
        let status =
            unsafe { (library.public)(&from, &to, &modulus, self.bits as c_int, ptr::null(), ptr::null_mut()) };
        done(status)
    }

    fn addresses(&self, inputs: &[Vec<u8>; LANES], results: &mut [Vec<u8>; LANES]) -> (In8<u8>, Out8<u8>) {
        assert!(inputs.iter().chain(&*results).all(|number| number.len() == self.bytes()), "as long as the modulus");
        (inputs.each_ref().map(|input| input.as_ptr()), results.each_mut().map(|result| result.as_mut_ptr()))
    }
}

fn words(number: &BigNumRef, count: usize) -> Vec<u64> {
    let bytes = number.to_vec_padded(8 * count as i32).expect("no longer than its part of the modulus");
    bytes.rchunks_exact(8).map(|word| u64::from_be_bytes(word.try_into().expect("eight"))).collect()
}

fn done(status: c_int) -> Result<(), String> {
    if status == 0 { Ok(()) } else { Err(format!("status {status:#x}")) }
}
