// SPDX-License-Identifier: Apache-2.0
//! OpenSSL's parameter arrays: reading what we are given, and asking the default provider for what it has.

use crate::sys::*;
use std::ffi::{CStr, c_int, c_uint, c_void};
use std::marker::PhantomData;
use std::ptr;
use zeroize::Zeroizing;

/// `OSSL_PARAM_UNMODIFIED`: nobody has answered yet.
const UNMODIFIED: usize = usize::MAX;

/// A parameter array given to us.
#[derive(Clone, Copy)]
pub struct Params<'a> {
    first: *const OSSL_PARAM,
    lives: PhantomData<&'a OSSL_PARAM>,
}

impl<'a> Params<'a> {
    /// # Safety
    /// `first` is null or begins an array that ends with a null key and lives, unchanged, as long as `'a`.
    pub unsafe fn new(first: *const OSSL_PARAM) -> Params<'a> {
        Params { first, lives: PhantomData }
    }

    /// All of them.
    pub fn iter(self) -> impl Iterator<Item = Param<'a>> {
        let mut next = self.first;
        std::iter::from_fn(move || {
            // SAFETY: by `new`'s contract `next` is null or points to a parameter of the array, its last at most.
            let param = unsafe { next.as_ref() }.filter(|param| !param.key.is_null())?;
            next = ptr::from_ref(param).wrapping_add(1);
            Some(Param(param))
        })
    }

    /// The one of that name.
    pub fn find(self, name: &CStr) -> Option<Param<'a>> {
        self.iter().find(|param| param.name() == name)
    }
}

/// One parameter given to us.
#[derive(Clone, Copy)]
pub struct Param<'a>(&'a OSSL_PARAM);

impl<'a> Param<'a> {
    /// Its name.
    pub fn name(self) -> &'a CStr {
        // SAFETY: not null, as `iter` saw to; OpenSSL's keys are terminated strings.
        unsafe { CStr::from_ptr(self.0.key) }
    }

    /// A number of any length, big-endian.
    pub fn big_number(self) -> Option<Zeroizing<Vec<u8>>> {
        if self.0.data_type != OSSL_PARAM_UNSIGNED_INTEGER as c_uint || self.0.data.is_null() {
            return None;
        }
        // SAFETY: a parameter's data has `data_size` bytes.
        let bytes = unsafe { std::slice::from_raw_parts(self.0.data.cast::<u8>(), self.0.data_size) };
        let mut number = Zeroizing::new(bytes.to_vec());
        // OpenSSL has them in the machine's order.
        if cfg!(target_endian = "little") {
            number.reverse();
        }
        Some(number)
    }

    /// A number that fits.
    pub fn size(self) -> Option<usize> {
        let mut value = 0;
        // SAFETY: the parameter is whole and has a value, the result is our local.
        (!self.0.data.is_null() && unsafe { OSSL_PARAM_get_size_t(self.0, &mut value) } == 1).then_some(value)
    }

    /// A signed number that fits, or the decimal text of one.
    pub fn int(self) -> Option<c_int> {
        let mut value = 0;
        // SAFETY: as in `size`.
        (!self.0.data.is_null() && unsafe { OSSL_PARAM_get_int(self.0, &mut value) } == 1).then_some(value)
    }
}

/// Questions to the default provider about a context or key of its, and their answers.
///
/// Text answers have less than 64 bytes, as all names of algorithms that OpenSSL keeps in contexts.
pub struct Questions<const N: usize> {
    params: Vec<OSSL_PARAM>,
    cells: Box<[Cell; N]>,
}

/// Where one answer goes.
#[derive(Clone, Copy)]
union Cell {
    int: c_int,
    uint: c_uint,
    text: [u8; 64],
    pointer: *const c_void,
}

/// What kind of answer is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A signed number.
    Int,
    /// An unsigned number.
    Uint,
    /// Text.
    Text,
    /// Bytes that stay where they are.
    Bytes,
}

