// SPDX-License-Identifier: Apache-2.0
//! Whether the daemon is there, as far as is known, without asking it for every operation. Knows no clock: `now` is the time
//! since any moment that stays the same. Has no lock, which a child made by `fork` could find taken.
//!
//! ```text
//!              failed                    pause over: one caller is to ask
//!   There ───────────────> Away ─────────────────────────────────────────────> Away, twice as long
//!     ^                     │                                                        │
//!     └──── answered ───────┴────────────────────── answered ────────────────────────┘
//! ```
//!
//! The pauses become short again when the daemon has done work, not when it merely answers: one that is stopped accepts
//! connections, too.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// The first pause, and the longest.
const PAUSES: (Duration, Duration) = (Duration::from_secs(1), Duration::from_secs(64));

/// What is known of the daemon.
#[derive(Debug)]
pub struct Presence {
    /// Until when it is taken to be away, in microseconds; 0 if it is there.
    until: AtomicU64,
    /// The next pause, in microseconds.
    pause: AtomicU64,
}

/// What is known now.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Known {
    /// It is there.
    There,
    /// It is away.
    Away,
    /// It was away; the caller is to ask, and nobody else will for another pause.
    Ask,
}

impl Default for Presence {
    fn default() -> Presence {
        Presence { until: AtomicU64::new(0), pause: AtomicU64::new(microseconds(PAUSES.0)) }
    }
}

impl Presence {
    /// Whether it is taken to be away at this time. Nobody becomes the one who asks.
    pub fn is_away(&self, now: Duration) -> bool {
        microseconds(now) < self.until.load(Ordering::Relaxed)
    }

    /// What is known at this time.
    pub fn known(&self, now: Duration) -> Known {
        let until = self.until.load(Ordering::Relaxed);
        if until == 0 {
            return Known::There;
        }
        if microseconds(now) >= until && self.put_off(until, now) { Known::Ask } else { Known::Away }
    }

    /// It did not answer, or refused. Whether that is news: batches that were under way at the same time fail together.
    pub fn failed(&self, now: Duration) -> bool {
        let until = self.until.load(Ordering::Relaxed);
        if until == 0 || microseconds(now) >= until {
            self.put_off(until, now);
        }
        until == 0
    }

    /// It is there.
    pub fn answered(&self) {
        self.until.store(0, Ordering::Relaxed);
    }

    /// It did work.
    pub fn served(&self) {
        self.pause.store(microseconds(PAUSES.0), Ordering::Relaxed);
    }

    /// Begins the next pause, unless somebody else just did; the one after it is twice as long.
    fn put_off(&self, until: u64, now: Duration) -> bool {
        let pause = self.pause.load(Ordering::Relaxed);
        let next = microseconds(now) + pause;
        let is_ours = self.until.compare_exchange(until, next, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if is_ours {
            self.pause.store((2 * pause).min(microseconds(PAUSES.1)), Ordering::Relaxed);
        }
        is_ours
    }
}

fn microseconds(time: Duration) -> u64 {
    time.as_micros() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn s(seconds: u64) -> Duration {
        Duration::from_secs(seconds)
    }

    #[test]
    fn after_a_failure_one_caller_asks_after_each_pause_and_pauses_grow() {
        let presence = Presence::default();
        assert_eq!(presence.known(s(0)), Known::There);
        assert!(presence.failed(s(0)));
        assert!(!presence.failed(s(0)));
        let asked: Vec<u64> = (0..300).filter(|&second| presence.known(s(second)) == Known::Ask).collect();
        assert_eq!(asked, [1, 3, 7, 15, 31, 63, 127, 191, 255]);
        // One that fails after its pause is put off again, though nobody asked.
        assert!(!presence.failed(s(400)));
        assert!(presence.is_away(s(401)));
        presence.answered();
        assert_eq!(presence.known(s(402)), Known::There);
    }

    #[test]
    fn one_that_answers_and_does_nothing_is_asked_less_and_less_and_one_that_works_is_trusted_again() {
        let presence = Presence::default();
        let mut now = s(0);
        let mut pauses = Vec::new();
        for round in 0..4 {
            assert!(presence.failed(now));
            let begun = now;
            while presence.known(now) != Known::Ask {
                now += s(1);
            }
            pauses.push((now - begun).as_secs());
            presence.answered();
            if round == 2 {
                presence.served();
            }
        }
        assert_eq!(pauses, [1, 4, 16, 1]);
    }
}
