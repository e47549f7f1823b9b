// SPDX-License-Identifier: Apache-2.0
//! One call from C: runs its body, keeps panics inside, and leaves the text of an error to the calling thread.

use crate::end;
use crate::status::{Failure, Status};
use core_garner::thread;
use std::borrow::Cow;
use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_int};
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    static LAST_ERROR: RefCell<Cow<'static, CStr>> = const { RefCell::new(Cow::Borrowed(c"")) };
}

/// What a thread begins with, see [`garner_reserve`].
fn prepare() -> bool {
    static AT_START: fn() -> bool = || garner_reserve::enter(prepare);
    thread::at_start(&AT_START);
    let there = thread::prepare();
    if there {
        let _ = LAST_ERROR.try_with(|_| ());
    }
    there
}

/// The calling thread's status where there is no memory; needs none.
fn refused() -> c_int {
    if garner_reserve::enter_to_free(prepare) {
        let _ = LAST_ERROR.try_with(|last| last.replace(Cow::Borrowed(Status::Memory.text())));
    }
    Status::Memory as c_int
}

/// Runs the body of an exported function and gives the status for its caller.
///
/// A panic gives [`Status::Internal`]. What the body was changing at that moment is its own (the library's locks
/// survive a panic, and outputs are written last), so that unwind safety can be asserted.
pub fn call(body: impl FnOnce() -> Result<Status, Failure>) -> c_int {
    let body = || {
        end::watch();
        body()
    };
    if garner_reserve::enter(prepare) { caught(body) } else { refused() }
}

/// As [`call`], for bodies that free something.
pub fn freeing(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    if garner_reserve::enter_to_free(prepare) { caught(|| body().map(|()| Status::Ok)) } else { refused() }
}

fn caught(body: impl FnOnce() -> Result<Status, Failure>) -> c_int {
    let result = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|panic| {
        let what = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let what = what.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
        Err(Failure::new(Status::Internal, format!("a defect of the library: {what}")))
    });
    match result {
        Ok(status) => status as c_int,
        Err(failure) => {
            remember(&failure);
            failure.status as c_int
        }
    }
}

/// As [`call`], for bodies that have one good end.
pub fn unit(body: impl FnOnce() -> Result<(), Failure>) -> c_int {
    call(|| body().map(|()| Status::Ok))
}

fn remember(failure: &Failure) {
    let text: Vec<u8> = failure.text.bytes().filter(|&byte| byte != 0).collect();
    // Neither can fail: zero bytes are gone, and a thread past the end of its locals has nobody to ask for the text.
    if let Ok(text) = CString::new(text) {
        let _ = LAST_ERROR.try_with(|last| last.replace(Cow::Owned(text)));
    }
}

/// See `garner.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_last_error() -> *const c_char {
    if !garner_reserve::enter_to_free(prepare) {
        return Status::Memory.text().as_ptr();
    }
    LAST_ERROR.try_with(|last| last.borrow().as_ptr()).unwrap_or(c"".as_ptr())
}
