// SPDX-License-Identifier: Apache-2.0
//! Marks random numbers where they are drawn.

use crate::valgrind::secret_range;
use std::ffi::{c_int, c_uint, c_void};
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Takes the place of libcrypto's function for all of this program, which draws every secret random number by it: the same
/// numbers, undefined from there on.
///
/// # Safety
/// As libcrypto's: room for `count` bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn RAND_priv_bytes(bytes: *mut u8, count: c_int) -> c_int {
    // SAFETY: the caller's promise; the library context may be null.
    let outcome = unsafe { RAND_priv_bytes_ex(ptr::null_mut(), bytes, count as usize, 0) };
    secret_range(bytes, count as usize);
    DRAWN.fetch_add(1, Ordering::Relaxed);
    outcome
}

unsafe extern "C" {
    fn RAND_priv_bytes_ex(library: *mut c_void, bytes: *mut u8, count: usize, strength: c_uint) -> c_int;
}

static DRAWN: AtomicUsize = AtomicUsize::new(0);

/// How often random numbers were drawn.
pub fn drawn() -> usize {
    DRAWN.load(Ordering::Relaxed)
}
