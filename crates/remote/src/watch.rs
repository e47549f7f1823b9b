// SPDX-License-Identifier: Apache-2.0
//! When a call watches for its answer. Knows no socket and no clock: what it is told decides.
//!
//! Waking a process that sleeps takes microseconds on a machine of one's own, and tens of them on a virtual one: for a client
//! alone that is most of what the way through the daemon takes. Its answers come after nearly the same time each. So a call
//! sleeps until shortly before its answer is due, and then watches: it looks for the answer, and lets others have the
//! processor between two looks. A yield that does not come back at once says that somebody wants the processor, and an answer
//! that is late says that the daemon has more clients; either ends the watch, and the calls after it sleep.

use crate::message::{self, KeyName, Response, Work};
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

/// Keys that are told apart: longer ones take longer. Those that fall together are taken for one.
const KEYS: usize = 16;

/// The answers that a call waits for.
#[derive(Debug)]
pub struct Awaited {
    key: usize,
    /// Their numbers; none where no private operation is asked for, as other answers come at once.
    ids: Range<u64>,
}

impl Awaited {
    /// Those of these numbers, to this work with this key.
    pub fn of(work: &Work<'_>, key: KeyName<'_>, ids: Range<u64>) -> Awaited {
        let key = match key {
            KeyName::Modulus(modulus) => usize::from(modulus[0]),
            KeyName::Named(name) => name.bytes().map(usize::from).sum(),
        };
        let ids = if matches!(work, Work::Describe | Work::List | Work::Lend) { 0..0 } else { ids };
        Awaited { key: key % KEYS, ids }
    }

    /// Whether this packet is one of them, and no refusal.
    pub fn is_in(&self, packet: &[u8]) -> bool {
        let response = message::decode::<Response<'_>>(packet);
        response.is_ok_and(|response| response.answer.is_ok() && self.ids.contains(&response.id))
    }
}

/// What a client's calls have seen. Of threads that call at once, any may have written last.
#[derive(Debug, Default)]
pub struct Watch {
    /// Nanoseconds from a request to its answer, for each key; zero before the first.
    usual: [AtomicU64; KEYS],
    /// Calls that are still to sleep.
    sleeps: AtomicU32,
    /// How many sleep after the next watch in vain; zero stands for the first of [`SLEEPS`].
    next: AtomicU32,
}

impl Watch {
    /// From when to when after its request a call is to watch, if it is to.
    pub fn window(&self, awaited: &Awaited) -> Option<Range<Duration>> {
        if awaited.ids.is_empty() {
            return None;
        }
        let sleeps = self.sleeps.load(Relaxed);
        if sleeps > 0 {
            self.sleeps.store(sleeps - 1, Relaxed);
            return None;
        }
        let usual = Duration::from_nanos(self.usual[awaited.key].load(Relaxed));
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
    pub fn answered(&self, awaited: &Awaited, took: Duration, watched: bool) {
        let stored = &self.usual[awaited.key];
        let (took, usual) = (took.as_nanos() as u64, stored.load(Relaxed));
        // Rather too short than too long: whoever looks too early still sees it come.
        let usual = match took.checked_sub(usual) {
            Some(_) if usual == 0 => took,
            Some(more) => usual + more / 8,
            None => usual - (usual - took) / 2,
        };
        stored.store(usual, Relaxed);
        if watched {
            self.next.store(0, Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::message::Refusal;

    const AWAITED: Awaited = Awaited { key: 1, ids: 5..6 };

    const fn us(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn the_first_call_sleeps_and_the_next_watches_around_the_time_that_answers_take() {
        let watch = Watch::default();
        assert_eq!(watch.window(&AWAITED), None);
        watch.answered(&AWAITED, us(400), false);
        assert_eq!(watch.window(&AWAITED), Some(us(280)..us(500)));
        watch.answered(&AWAITED, us(340), true);
        assert_eq!(watch.window(&AWAITED), Some(us(250)..us(470)));
        watch.answered(&AWAITED, us(450), true);
        assert_eq!(watch.window(&AWAITED), Some(us(260)..us(480)));
    }

    #[test]
    fn answers_that_come_at_once_are_watched_for_from_the_beginning_and_slow_ones_not() {
        let watch = Watch::default();
        watch.answered(&AWAITED, us(100), false);
        assert_eq!(watch.window(&AWAITED), Some(us(0)..us(200)));
        let watch = Watch::default();
        watch.answered(&AWAITED, us(2000), false);
        assert_eq!(watch.window(&AWAITED), None);
    }

    #[test]
    fn calls_after_a_watch_in_vain_sleep_ever_more_of_them_until_one_sees_its_answer() {
        let watch = Watch::default();
        watch.answered(&AWAITED, us(400), false);
        let sleeping = |watch: &Watch| (0..).take_while(|_| watch.window(&AWAITED).is_none()).count() as u32;
        for sleeps in [4, 8, 16, 32, 64, 128, 256, 512, 1024, 1024] {
            watch.in_vain();
            watch.answered(&AWAITED, us(400), false);
            assert_eq!(sleeping(&watch), sleeps);
        }
        watch.answered(&AWAITED, us(400), true);
        watch.in_vain();
        assert_eq!(sleeping(&watch), SLEEPS.0);
    }

    #[test]
    fn a_watch_ends_when_somebody_wants_the_processor() {
        assert!(Watch::goes_on(us(19)));
        assert!(!Watch::goes_on(us(20)));
    }

    #[test]
    fn only_answers_to_the_calls_own_private_operation_tell_how_long_those_take() {
        let packet = |id, answer: Result<&[u8], Refusal>| message::encode(&Response { id, answer }).unwrap();
        assert!(AWAITED.is_in(&packet(5, Ok(b"signature"))));
        for other in [
            packet(5, Err(Refusal::NoKey)),
            packet(4, Ok(b"late")),
            packet(0, Err(Refusal::TooMany)),
            packet(6, Ok(b"of the next")),
        ] {
            assert!(!AWAITED.is_in(&other));
        }
        assert!(!AWAITED.is_in(b"noise"));
        let describes = Awaited::of(&Work::Describe, KeyName::Named("www"), 5..6);
        assert!(!describes.is_in(&packet(5, Ok(b"key"))));
        let watch = Watch::default();
        watch.answered(&Awaited::of(&Work::Raw { input: &[] }, KeyName::Named("www"), 5..6), us(400), false);
        assert_eq!(watch.window(&describes), None);
    }

    #[test]
    fn a_key_whose_answers_take_long_is_watched_for_as_long_as_they_take() {
        let watch = Watch::default();
        let long = Awaited { key: 2, ids: 5..6 };
        for _ in 0..10 {
            watch.answered(&AWAITED, us(300), true);
            watch.answered(&long, us(1500), true);
        }
        assert_eq!(watch.window(&AWAITED), Some(us(180)..us(400)));
        assert_eq!(watch.window(&long), Some(us(1380)..us(1600)));
    }
}
