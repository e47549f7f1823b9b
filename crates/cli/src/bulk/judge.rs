// SPDX-License-Identifier: Apache-2.0
//! Whether signatures are those of their items, many at once.

use super::jobs::Job;
use super::keys::Key;
use crate::failure::Failure;
use garner::error::Error;
use garner::gather::Gatherer;
use garner::signature::{Scheme, verification};

/// Signatures verified at once.
pub const BATCH: usize = 1024;

/// What judges.
#[derive(Clone, Copy)]
pub struct Judge<'a> {
    pub gatherer: &'a Gatherer,
    pub scheme: Scheme,
    /// What errors call the input.
    pub input: &'a str,
}

impl Judge<'_> {
    /// Of each job, with the signature it is said to have, whether it is that; a signature that is not there is not.
    pub fn verdicts<K: Key>(self, batch: &[(Job<K>, Option<Vec<u8>>)]) -> Result<Vec<bool>, Failure> {
        let (mut operations, mut waiting) = (Vec::with_capacity(batch.len()), Vec::with_capacity(batch.len()));
        let mut verdicts = vec![false; batch.len()];
        for (i, (job, signature)) in batch.iter().enumerate() {
            let Some(signature) = signature else { continue };
            match verification(job.key.public(), self.scheme, &job.digest, signature) {
                Ok((operation, verification)) => {
                    operations.push(operation);
                    waiting.push((i, verification));
                }
                Err(Error::Verification) => {}
                Err(other) => return super::at(Err(other), self.input, job.line),
            }
        }
        for ((i, verification), answer) in waiting.into_iter().zip(self.gatherer.run_batch(operations)) {
            verdicts[i] = verification.judge(&super::at(answer, self.input, batch[i].0.line)?).is_ok();
        }
        Ok(verdicts)
    }
}
