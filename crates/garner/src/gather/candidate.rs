// SPDX-License-Identifier: Apache-2.0
//! What a candidate does: it yields its processor, until there is a batch for it to lead, or none.

use super::core::{Core, Work};
use super::scheduler::{Batch, Candidate, Next};
use super::threads::{nanoseconds_since, yield_now};
use std::sync::Arc;
use std::time::Instant;

impl Core {
    /// Lets others have the processor, as a candidate.
    pub fn yield_now(self: &Arc<Self>, candidate: Candidate) -> Next<Work> {
        let start = Instant::now();
        yield_now();
        let lasted = nanoseconds_since(start);
        self.report(|scheduler, at| scheduler.yielded(candidate, lasted, at))
    }

    /// Yields until there is a batch, or none for this thread.
    pub fn next_batch(self: &Arc<Self>, mut next: Next<Work>) -> Option<Batch<Work>> {
        loop {
            match next {
                Next::Yield(candidate) => next = self.yield_now(candidate),
                Next::Run(batch) => return Some(batch),
                Next::Wait => return None,
            }
        }
    }
}
