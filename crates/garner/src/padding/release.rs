// SPDX-License-Identifier: Apache-2.0
//! The one place where a decrypted block's verdict and its message's length stop being secret.

use crate::error::{Error, Result};
use crate::secret::Wiped;
use crate::secret::{released, released_number};
use subtle::Choice;

/// The message, from `start` to the end of `block`, if the verdict is good.
///
/// # Errors
/// [`Error::Verification`] if not.
pub(super) fn release(good: Choice, block: &[u8], start: u32) -> Result<Wiped<u8>> {
    if released(good) {
        Ok(Wiped::from(block[released_number(start) as usize..].to_vec()))
    } else {
        Err(Error::Verification)
    }
}
