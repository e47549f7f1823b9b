// SPDX-License-Identifier: Apache-2.0
//! New keys.

use crate::call::unit;
use crate::handles::{self, GarnerPrivateKey};
use crate::memory::{self, Place, Places, Plain};
use crate::status::Failure;
use core_garner::device::present;
use core_garner::key::PrivateKey;
use core_garner::keygen::Generator;
use core_garner::{arithmetic, keygen};
use garner_devices::KINDS;
use garner_remote::Key;
use garner_reserve::{KEY, Promise};
use std::ffi::{c_int, c_void};
use std::sync::Arc;

/// `garner_keygen_options`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerKeygenOptions {
    size: usize,
    exponent: *const c_void,
    exponent_length: usize,
    below_fips: c_int,
}

// SAFETY: numbers and a pointer; NULL is a pointer.
unsafe impl Plain for GarnerKeygenOptions {
    const NAME: &'static str = "garner_keygen_options";
}

/// The options, NULL for none.
///
/// # Safety
/// As `garner.h` says under "Memory".
unsafe fn options(pointer: *const GarnerKeygenOptions) -> Result<keygen::Options, Failure> {
    let mut options = keygen::Options::default();
    if pointer.is_null() {
        return Ok(options);
    }
    // SAFETY: the caller's promise.
    let given = unsafe { memory::structure(pointer)? };
    if !given.exponent.is_null() {
        // SAFETY: as above; copied at once.
        options.exponent = unsafe { memory::operand("exponent", given.exponent, given.exponent_length)?.to_vec() };
    }
    options.below_fips = given.below_fips != 0;
    Ok(options)
}

fn generate(bits: usize, count: usize, options: &keygen::Options) -> Result<Vec<PrivateKey>, Failure> {
    let _promise = Promise::of(KEY.saturating_mul(count)).ok_or_else(Failure::memory)?;
    let arithmetic = arithmetic::best()?;
    let mut generator = Generator::new(&*arithmetic, bits, count, options)?;
    if let Some(device) = present(KINDS)?.into_iter().next() {
        generator = generator.with_device(device);
    }
    Ok(generator.collect::<Result<_, _>>()?)
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_generate(
    bits: usize,
    options: *const GarnerKeygenOptions,
    key: *mut *mut GarnerPrivateKey,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; options are copied before the handle is written.
        let (place, options) = unsafe { (Place::new("key", key)?, self::options(options)?) };
        let key = generate(bits, 1, &options)?.pop().expect("one key was asked for");
        place.write(handles::insert(Arc::new(Key::Here(Arc::new(key)))));
        Ok(())
    })
}

/// See `garner_keys.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_private_key_generate_many(
    bits: usize,
    options: *const GarnerKeygenOptions,
    keys: *mut *mut GarnerPrivateKey,
    count: usize,
) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise; options are copied before the handles are written.
        let (places, options) = unsafe { (Places::new("keys", keys, count)?, self::options(options)?) };
        let keys = generate(bits, count, &options)?;
        places.write(keys.into_iter().map(|key| handles::insert(Arc::new(Key::Here(Arc::new(key))))));
        Ok(())
    })
}
