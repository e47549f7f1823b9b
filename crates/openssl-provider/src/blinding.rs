// SPDX-License-Identifier: Apache-2.0
//! Keys of the default provider's for its private operations: each for a few, before OpenSSL draws its blinding anew.
//!
//! OpenSSL blinds with two numbers that a key keeps, and draws both anew at the 33rd private operation. If that fails, by
//! want of memory or randomness, `BN_BLINDING_create_param` calls it a success (seen with 3.0.19): the two no longer belong together, and this operation and the 31 after it have wrong results and no
//! error. For a key's first numbers it does tell. So a key does as many operations as those are good for; then a copy of
//! it takes over.

use crate::call::Refusal;
use crate::sys::OSSL_KEYMGMT_SELECT_ALL;
use crate::upstream::Keymgmt;
use garner::fork::away_from_fork;
use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// Private operations before OpenSSL draws anew, by all threads together: those of other threads than the first have a
/// blinding of their own, which only makes it later.
const MOST: u32 = 32;

/// Operations that are left.
struct Left(AtomicU32);

impl Left {
    fn new() -> Left {
        Left(AtomicU32::new(MOST))
    }

    /// Takes one, if there is one.
    fn take(&self) -> bool {
        self.0.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

/// A copy of the default provider's key.
struct Copied {
    key: *mut c_void,
    table: &'static Keymgmt,
    left: Left,
}

// SAFETY: the default provider's keys may be used by any thread, as OpenSSL does.
unsafe impl Send for Copied {}
// SAFETY: as above.
unsafe impl Sync for Copied {}

impl Drop for Copied {
    fn drop(&mut self) {
        // SAFETY: ours alone, freed once.
        unsafe { (self.table.free)(self.key) };
    }
}

/// The default provider's key for one private operation.
pub struct Lent {
    key: *mut c_void,
    _copy: Option<Arc<Copied>>,
}

impl Lent {
    /// The key; it lives as long as this and the original.
    pub fn key(&self) -> *mut c_void {
        self.key
    }
}

/// Who does the private operations of a key: the key itself, then copies, one after the other.
pub struct Turns {
    original: Left,
    copy: Mutex<Option<Arc<Copied>>>,
}

impl Turns {
    pub fn new() -> Turns {
        Turns { original: Left::new(), copy: Mutex::new(None) }
    }

    /// The key for the next operation: `key`, or a copy.
    ///
    /// # Errors
    /// It cannot be copied: there is no memory.
    ///
    /// # Safety
    /// `key` is alive, the default provider's of the kind of `table`, and always the same.
    pub unsafe fn next(&self, key: *mut c_void, table: &'static Keymgmt) -> Result<Lent, Refusal> {
        if self.original.take() {
            return Ok(Lent { key, _copy: None });
        }
        // A child made while somebody holds the lock would wait for it for ever.
        away_from_fork(|| {
            let mut current = self.copy.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(copy) = current.as_ref().filter(|copy| copy.left.take()) {
                return Ok(Lent { key: copy.key, _copy: Some(Arc::clone(copy)) });
            }
            // SAFETY: by this function's contract.
            let copied = unsafe { (table.dup)(key, OSSL_KEYMGMT_SELECT_ALL) };
            if copied.is_null() {
                return Err(Refusal::Told);
            }
            let copy = Arc::new(Copied { key: copied, table, left: Left::new() });
            copy.left.take();
            *current = Some(Arc::clone(&copy));
            Ok(Lent { key: copied, _copy: Some(copy) })
        })
    }
}
