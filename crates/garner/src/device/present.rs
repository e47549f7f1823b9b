// SPDX-License-Identifier: Apache-2.0
//! The devices beside the processor, for callers that need not know whether this build has them: each is a feature.

use super::Device;
use crate::error::Result;
use std::sync::Arc;
use std::time::Duration;

/// The GPUs of this machine, in order; each is opened when there is work for it. None without the feature `cuda`.
///
/// # Errors
/// [`Error::Argument`](crate::Error::Argument): the environment variable `GARNER_GPU` says what means nothing.
pub fn gpus() -> Result<Vec<Arc<dyn Device>>> {
    #[cfg(feature = "cuda")]
    return Ok(super::cuda::Standby::all()?.into_iter().map(|gpu| Arc::new(gpu) as Arc<dyn Device>).collect());
    #[cfg(not(feature = "cuda"))]
    Ok(Vec::new())
}

/// The board at an address, `vfio-user:PATH` or `0000:03:00.0`. One on which a job takes longer than `patience` is reset.
///
/// # Errors
/// [`Error::Argument`](crate::Error::Argument) naming the address: no board is there, or this build has none, for want of the feature `board`.
pub fn open_board(address: &str, patience: Option<Duration>) -> Result<Arc<dyn Device>> {
    #[cfg(feature = "board")]
    {
        use super::board::{Board, Options};
        Ok(Arc::new(Board::open(address, Options { patience })?))
    }
    #[cfg(not(feature = "board"))]
    {
        let _ = patience;
        Err(crate::Error::argument(
            "board",
            format!("{address}: this build drives no board; its feature \"board\" is off"),
        ))
    }
}
