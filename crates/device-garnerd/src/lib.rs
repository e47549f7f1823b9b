// SPDX-License-Identifier: Apache-2.0
//! garnerd as a device of [`garner`], at offload level *checked*: `device = garnerd` in every front end.
//!
//! The program keeps its keys and lends them to the daemon, which makes batches of the operations of many programs. The daemon
//! blinds and checks each, as it does for keys of its own. Where it is away, refuses or takes too long, the operations go to
//! the next device: the processor.
//!
//! | module | subject |
//! |---|---|
//! | `kind` | the name `garnerd`, or `garnerd:PATH` with the path of a socket |
//! | `presence` | whether the daemon is there, without asking for every operation |

#![forbid(unsafe_code)]

mod kind;
mod presence;

pub use kind::Daemons;

use garner::arithmetic::Modulus;
use garner::device::{Device, DeviceError, DeviceInfo, Level, Limits, Power, Private};
use garner::key::PrivateKey;
use garner::secret::{Wiped, released};
use garner::words;
use garner_remote::message::Refusal;
use garner_remote::{Client, Error, lender};
use presence::{Known, Presence};
use std::time::{Duration, Instant};

/// How long a batch waits for its answers. A daemon that takes longer is stopped, or has more to do than it should.
const PATIENCE: Duration = Duration::from_secs(2);

/// Operations in one batch: as many as one processor with eight lanes does at once.
const BATCH: usize = 8;

/// The daemon at one socket.
#[derive(Debug)]
pub struct Garnerd {
    name: String,
    client: Client,
    presence: Presence,
    begun: Instant,
}

impl Garnerd {
    /// The daemon that this client asks.
    fn new(name: String, client: Client) -> Garnerd {
        Garnerd { name, client, presence: Presence::default(), begun: Instant::now() }
    }

    /// Asks whether the daemon is there.
    ///
    /// # Errors
    /// It is not.
    fn probe(&self) -> Result<(), Error> {
        self.client.probe()?;
        self.presence.answered();
        Ok(())
    }

    fn failed(&self, error: &Error) -> DeviceError {
        // Those are about one key or input; the daemon serves others.
        let is_of_one =
            matches!(error, Error::Refused(Refusal::Argument { .. } | Refusal::Verification | Refusal::NoKey));
        if !is_of_one && self.presence.failed(self.begun.elapsed()) {
            tracing::warn!(device = self.name, reason = %error, "not used for now");
        }
        DeviceError(error.to_string())
    }
}

impl DeviceInfo for Garnerd {
    fn name(&self) -> &str {
        &self.name
    }

    fn level(&self) -> Level {
        Level::Checked
    }

    fn limits(&self) -> Limits {
        Limits { min_bits: 2, max_bits: Modulus::MAX_BITS }
    }

    fn takes_key(&self, _: &PrivateKey) -> bool {
        match self.presence.known(self.begun.elapsed()) {
            Known::There => true,
            Known::Away => false,
            Known::Ask => self.probe().is_ok(),
        }
    }

    /// Private operations alone.
    fn takes_bits(&self, _: usize) -> bool {
        false
    }

    fn preferred_batch(&self) -> usize {
        2 * BATCH
    }

    fn may_be_away(&self) -> bool {
        true
    }
}

impl Device for Garnerd {
    fn exponentiate(&self, _: &mut [Power<'_>]) -> Result<(), DeviceError> {
        Err(DeviceError("garnerd does whole private operations only".to_owned()))
    }

    fn operate(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        // Operations that were queued when it was there.
        if self.presence.is_away(self.begun.elapsed()) {
            return Err(DeviceError("garnerd is away".to_owned()));
        }
        let input = |job: &Private<'_>| {
            let mut bytes = Wiped::from(vec![0; job.key.public().size()]);
            words::to_be_bytes(job.base, &mut bytes);
            bytes
        };
        let inputs: Vec<Wiped<u8>> = jobs.iter().map(input).collect();
        let asked = jobs.iter().zip(&inputs).map(|(job, input)| lender::Private { key: job.key, input });
        let answers = self.client.operate(&asked.collect::<Vec<_>>()).map_err(|error| self.failed(&error))?;
        for (job, answer) in jobs.iter_mut().zip(answers) {
            let public = job.key.public();
            let is_number = answer.len() == public.size()
                && words::from_be_bytes(&answer, job.result).is_some()
                && released(words::less(job.result, public.modulus().words()));
            if !is_number {
                return Err(self.failed(&Error::Malformed));
            }
        }
        self.presence.served();
        Ok(())
    }
}

#[cfg(test)]
mod tests;
