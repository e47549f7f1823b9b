// SPDX-License-Identifier: Apache-2.0
//! The caller's pointers: the one place where they become slices and values, and where results are written.
//!
//! Every function here relies on the same promise, made in `garner.h` under "Memory": a pointer is NULL or valid for
//! the length that comes with it, during the call. It need not be aligned, and it may overlap others; so nothing read
//! through one is still borrowed when something is written through another. Callers keep to that by copying operands
//! before they write.

use crate::status::{Failure, Status};
use garner_reserve::Promise;
use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::ptr;
use std::slice;

/// Plain data: any bytes, zero bytes too, are a value.
///
/// # Safety
/// That it is so.
pub unsafe trait Plain: Copy {
    /// The structure's name in `garner.h`.
    const NAME: &'static str;
}

/// `length` bytes at `pointer`.
///
/// # Safety
/// The promise above; the slice is not used once anything of the caller's is written.
pub unsafe fn bytes<'a>(name: &str, pointer: *const c_void, length: usize) -> Result<&'a [u8], Failure> {
    if length == 0 {
        return Ok(&[]);
    }
    if pointer.is_null() {
        return Err(Failure::null(name));
    }
    if length > isize::MAX as usize {
        return Err(Failure::argument(name, format!("a length of {length} bytes cannot be")));
    }
    // SAFETY: not NULL, valid for `length` bytes by the promise, not too long for a slice; bytes have no alignment.
    Ok(unsafe { slice::from_raw_parts(pointer.cast(), length) })
}

/// As [`bytes`], for what is copied, as it is or as a number, and may be long: where there is memory for that.
///
/// # Safety
/// As [`bytes`].
pub unsafe fn operand<'a>(name: &str, pointer: *const c_void, length: usize) -> Result<&'a [u8], Failure> {
    // SAFETY: as this function's.
    let bytes = unsafe { bytes(name, pointer, length)? };
    let there = length <= SHORT || Promise::of(length.saturating_mul(COPIES)).is_some();
    if there { Ok(bytes) } else { Err(Failure::memory()) }
}

/// What a thread has memory for in any case.
const SHORT: usize = 16 << 10;

/// As many copies of an operand are made at most.
const COPIES: usize = 8;

/// A structure that begins with its size, copied. What the caller has beyond what this library knows must be zero;
/// older, shorter structures do not exist yet.
///
/// # Safety
/// The promise above: valid for the size that it states.
pub unsafe fn structure<T: Plain>(pointer: *const T) -> Result<T, Failure> {
    // SAFETY: as this function's.
    let size = unsafe { stated_size(pointer)? };
    let known = size_of::<T>();
    // SAFETY: the bytes that follow are within the stated size, which is at least `known`.
    let beyond = unsafe { bytes(T::NAME, pointer.cast::<u8>().wrapping_add(known).cast(), size - known)? };
    if beyond.iter().any(|&byte| byte != 0) {
        return Err(Failure::argument(T::NAME, "uses members that this library does not know"));
    }
    // SAFETY: not NULL and valid for `known` bytes, copied without alignment into plain data.
    Ok(unsafe { pointer.read_unaligned() })
}

/// The size that a structure states, at least that of what this library knows.
///
/// # Safety
/// As [`structure`].
pub unsafe fn stated_size<T: Plain>(pointer: *const T) -> Result<usize, Failure> {
    if pointer.is_null() {
        return Err(Failure::null(T::NAME));
    }
    // SAFETY: not NULL, and every structure begins with its size.
    let size = unsafe { pointer.cast::<usize>().read_unaligned() };
    if size < size_of::<T>() || size > isize::MAX as usize {
        return Err(Failure::argument(T::NAME, format!("its size is {size}, not {}", size_of::<T>())));
    }
    Ok(size)
}

/// A place for one value of the caller's: a handle, a number, a structure.
pub struct Place<T>(*mut T);

impl<T: Copy> Place<T> {
    /// A place that is not NULL.
    ///
    /// # Safety
    /// The promise above, until the call ends.
    pub unsafe fn new(name: &str, pointer: *mut T) -> Result<Place<T>, Failure> {
        if pointer.is_null() { Err(Failure::null(name)) } else { Ok(Place(pointer)) }
    }

