// SPDX-License-Identifier: Apache-2.0
//! Contexts of operations: ours as OpenSSL holds them, each around one of the default provider's, and OpenSSL's buffers.

use crate::call::{Refusal, freeing};
use std::ffi::{c_int, c_uchar, c_void};

/// A context of the default provider's.
pub struct Inner {
    context: *mut c_void,
    free: unsafe extern "C" fn(*mut c_void),
}

impl Inner {
    /// Takes over what the default provider made; null is a refusal that it told the reason of.
    ///
    /// # Safety
    /// `context` is null or nobody else's, and `free` is what frees it.
    pub unsafe fn new(context: *mut c_void, free: unsafe extern "C" fn(*mut c_void)) -> Result<Inner, Refusal> {
        if context.is_null() { Err(Refusal::Told) } else { Ok(Inner { context, free }) }
    }

    /// For the default provider's functions.
    pub fn raw(&self) -> *mut c_void {
        self.context
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: by `new`'s contract ours, and freed once.
        unsafe { (self.free)(self.context) };
    }
}

/// Hands a context to OpenSSL.
pub fn give<T>(context: T) -> *mut c_void {
    Box::into_raw(Box::new(context)).cast()
}

/// The context that OpenSSL means.
///
/// # Safety
/// `context` is null or from [`give`] with the same `T`, was not freed, and is used by one thread at a time.
pub unsafe fn of<'a, T>(context: *mut c_void) -> Result<&'a mut T, Refusal> {
    // SAFETY: by this function's contract.
    unsafe { context.cast::<T>().as_mut() }.ok_or(Refusal::Told)
}

/// Takes a context back from OpenSSL and drops it.
///
/// # Safety
/// As [`of`], for the last time.
pub unsafe extern "C" fn free<T>(context: *mut c_void) {
    freeing(|| {
        if !context.is_null() {
            // SAFETY: by this function's contract.
            drop(unsafe { Box::from_raw(context.cast::<T>()) });
        }
    })
}

/// What OpenSSL gives to be read; nothing, if it is null.
///
/// # Safety
/// `data` is null or has `length` bytes that stay as they are while the slice is used. Where output may go to the same
/// memory, no function that has been given the slice may be the one that writes.
pub unsafe fn bytes<'a>(data: *const c_uchar, length: usize) -> &'a [u8] {
    // SAFETY: by this function's contract.
    if data.is_null() { &[] } else { unsafe { std::slice::from_raw_parts(data, length) } }
}

/// Where OpenSSL wants output and its length. Not a slice: OpenSSL lets input and output be the same memory. So output is
/// made whole in memory of our own while the input is read, and written when nobody reads it any more.
pub struct Place {
    data: *mut c_uchar,
    size: usize,
    length: *mut usize,
}

impl Place {
    /// Writes `output` and its length, and gives OpenSSL's word for success.
    pub fn write(self, output: &[u8]) -> Result<c_int, Refusal> {
        if output.len() > self.size {
            return Err(Refusal::Because("the output is longer than the default provider's may be".to_owned()));
        }
        // SAFETY: by the contract of `place` there is room for both, and nobody reads there; `output` is our own memory.
        unsafe {
            std::ptr::copy_nonoverlapping(output.as_ptr(), self.data, output.len());
            *self.length = output.len();
        }
        Ok(1)
    }
}

/// Where OpenSSL wants output; `None` when it is the default provider's turn: to say how long the output may be, as the
/// buffer is null, or to do with it what it does, as there is less room than that. Refused before the input is looked at, a buffer tells
/// nobody how long a message is.
///
/// `ask` is the default provider's function for this output, with a null buffer.
///
/// # Safety
/// `data` is null, or has room for `size` bytes and `length` for a number when the place is written to, and no slice of
/// either memory is used after that.
pub unsafe fn place(
    data: *mut c_uchar,
    size: usize,
    length: *mut usize,
    ask: impl FnOnce(&mut usize) -> c_int,
) -> Option<Place> {
    let mut room = 0;
    (!data.is_null() && ask(&mut room) > 0 && size >= room).then_some(Place { data, size, length })
}
