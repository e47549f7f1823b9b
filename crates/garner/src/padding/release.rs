//! The one place where a decrypted block's verdict and its message's length stop being secret.

use crate::error::{Error, Result};
use crate::gather::Output;
use subtle::Choice;
use zeroize::Zeroizing;

/// The message, from `start` to the end of `block`, if the verdict is good. Not inlined, so that the test that watches
/// for branches and addresses made of secrets can tell this place from all others.
///
/// # Errors
/// [`Error::Verification`] if not.
#[inline(never)]
pub(super) fn release(good: Choice, block: &[u8], start: u32) -> Result<Output> {
    if bool::from(good) { Ok(Zeroizing::new(block[start as usize..].to_vec())) } else { Err(Error::Verification) }
}
