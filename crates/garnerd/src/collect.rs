// SPDX-License-Identifier: Apache-2.0
//! When a batch is whole. Knows no sockets and no clock: what it is told decides, so that all of it can be tried.
//!
//! While all workers compute, requests gather in the clients' sockets; a worker that comes back takes what is there. Where
//! fewer requests are there than clients were lately active, those clients may be about to ask: the batch lingers. It does so
//! by yielding: whoever else wants the processor has it, the clients among them. A yield that comes back at once says that
//! nobody wants it, and the batch begins: no processor idles for it. A client alone waits for nobody.
//!
//! A worker that has answered watches for a moment before it sleeps: a client that asks again soon need not wake it, which is half of
//! what the way through the daemon takes. It watches only while nobody else wants the processor.

use std::time::Duration;

/// A yield that was shorter came back at once: another thread that has the processor for less cannot have asked anything.
const AT_ONCE: Duration = Duration::from_micros(3);

/// Batches that begin without a yield after one whose yield went to a process that asks nothing here, and those that no worker
/// watches for after a watch in vain.
const HURRIED: u32 = 16;

/// How long a worker watches: as long as it takes to wake a client on a virtual processor, which then asks again
/// (docs/notes/2026-11-daemon.md).
const WATCH: Duration = Duration::from_micros(50);

/// What a worker that collects does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Sleep until a client asks, and tell [`Lingering::sleeps`].
    Sleep,
    /// As [`Next::Yield`], with nothing in the batch.
    Watch,
    /// Take what is there, without sleeping.
    Take,
    /// Let other threads have the processor, tell [`Lingering::yielded`], and take what is there then.
    Yield,
    /// Run the batch.
    Run,
}

/// The rules of one daemon.
#[derive(Debug, Clone, Copy)]
pub struct Collector {
    /// Most requests in a batch.
    pub capacity: usize,
    /// No yield begins later after the batch's first request.
    pub linger: Duration,
}

impl Collector {
    /// What comes next, with `taken` requests in the batch, the first of them `age` ago; with none, the worker began to collect
    /// so long ago. `more` says that the last look may have left some; `expected` that a client is likely to ask.
    pub fn next(&self, taken: usize, more: bool, expected: bool, age: Duration, lingering: &Lingering) -> Next {
        match taken {
            0 if age < WATCH && lingering.watches() => Next::Watch,
            0 => Next::Sleep,
            _ if taken >= self.capacity => Next::Run,
            _ if more => Next::Take,
            _ if expected && age < self.linger && lingering.pays() => Next::Yield,
            _ => Next::Run,
        }
    }
}

/// What one worker's yields brought, in this batch and in those before it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Lingering {
    /// The last yield of this batch came back at once; `None` before the first.
    alone: Option<bool>,
    /// The longest of this batch's yields that brought nothing.
    in_vain: Duration,
    /// Batches that are to begin without a yield.
    hurried: u32,
    /// Those before which no worker is to watch: a client did not ask again while one did.
    unwatched: u32,
}

impl Lingering {
    /// Before a batch, and again with its first request: what yields brought while the worker watched says nothing of those to come.
    pub fn begin(&mut self) {
        (self.alone, self.in_vain) = (None, Duration::ZERO);
    }

    /// After a yield that lasted so long, and brought requests, to this worker or another, or did not.
    pub fn yielded(&mut self, lasted: Duration, brought: bool) {
        self.alone = Some(lasted < AT_ONCE);
        if !brought {
            self.in_vain = self.in_vain.max(lasted);
        }
    }

    /// Before the worker sleeps, with nothing in the batch.
    pub fn sleeps(&mut self) {
        if self.alone == Some(true) {
            self.unwatched = HURRIED;
        }
    }

    /// After a batch that took so long to compute.
    pub fn ran(&mut self, took: Duration) {
        self.hurried = if self.in_vain > took { HURRIED } else { self.hurried.saturating_sub(1) };
        self.unwatched = self.unwatched.saturating_sub(1);
    }

    /// Whether a yield may bring requests.
    fn pays(&self) -> bool {
        self.alone != Some(true) && self.hurried == 0
    }

