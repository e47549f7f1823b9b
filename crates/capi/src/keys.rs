// SPDX-License-Identifier: Apache-2.0
//! Keys and moduli.

use crate::call::{freeing, unit};
use crate::handles::{self, GarnerModulus, GarnerPrivateKey, GarnerPublicKey, Kind};
use crate::memory::{self, Place};
use crate::status::{Failure, Status};
use core_garner::Error;
use core_garner::arithmetic::Modulus;
use core_garner::key::PublicKey;
use core_garner::words;
use garner_remote::key::read_public;
use garner_remote::{HeldKey, Key};
use std::ffi::{CStr, c_char, c_int, c_void};
use std::sync::Arc;
use zeroize::Zeroizing;

/// Reads what `read` makes of a key file and its password.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn read_key<K: Kind>(
    read: impl FnOnce(&[u8], Option<&[u8]>) -> Result<Arc<K::Target>, Failure>,
    data: (*const c_void, usize),
    password: (*const c_void, usize),
    key: *mut *mut K,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise; the slices are done with before the handle is written.
    let (place, data, secret) = unsafe {
        (
            Place::new("key", key)?,
            memory::operand("data", data.0, data.1)?,
            memory::operand("password", password.0, password.1)?,
        )
    };
    let given = !password.0.is_null();
    let handle = handles::insert(read(data, given.then_some(secret))?);
    place.write(handle);
    Ok(())
}

/// Writes a length in bits.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn write_bits<K: Kind>(
    handle: *const K,
    bits: *mut usize,
    measure: fn(&K::Target) -> usize,
) -> Result<(), Failure> {
    // SAFETY: the caller's promise.
    let place = unsafe { Place::new("bits", bits)? };
    place.write(measure(&*handles::get(handle)?));
    Ok(())
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_read(
    data: *const c_void,
    length: usize,
    password: *const c_void,
    password_length: usize,
    key: *mut *mut GarnerPrivateKey,
) -> c_int {
    let read = |data: &[u8], password: Option<&[u8]>| Ok(Arc::new(Key::read(data, password)?));
    // SAFETY: the caller's promise.
    unit(|| unsafe { read_key(read, (data, length), (password, password_length), key) })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_named(name: *const c_char, key: *mut *mut GarnerPrivateKey) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("key", key)? };
        if name.is_null() {
            return Err(Failure::null("name"));
        }
        // SAFETY: the caller's promise; the name is copied.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        let held = HeldKey::named(&name).map_err(Error::from)?;
        place.write(handles::insert(Arc::new(Key::Held(Arc::new(held)))));
        Ok(())
    })
}

/// See `garner_keys.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_private_key_is_held(key: *const GarnerPrivateKey) -> c_int {
    let mut is_held = 0;
    let status = unit(|| {
        is_held = matches!(*handles::get(key)?, Key::Held(_)).into();
        Ok(())
    });
    if status == Status::Ok as c_int { is_held } else { status }
}

/// See `garner_keys.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_private_key_free(key: *mut GarnerPrivateKey) -> c_int {
    freeing(|| handles::remove(key).map(drop))
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_public(
    key: *const GarnerPrivateKey,
    public_key: *mut *mut GarnerPublicKey,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("public key", public_key)? };
        let key = handles::get(key)?;
        place.write(handles::insert(Arc::clone(key.public())));
        Ok(())
    })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_bits(key: *const GarnerPrivateKey, bits: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unit(|| unsafe { write_bits(key, bits, |key| key.public().bits()) })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_public_key_read(
    data: *const c_void,
    length: usize,
    password: *const c_void,
    password_length: usize,
    key: *mut *mut GarnerPublicKey,
) -> c_int {
    let read = |data: &[u8], password: Option<&[u8]>| Ok(read_public(data, password)?);
    // SAFETY: the caller's promise.
    unit(|| unsafe { read_key(read, (data, length), (password, password_length), key) })
}

/// See `garner_keys.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_public_key_free(key: *mut GarnerPublicKey) -> c_int {
    freeing(|| handles::remove(key).map(drop))
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_public_key_bits(key: *const GarnerPublicKey, bits: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unit(|| unsafe { write_bits(key, bits, PublicKey::bits) })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_modulus_new(
    modulus: *const c_void,
    length: usize,
    handle: *mut *mut GarnerModulus,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; the slice is done with before the handle is written.
        let (place, bytes) = unsafe { (Place::new("handle", handle)?, memory::bytes("modulus", modulus, length)?) };
        let zeros = bytes.iter().take_while(|&&byte| byte == 0).count();
        let bytes = &bytes[zeros..];
        if bytes.len() > Modulus::MAX_BITS / 8 {
            let reason = format!("has {} bytes, more than {}", bytes.len(), Modulus::MAX_BITS / 8);
            return Err(Failure::argument("modulus", reason));
        }
        let mut number = Zeroizing::new(vec![0; bytes.len().div_ceil(8)]);
        words::from_be_bytes(bytes, &mut number).expect("as many words as bytes need");
        place.write(handles::insert(Arc::new(Modulus::new(&number)?)));
        Ok(())
    })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_modulus_bits(modulus: *const GarnerModulus, bits: *mut usize) -> c_int {
    // SAFETY: the caller's promise.
    unit(|| unsafe { write_bits(modulus, bits, Modulus::bits) })
}

/// See `garner_keys.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_modulus_free(modulus: *mut GarnerModulus) -> c_int {
    freeing(|| handles::remove(modulus).map(drop))
}
