//! Random bytes of libcrypto.

use crate::error::{Error, Result};
use crate::fork::away_from_fork;
use openssl::error::ErrorStack;

/// Fills `bytes` from the generator for secrets.
pub(super) fn secret(bytes: &mut [u8]) -> Result<()> {
    away_from_fork(|| openssl::rand::rand_priv_bytes(bytes)).map_err(failed)
}

/// Fills `bytes` from the generator for what others get to see.
pub(super) fn public(bytes: &mut [u8]) -> Result<()> {
    away_from_fork(|| openssl::rand::rand_bytes(bytes)).map_err(failed)
}

fn failed(error: ErrorStack) -> Error {
    Error::Random(error.to_string())
}