    /// Whether the worker may watch for the next request, or go on to.
    fn watches(&self) -> bool {
        self.alone != Some(false) && self.unwatched == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Collector = Collector { capacity: 8, linger: Duration::from_micros(1000) };
    const fn us(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn a_client_alone_waits_for_nobody() {
        let fresh = Lingering::default();
        assert_eq!(RULES.next(0, false, false, us(50), &fresh), Next::Sleep);
        assert_eq!(RULES.next(1, true, false, us(0), &fresh), Next::Take);
        assert_eq!(RULES.next(1, false, false, us(1), &fresh), Next::Run);
    }

    #[test]
    fn a_worker_watches_for_a_moment_while_nobody_wants_the_processor() {
        let mut lingering = Lingering::default();
        assert_eq!(RULES.next(0, false, false, us(0), &lingering), Next::Watch);
        lingering.yielded(us(1), false);
        assert_eq!(RULES.next(0, false, false, us(49), &lingering), Next::Watch);
        lingering.yielded(us(20), false);
        assert_eq!(RULES.next(0, false, false, us(21), &lingering), Next::Sleep, "others had it");
    }

    #[test]
    fn batches_after_a_watch_in_vain_are_not_watched_for() {
        let mut lingering = Lingering::default();
        // One that others cut short says nothing.
        lingering.yielded(us(20), false);
        lingering.sleeps();
        lingering.begin();
        assert_eq!(RULES.next(0, false, false, us(0), &lingering), Next::Watch);
        lingering.yielded(us(1), false);
        lingering.sleeps();
        for _ in 0..HURRIED {
            lingering.begin();
            assert_eq!(RULES.next(0, false, false, us(0), &lingering), Next::Sleep);
            lingering.sleeps();
            assert_eq!(RULES.next(3, false, true, us(0), &lingering), Next::Yield, "of a batch that is another matter");
            lingering.ran(us(900));
        }
        lingering.begin();
        assert_eq!(RULES.next(0, false, false, us(0), &lingering), Next::Watch);
    }

    #[test]
    fn those_expected_are_waited_for_until_the_linger_is_over_or_the_batch_full() {
        let fresh = Lingering::default();
        assert_eq!(RULES.next(3, false, true, us(999), &fresh), Next::Yield);
        assert_eq!(RULES.next(3, false, true, us(1000), &fresh), Next::Run);
        assert_eq!(RULES.next(8, true, true, us(0), &fresh), Next::Run);
    }

    #[test]
    fn nobody_is_waited_for_while_no_other_thread_wants_the_processor() {
        let mut lingering = Lingering::default();
        lingering.yielded(us(20), false);
        assert_eq!(RULES.next(3, false, true, us(25), &lingering), Next::Yield, "others had it");
        lingering.yielded(us(1), false);
        assert_eq!(RULES.next(3, false, true, us(27), &lingering), Next::Run);
        lingering.begin();
        assert_eq!(RULES.next(3, false, true, us(0), &lingering), Next::Yield, "another batch, another try");
    }

    #[test]
    fn batches_after_a_yield_that_another_process_had_begin_at_once() {
        let mut lingering = Lingering::default();
        for (brought, hurries) in [(true, false), (false, true)] {
            lingering.begin();
            lingering.yielded(us(4000), brought);
            lingering.ran(us(900));
            lingering.begin();
            assert_eq!(RULES.next(1, false, true, us(0), &lingering) == Next::Run, hurries, "brought {brought}");
        }
        (1..HURRIED).for_each(|_| lingering.ran(us(900)));
        assert_eq!(RULES.next(1, false, true, us(0), &lingering), Next::Run);
        lingering.ran(us(900));
        assert_eq!(RULES.next(1, false, true, us(0), &lingering), Next::Yield);
    }

    /// Every batch ends, whatever comes and however often: no request waits for ever.
    #[test]
    fn every_batch_is_run() {
        for seed in 0..10_000_u64 {
            let mut state = seed;
            let mut dice = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize
            };
            let (mut taken, mut came, mut age, mut lingering) = (1, true, us(0), Lingering::default());
            let mut steps = 0;
            loop {
                let next = RULES.next(taken, came, dice() % 4 != 0, age, &lingering);
                came = dice() % 3 != 0;
                match next {
                    Next::Sleep | Next::Watch => panic!("seed {seed}: {next:?} with a request in hand"),
                    Next::Run => break,
                    Next::Take => age += us(1),
                    Next::Yield => {
                        assert!(age < RULES.linger, "seed {seed}");
                        let lasted = us(1 + dice() as u64 % 300);
                        age += lasted;
                        lingering.yielded(lasted, came);
                    }
                }
                taken += usize::from(came);
                steps += 1;
                assert!(steps < 2000, "seed {seed}: no end");
            }
            assert!((1..=RULES.capacity).contains(&taken), "seed {seed}");
        }
    }
}
