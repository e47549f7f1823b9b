// SPDX-License-Identifier: Apache-2.0
//! libcrypto itself: that there is one, not two, and its error queue.

use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::ptr;

/// OpenSSL's number for errors of providers (`ERR_LIB_PROV`).
const LIBRARY: c_int = 57;

/// `ERR_R_OPERATION_FAIL`, a reason that every library of OpenSSL has: the text says what it is.
pub const REASON: c_int = 263 | 0x3 << 18;

/// `ERR_R_MALLOC_FAILURE`, another of these.
const OUT_OF_MEMORY: c_int = 256 | 0x3 << 18;

unsafe extern "C" {
    fn ERR_new();
    fn ERR_set_debug(file: *const c_char, line: c_int, function: *const c_char);
    fn ERR_set_error(library: c_int, reason: c_int, format: *const c_char, ...);
    fn OPENSSL_init_crypto(options: u64, settings: *const c_void) -> c_int;
}

/// Puts an error onto the calling thread's queue of libcrypto.
pub fn raise(text: &str) {
    let text = CString::new(format!("garner: {text}").replace('\0', " ")).unwrap_or_default();
    // SAFETY: the strings are terminated, the format takes exactly the one string given, and libcrypto copies it.
    unsafe {
        ERR_new();
        ERR_set_debug(c"garner".as_ptr(), 0, c"garner".as_ptr());
        ERR_set_error(LIBRARY, REASON, c"%s".as_ptr(), text.as_ptr());
    }
}

/// Puts a reason of one of OpenSSL's libraries onto the calling thread's queue of libcrypto. Needs no memory.
pub fn raise_reason(library: c_int, reason: c_int) {
    // SAFETY: the strings are terminated, and there is no format.
    unsafe {
        ERR_new();
        ERR_set_debug(c"garner".as_ptr(), 0, c"garner".as_ptr());
        ERR_set_error(library, reason, ptr::null());
    }
}

/// Puts the error that there is no memory onto the calling thread's queue of libcrypto. Needs none itself.
pub fn raise_out_of_memory() {
    raise_reason(LIBRARY, OUT_OF_MEMORY);
}

/// Where the file that an address was loaded from begins in memory, and its name, which lives as long.
fn object(address: *const c_void) -> Option<(usize, *const c_char)> {
    let mut info = libc::Dl_info {
        dli_fname: std::ptr::null(),
        dli_fbase: std::ptr::null_mut(),
        dli_sname: std::ptr::null(),
        dli_saddr: std::ptr::null_mut(),
    };
    // SAFETY: any address may be asked for; `info` is written to when the answer is not 0.
    let found = unsafe { libc::dladdr(address, &mut info) } != 0;
    (found && !info.dli_fname.is_null()).then_some((info.dli_fbase.addr(), info.dli_fname))
}

fn ours() -> *const c_void {
    openssl_sys::EVP_MD_CTX_new as *const c_void
}

/// Whether `theirs`, a function of the libcrypto that loads us, lies in the libcrypto we are linked to.
///
/// Two libcryptos in one process have two of everything, random generators and error queues among it: memory given to
/// one would be freed by the other. So this is asked before any function of ours is called: each may have it initialise
/// itself, and clean up at exit what is still in use then.
pub fn is_ours(theirs: *const c_void) -> bool {
    matches!((object(ours()), object(theirs)), (Some((ours, _)), Some((theirs, _))) if ours == theirs)
}

/// What to tell whoever tried to load us from `theirs`, naming both files.
pub fn another(theirs: *const c_void) -> String {
    let name = |address| {
        // SAFETY: terminated, and lives as long as the object is loaded.
        object(address).map_or("an unknown file".into(), |(_, name)| unsafe { CStr::from_ptr(name) }.to_string_lossy())
    };
    let (ours, theirs) = (name(ours()), name(theirs));
    format!("loaded by {theirs}, but linked to {ours}; build Garner for the OpenSSL that is to load it")
}

/// Has libcrypto initialise itself as it would for any program: to clean up at exit, among other things.
///
/// The Rust interface to OpenSSL would have it never clean up, if it came first.
pub fn initialise() {
    // SAFETY: no options, no settings; may be called at any time and from any thread.
    unsafe { OPENSSL_init_crypto(0, std::ptr::null()) };
}