impl<const N: usize> Questions<N> {
    /// Asks for these.
    pub fn new(wanted: [(&'static CStr, Kind); N]) -> Questions<N> {
        let mut cells = Box::new([Cell { text: [0; 64] }; N]);
        let mut params = Vec::with_capacity(N + 1);
        for (cell, (name, kind)) in cells.iter_mut().zip(wanted) {
            let (data_type, size) = match kind {
                Kind::Int => (OSSL_PARAM_INTEGER, size_of::<c_int>()),
                Kind::Uint => (OSSL_PARAM_UNSIGNED_INTEGER, size_of::<c_uint>()),
                Kind::Text => (OSSL_PARAM_UTF8_STRING, 64),
                Kind::Bytes => (OSSL_PARAM_OCTET_PTR, 0),
            };
            params.push(OSSL_PARAM {
                key: name.as_ptr(),
                data_type: data_type as c_uint,
                data: ptr::from_mut(cell).cast(),
                data_size: size,
                return_size: UNMODIFIED,
            });
        }
        params.push(end());
        Questions { params, cells }
    }

    /// The array to be filled in.
    pub fn as_mut_ptr(&mut self) -> *mut OSSL_PARAM {
        self.params.as_mut_ptr()
    }

    fn answered(&self, index: usize, data_type: c_int) -> Option<&Cell> {
        let param = &self.params[index];
        (param.return_size != UNMODIFIED && param.data_type == data_type as c_uint).then(|| &self.cells[index])
    }

    /// A number, if there is an answer.
    pub fn int(&self, index: usize) -> Option<c_int> {
        // SAFETY: every bit pattern is a number; the cell was zero before.
        self.answered(index, OSSL_PARAM_INTEGER).map(|cell| unsafe { cell.int })
    }

    /// A number, if there is an answer.
    pub fn uint(&self, index: usize) -> Option<c_uint> {
        // SAFETY: as in `int`.
        self.answered(index, OSSL_PARAM_UNSIGNED_INTEGER).map(|cell| unsafe { cell.uint })
    }

    /// Text, if there is an answer.
    pub fn text(&self, index: usize) -> Option<&CStr> {
        // SAFETY: every bit pattern is bytes, and all of them were zero before.
        let bytes = unsafe { &self.answered(index, OSSL_PARAM_UTF8_STRING)?.text };
        CStr::from_bytes_until_nul(bytes).ok()
    }

    /// Bytes, if there is an answer.
    ///
    /// # Safety
    /// What was asked has not been changed or freed since.
    pub unsafe fn bytes(&self, index: usize) -> Option<&[u8]> {
        // SAFETY: an answer of this kind is a pointer, null before.
        let pointer = unsafe { self.answered(index, OSSL_PARAM_OCTET_PTR)?.pointer }.cast::<u8>();
        let length = self.params[index].return_size;
        if pointer.is_null() || length == 0 {
            return Some(&[]);
        }
        // SAFETY: the answer's pointer and length, alive by this function's contract.
        Some(unsafe { std::slice::from_raw_parts(pointer, length) })
    }
}

/// A parameter array of our making, to be given away.
#[derive(Default)]
pub struct Given<'a> {
    params: Vec<OSSL_PARAM>,
    numbers: Vec<Zeroizing<Vec<u8>>>,
    /// Boxed, so that they stay where they are.
    #[allow(clippy::vec_box, reason = "parameters point to them while the list grows")]
    ints: Vec<Box<c_int>>,
    lives: PhantomData<&'a CStr>,
}

impl<'a> Given<'a> {
    /// Adds a number of any length, big-endian.
    pub fn big_number(mut self, name: &'static CStr, value: &[u8]) -> Self {
        let mut number = Zeroizing::new(value.to_vec());
        if cfg!(target_endian = "little") {
            number.reverse();
        }
        self.push(name, OSSL_PARAM_UNSIGNED_INTEGER, number.as_ptr().cast(), number.len());
        self.numbers.push(number);
        self
    }

    /// Adds a signed number.
    pub fn int(mut self, name: &'static CStr, value: c_int) -> Self {
        let cell = Box::new(value);
        self.push(name, OSSL_PARAM_INTEGER, ptr::from_ref(&*cell).cast(), size_of::<c_int>());
        self.ints.push(cell);
        self
    }

    /// Adds bytes.
    pub fn bytes(mut self, name: &'static CStr, value: &'a [u8]) -> Self {
        self.push(name, OSSL_PARAM_OCTET_STRING, value.as_ptr().cast(), value.len());
        self
    }

    /// Adds text.
    pub fn text(mut self, name: &'static CStr, value: &'a CStr) -> Self {
        self.push(name, OSSL_PARAM_UTF8_STRING, value.as_ptr().cast(), value.count_bytes());
        self
    }

    fn push(&mut self, name: &'static CStr, data_type: c_int, data: *const c_void, data_size: usize) {
        let data = data.cast_mut();
        self.params.push(OSSL_PARAM {
            key: name.as_ptr(),
            data_type: data_type as c_uint,
            data,
            data_size,
            return_size: UNMODIFIED,
        });
    }

    /// The array; it may be read as long as this lives.
    pub fn as_ptr(&mut self) -> *const OSSL_PARAM {
        self.params.push(end());
        self.params.as_ptr()
    }
}

/// A list that says which parameters there are.
pub struct List<const N: usize>(pub [OSSL_PARAM; N]);
// SAFETY: never written to; its pointers are to static names.
unsafe impl<const N: usize> Sync for List<N> {}

/// The entry that ends an array.
pub const fn end() -> OSSL_PARAM {
    OSSL_PARAM { key: ptr::null(), data_type: 0, data: ptr::null_mut(), data_size: 0, return_size: 0 }
}

/// An entry of a [`List`].
pub const fn offered(name: &'static CStr, data_type: c_int) -> OSSL_PARAM {
    OSSL_PARAM {
        key: name.as_ptr(),
        data_type: data_type as c_uint,
        data: ptr::null_mut(),
        data_size: 0,
        return_size: UNMODIFIED,
    }
}
