// SPDX-License-Identifier: Apache-2.0
//! The caller's pointers: the one place where they become values and slices, and where results are written.
//!
//! Every function here relies on what PKCS#11 demands of the caller: a pointer is NULL or valid for the length that comes with
//! it during the call, aligned for its type, and written by nobody else meanwhile.

use cryptoki_sys::*;
use std::slice;

/// What a function gives when it fails.
pub type Result<T, E = CK_RV> = std::result::Result<T, E>;

/// `count` values at `pointer`.
///
/// # Safety
/// The promise above; the slice is not used once anything of the caller's is written.
pub unsafe fn values<'a, T>(pointer: *const T, count: CK_ULONG) -> Result<&'a [T]> {
    let count = count as usize;
    if count == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() || count.checked_mul(size_of::<T>()).is_none_or(|size| size > isize::MAX as usize) {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: not NULL, valid for `count` values by the promise, not too long for a slice.
    Ok(unsafe { slice::from_raw_parts(pointer, count) })
}

/// The value at `pointer`.
///
/// # Safety
/// As [`values`].
pub unsafe fn value<T: Copy>(pointer: *const T) -> Result<T> {
    if pointer.is_null() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: not NULL, valid by the promise.
    Ok(unsafe { *pointer })
}

/// The parameters of a mechanism.
///
/// # Safety
/// As [`values`].
pub unsafe fn parameters<T: Copy>(mechanism: &CK_MECHANISM) -> Result<T> {
    if mechanism.pParameter.is_null() || mechanism.ulParameterLen as usize != size_of::<T>() {
        return Err(CKR_MECHANISM_PARAM_INVALID);
    }
    // SAFETY: valid for a `T` by the promise, as the mechanism's type says what its parameters are; not taken to be aligned.
    Ok(unsafe { mechanism.pParameter.cast::<T>().read_unaligned() })
}

/// Writes a value.
///
/// # Safety
/// As [`values`].
pub unsafe fn write<T>(pointer: *mut T, value: T) -> Result<()> {
    if pointer.is_null() {
        return Err(CKR_ARGUMENTS_BAD);
    }
    // SAFETY: not NULL, valid by the promise.
    unsafe { pointer.write(value) };
    Ok(())
}

/// Writes values by the convention of section 5.2: how many there are, and, unless `pointer` is NULL, the values.
///
/// # Safety
/// As [`values`]; `count` has how many `pointer` has room for.
pub unsafe fn write_all<T: Copy>(values: &[T], pointer: *mut T, count: *mut CK_ULONG) -> Result<()> {
    // SAFETY: by this function's contract.
    unsafe {
        let room = value(count)? as usize;
        count.write(values.len() as CK_ULONG);
        if pointer.is_null() {
            return Ok(());
        }
        if room < values.len() {
            return Err(CKR_BUFFER_TOO_SMALL);
        }
        pointer.copy_from_nonoverlapping(values.as_ptr(), values.len());
    }
    Ok(())
}