    /// Writes the value.
    pub fn write(self, value: T) {
        // SAFETY: by `new`, not NULL and valid for a `T`; alignment is not needed.
        unsafe { self.0.write_unaligned(value) }
    }
}

/// An array of the caller's to fill in.
pub struct Places<T> {
    first: *mut T,
    count: usize,
}

impl<T: Copy> Places<T> {
    /// `count` places that are not NULL.
    ///
    /// # Safety
    /// The promise above, until the call ends.
    pub unsafe fn new(name: &str, first: *mut T, count: usize) -> Result<Places<T>, Failure> {
        if first.is_null() && count > 0 {
            return Err(Failure::null(name));
        }
        if count.checked_mul(size_of::<T>()).is_none_or(|size| size > isize::MAX as usize) {
            return Err(Failure::argument("count", format!("{count} {name} cannot be")));
        }
        Ok(Places { first, count })
    }

    /// Writes the values, as many as there are places.
    pub fn write(self, values: impl IntoIterator<Item = T>) {
        for (i, value) in values.into_iter().take(self.count).enumerate() {
            // SAFETY: by `new`, not NULL and valid for `count` of them; alignment is not needed.
            unsafe { self.first.wrapping_add(i).write_unaligned(value) }
        }
    }
}

/// A place for bytes: how many fit, and where their number goes.
pub struct Output {
    pointer: *mut u8,
    room: usize,
    length: *mut usize,
}

impl Output {
    /// The room is `*length` bytes at `pointer`.
    ///
    /// # Safety
    /// The promise above, until the call ends.
    pub unsafe fn new(name: &str, pointer: *mut c_void, length: *mut usize) -> Result<Output, Failure> {
        if length.is_null() {
            return Err(Failure::null(&format!("{name} length")));
        }
        // SAFETY: not NULL, valid by the promise; alignment is not needed.
        let room = unsafe { length.read_unaligned() };
        if pointer.is_null() && room > 0 {
            return Err(Failure::null(name));
        }
        Ok(Output { pointer: pointer.cast(), room, length })
    }

    /// No place at all: for answers without an output.
    pub fn none() -> Output {
        Output { pointer: ptr::null_mut(), room: 0, length: ptr::null_mut() }
    }

    /// Makes sure that `size` bytes fit; otherwise tells the caller how many are needed.
    pub fn fits(&self, size: usize) -> Result<(), Failure> {
        if size <= self.room {
            return Ok(());
        }
        self.tell(size);
        let text = format!("output: has room for {} bytes, but {size} are needed", self.room);
        Err(Failure::new(Status::Buffer, text))
    }

    /// Writes `bytes` and their number.
    pub fn write(self, bytes: &[u8]) -> Result<(), Failure> {
        self.fits(bytes.len())?;
        if !bytes.is_empty() {
            // SAFETY: by `new`, valid for `room` bytes, and not NULL as there is room for more than none. `bytes` is the
            // library's own memory, so the two do not overlap.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), self.pointer, bytes.len()) };
        }
        self.tell(bytes.len());
        Ok(())
    }

    fn tell(&self, length: usize) {
        if !self.length.is_null() {
            // SAFETY: by `new`, valid; alignment is not needed.
            unsafe { self.length.write_unaligned(length) };
        }
    }
}

/// A structure of the caller's to fill in, which begins with its size.
pub struct Report<T> {
    pointer: *mut T,
    size: usize,
}

impl<T: Plain> Report<T> {
    /// The structure at `pointer`, of the size that it states.
    ///
    /// # Safety
    /// The promise above, until the call ends.
    pub unsafe fn new(pointer: *mut T) -> Result<Report<T>, Failure> {
        // SAFETY: as this function's.
        let size = unsafe { stated_size(pointer.cast_const())? };
        Ok(Report { pointer, size })
    }

    /// Writes `value`, whose first member is its size, and zeros into what the caller has beyond.
    pub fn write(self, value: T) {
        let known = size_of::<T>();
        // SAFETY: by `new`, valid for `size` bytes, of which `known` is the start.
        unsafe {
            self.pointer.cast::<u8>().add(known).write_bytes(0, self.size - known);
            self.pointer.write_unaligned(value);
        }
    }
}

/// Plain data of nothing but zeros.
pub fn zeroed<T: Plain>() -> T {
    // SAFETY: zero bytes are a value of plain data.
    unsafe { MaybeUninit::zeroed().assume_init() }
}
