// SPDX-License-Identifier: Apache-2.0
//! When a call watches for its answer. Knows no socket and no clock: what it is told decides.
//!
//! Waking a process that sleeps takes microseconds on a machine of one's own, and tens of them on a virtual one: for a client
//! alone that is most of what the way through the daemon takes. Its answers come after nearly the same time each. So a call
//! sleeps until shortly before its answer is due, and then watches: it looks for the answer, and lets others have the
//! processor between two looks. A yield that does not come back at once says that somebody wants the processor, and an answer
//! that is late says that the daemon has more clients; either ends the watch, and the calls after it sleep.

use std::ops::Range;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::Duration;

/// A yield that was shorter came back at once.
const AT_ONCE: Duration = Duration::from_micros(20);

/// A watch begins so long before the answer is due: as late as a sleep may end, by the system's timers and by waking.
const EARLY: Duration = Duration::from_micros(120);

/// It ends so long after.
const LATE: Duration = Duration::from_micros(100);

/// Answers that take longer are not watched for: waking is little beside them.
const LONGEST: Duration = Duration::from_millis(2);

/// Calls that sleep after a watch in vain, and the most, after many of them in a row.
const SLEEPS: (u32, u32) = (4, 1024);

/// What a client's calls have seen. Of threads that call at once, any may have written last.
#[derive(Debug, Default)]
pub struct Watch {
    /// Nanoseconds from a request to its answer; zero before the first.
    usual: AtomicU64,
    /// Calls that are still to sleep.
    sleeps: AtomicU32,
    /// How many sleep after the next watch in vain; zero stands for the first of [`SLEEPS`].
    next: AtomicU32,
}

impl Watch {
    /// From when to when after its request a call is to watch, if it is to.
    pub fn window(&self) -> Option<Range<Duration>> {
        let sleeps = self.sleeps.load(Relaxed);
        if sleeps > 0 {
            self.sleeps.store(sleeps - 1, Relaxed);
            return None;
        }
        let usual = Duration::from_nanos(self.usual.load(Relaxed));
        (!usual.is_zero() && usual < LONGEST).then(|| usual.saturating_sub(EARLY)..usual + LATE)
    }

    /// Whether a watch goes on after a yield that lasted so long.
    pub fn goes_on(lasted: Duration) -> bool {
        lasted < AT_ONCE
    }

    /// A watch ended without the answer.
    pub fn in_vain(&self) {
        let sleeps = self.next.load(Relaxed).max(SLEEPS.0);
        self.sleeps.store(sleeps, Relaxed);
        self.next.store((2 * sleeps).min(SLEEPS.1), Relaxed);
    }

    /// An answer came, so long after its request; `watched` if a watch saw it come.
    pub fn answered(&self, took: Duration, watched: bool) {
        let (took, usual) = (took.as_nanos() as u64, self.usual.load(Relaxed));
        // Rather too short than too long: whoever looks too early still sees it come.
        let usual = match took.checked_sub(usual) {
            Some(_) if usual == 0 => took,
            Some(more) => usual + more / 8,
            None => usual - (usual - took) / 2,
        };
        self.usual.store(usual, Relaxed);
        if watched {
            self.next.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn the_first_call_sleeps_and_the_next_watches_around_the_time_that_answers_take() {
        let watch = Watch::default();
        assert_eq!(watch.window(), None);
        watch.answered(us(400), false);
        assert_eq!(watch.window(), Some(us(280)..us(500)));
        watch.answered(us(340), true);
        assert_eq!(watch.window(), Some(us(250)..us(470)));
        watch.answered(us(450), true);
        assert_eq!(watch.window(), Some(us(260)..us(480)));
    }

    #[test]
    fn answers_that_come_at_once_are_watched_for_from_the_beginning_and_slow_ones_not() {
        let watch = Watch::default();
        watch.answered(us(100), false);
        assert_eq!(watch.window(), Some(us(0)..us(200)));
        let watch = Watch::default();
        watch.answered(us(2000), false);
        assert_eq!(watch.window(), None);
    }

    #[test]
    fn calls_after_a_watch_in_vain_sleep_ever_more_of_them_until_one_sees_its_answer() {
        let watch = Watch::default();
        watch.answered(us(400), false);
        let sleeping = |watch: &Watch| (0..).take_while(|_| watch.window().is_none()).count() as u32;
        for sleeps in [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024] {
            watch.in_vain();
            watch.answered(us(400), false);
            assert_eq!(sleeping(&watch), sleeps);
        }
        watch.answered(us(400), true);
        watch.in_vain();
        assert_eq!(sleeping(&watch), SLEEPS.0);
    }

    #[test]
    fn a_watch_ends_when_somebody_wants_the_processor() {
        assert!(Watch::goes_on(us(19)));
        assert!(!Watch::goes_on(us(20)));
    }
}
