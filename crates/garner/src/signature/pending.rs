// SPDX-License-Identifier: Apache-2.0
//! Signing for asynchronous programs: a ticket whose answer is a signature.

use super::{Scheme, signing};
use crate::error::Result;
use crate::gather::{Gatherer, Output, Ticket};
use crate::key::PrivateKey;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// A signature under way: a future for any runtime. What could not even begin says so when it is polled.
///
/// It borrows nothing, and threads of the gatherer's own compute: whoever polls it is never held up.
#[must_use = "a signature is had by awaiting it"]
pub struct Pending(Result<Ticket>);

impl Future for Pending {
    type Output = Result<Vec<u8>>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Self::Output> {
        match &mut self.0 {
            Ok(ticket) => Pin::new(ticket).poll(context).map_ok(Output::into_public),
            Err(error) => Poll::Ready(Err(error.clone())),
        }
    }
}

impl fmt::Debug for Pending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Pending")
    }
}

/// Signs a message without blocking the calling thread, but for hashing it. The operation is queued at once; several may
/// be before the first is awaited.
///
/// ```
/// use garner::gather::Gatherer;
/// use garner::padding::Hash;
/// use garner::signature;
/// # use garner::keygen::{self, Options};
/// # use std::sync::Arc;
/// # let arithmetic = garner::arithmetic::best()?;
/// # let options = Options { below_fips: true, ..Options::default() };
/// # let key = Arc::new(keygen::generate_one(&*arithmetic, 1024, &options)?);
///
/// let answer = async {
///     let gatherer = Gatherer::global()?;
///     let signature = signature::sign_async(gatherer, &key, Hash::Sha256, b"a message").await?;
///     signature::verify(gatherer, key.public(), Hash::Sha256, b"a message", &signature)
/// };
/// # smol::block_on(answer)?;
/// # Ok::<(), garner::Error>(())
/// ```
///
/// # Errors
/// When it is polled: as [`signing`] and [`Gatherer::submit`], so [`Error::Full`](crate::Error::Full) rather than a wait
/// when too many operations are queued.
pub fn sign_async(gatherer: &Gatherer, key: &Arc<PrivateKey>, scheme: impl Into<Scheme>, message: &[u8]) -> Pending {
    let scheme = scheme.into();
    match scheme.digest(message) {
        Ok(digest) => sign_digest_async(gatherer, key, scheme, &digest),
        Err(error) => Pending(Err(error)),
    }
}

/// Signs a digest without blocking the calling thread.
///
/// # Errors
/// As [`sign_async`].
pub fn sign_digest_async(
    gatherer: &Gatherer,
    key: &Arc<PrivateKey>,
    scheme: impl Into<Scheme>,
    digest: &[u8],
) -> Pending {
    Pending(signing(key, scheme, digest).and_then(|operation| gatherer.submit(operation)))
}
