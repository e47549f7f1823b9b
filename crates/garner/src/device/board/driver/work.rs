// SPDX-License-Identifier: Apache-2.0
//! What the driver's thread does: takes completions out, wakes their callers, and resets a board that hangs.

use super::entry::{Entry, longest_wait, renew};
use super::{Shared, State};
use crate::device::board::rings::DEPTH;
use crate::device::slots::Slots;
use crate::sync::lock;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the ring is watched after a completion before the thread sleeps until an interrupt.
const HOT: Duration = Duration::from_micros(20);
/// After this without an interrupt the thread looks by itself: for completions, and whether the board is there.
const LOST: Duration = Duration::from_millis(20);

impl Shared {
    /// The thread: takes completions until it is over.
    pub(super) fn work(&self) {
        let mut hot = Instant::now();
        loop {
            let mut state = lock(&self.state);
            let taken = self.take_completions(&mut state);
            if taken > 0 {
                hot = Instant::now();
                self.changed.notify_all();
            }
            if state.closing || state.dead.is_some() {
                return;
            }
            let waiting = longest_wait(&state.entries);
            if waiting.is_some_and(|since| since.elapsed() > self.patience) {
                self.recover(&mut state);
                continue;
            }
            let under_way = waiting.is_some();
            drop(state);
            if under_way && hot.elapsed() < HOT {
                std::hint::spin_loop();
                continue;
            }
            let woken = self.sleep(under_way.then_some(LOST));
            let mut state = lock(&self.state);
            match woken {
                Woken::Interrupted => {
                    self.events.interrupts.fetch_add(1, Ordering::Relaxed);
                    self.rearm(&mut state);
                }
                Woken::Late if state.rings.has_next() => {
                    self.events.lost_interrupts.fetch_add(1, Ordering::Relaxed);
                    // Cleared, so that the next completion is a new edge.
                    self.rearm(&mut state);
                }
                Woken::Late => {
                    // A board that is gone will never answer; no need to wait until patience ends.
                    if let Err(error) = state.rings.check_presence() {
                        self.give_up(&mut state, &error.to_string());
                    }
                }
                Woken::Kicked => {}
            }
        }
    }

    fn rearm(&self, state: &mut State) {
        if let Err(error) = state.rings.rearm() {
            self.give_up(state, &format!("interrupt status: {error}"));
        }
    }

    /// Until an interrupt, a kick, or the limit.
    fn sleep(&self, limit: Option<Duration>) -> Woken {
        let mut waits = [PollFd::new(&self.interrupt, PollFlags::IN), PollFd::new(&self.kick, PollFlags::IN)];
        let limit = limit.map(|limit| Timespec { tv_sec: 0, tv_nsec: limit.subsec_nanos().into() });
        let ready = poll(&mut waits, limit.as_ref());
        let mut count = [0; 8];
        let _ = rustix::io::read(&self.kick, &mut count);
        match rustix::io::read(&self.interrupt, &mut count) {
            Ok(_) => Woken::Interrupted,
            Err(_) if ready == Ok(0) => Woken::Late,
            Err(_) => Woken::Kicked,
        }
    }

    fn take_completions(&self, state: &mut State) -> usize {
        let mut taken = 0;
        let mut first_ended = None;
        while taken < DEPTH
            && let Some(completion) = state.rings.take()
        {
            taken += 1;
            // A tag that is not under way is the board's mistake; its job will run into the time limit.
            if let Some(entry) = state.entries.get_mut(usize::from(completion.tag))
                && let Entry::Pending { number, .. } = *entry
            {
                *entry = Entry::Done(completion);
                first_ended = Some(first_ended.map_or(number, |first: u64| first.min(number)));
            }
        }
        if let Some(first) = first_ended {
            renew(&mut state.entries, first, Instant::now());
        }
        if taken > 0
            && let Err(error) = state.rings.acknowledge()
        {
            self.give_up(state, &format!("the completion ring: {error}"));
        }
        taken
    }

    /// The board hangs, or one of its cores: resets it and starts anew. What was under way is lost.
    fn recover(&self, state: &mut State) {
        tracing::warn!("a job did not end within {:?}: the board is reset", self.patience);
        self.events.resets.fetch_add(1, Ordering::Relaxed);
        self.lose(state);
        state.slots = Slots::new(self.capability.key_slots);
        if let Err(error) = state.rings.reset().and_then(|()| state.rings.start(true)) {
            self.give_up(state, &format!("reset: {error}"));
        }
    }

    fn lose(&self, state: &mut State) {
        for entry in &mut state.entries {
            if matches!(entry, Entry::Pending { .. }) {
                *entry = Entry::Lost;
            }
        }
        self.changed.notify_all();
    }

    pub(super) fn give_up(&self, state: &mut State, reason: &str) {
        tracing::warn!(reason, "the board is out of use");
        state.dead.get_or_insert_with(|| reason.to_owned());
        self.lose(state);
    }
}

/// What ended a sleep.
enum Woken {
    Interrupted,
    Kicked,
    /// Nothing did, for as long as an interrupt may take.
    Late,
}
