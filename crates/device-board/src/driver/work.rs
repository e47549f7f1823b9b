// SPDX-License-Identifier: Apache-2.0
//! What the driver's thread does: takes completions out, wakes their callers, and resets a board that hangs.

use super::entry::{Entry, longest_wait, renew};
use super::{Shared, State};
use crate::ring::DEPTH;
use garner::device::slots::Slots;
use garner::sync::lock;
use rustix::event::{PollFd, PollFlags, Timespec, epoll, poll};
use std::io;
use std::mem::MaybeUninit;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long the ring is watched after a completion before the thread sleeps until an interrupt.
const HOT: Duration = Duration::from_micros(20);
/// After this without an interrupt the thread looks by itself: for completions, and whether the board is there.
const LOST: Duration = Duration::from_millis(20);

/// What [`wakes`] says of an interrupt, and of a kick.
const INTERRUPT: u64 = 0;
const KICK: u64 = 1;

/// What wakes the thread while jobs are under way.
///
/// The interrupt is reported whenever it is signalled, and never read: a peer in another process has it too, and could
/// make reading it wait for ever.
pub(super) fn wakes(interrupt: BorrowedFd<'_>, kick: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let wakes = epoll::create(epoll::CreateFlags::CLOEXEC)?;
    let signalled = epoll::EventFlags::IN | epoll::EventFlags::ET;
    epoll::add(&wakes, interrupt, epoll::EventData::new_u64(INTERRUPT), signalled)?;
    epoll::add(&wakes, kick, epoll::EventData::new_u64(KICK), epoll::EventFlags::IN)?;
    Ok(wakes)
}

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
                self.recover(&mut state, &format!("a job did not end within {:?}", self.patience));
                continue;
            }
            let under_way = waiting.is_some();
            drop(state);
            if under_way && hot.elapsed() < HOT {
                std::hint::spin_loop();
                continue;
            }
            let woken = self.sleep(under_way);
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
                // No need to wait until patience ends: a board that is gone will never answer, nor will the jobs whose
                // completions lie behind one that is lost.
                Woken::Late => match state.rings.check_presence().and_then(|()| state.rings.has_lost_completion()) {
                    Ok(false) => {}
                    Ok(true) => self.recover(&mut state, "a completion could not be written"),
                    Err(error) => self.give_up(&mut state, &error.to_string()),
                },
                Woken::Kicked => {}
            }
        }
    }

    fn rearm(&self, state: &mut State) {
        if let Err(error) = state.rings.rearm() {
            self.give_up(state, &format!("interrupt status: {error}"));
        }
    }

    /// While jobs are under way, until an interrupt, a kick, or [`LOST`]; else until a kick. An interrupt that comes in
    /// between is found at the next sleep with jobs.
    fn sleep(&self, under_way: bool) -> Woken {
        if !under_way {
            let _ = poll(&mut [PollFd::new(&self.kick, PollFlags::IN)], None);
            self.kicked();
            return Woken::Kicked;
        }
        let limit = Timespec { tv_sec: 0, tv_nsec: LOST.subsec_nanos().into() };
        let mut events = [MaybeUninit::uninit(); 2];
        // An error is a signal for this thread: as a kick.
        let Ok((events, _)) = epoll::wait(&self.wakes, &mut events, Some(&limit)) else { return Woken::Kicked };
        self.kicked();
        match events {
            [] => Woken::Late,
            events if events.iter().any(|event| event.data.u64() == INTERRUPT) => Woken::Interrupted,
            _ => Woken::Kicked,
        }
    }

    /// Takes note of the kicks so far. Nobody else has this descriptor, so that reading it never waits.
    fn kicked(&self) {
        let _ = rustix::io::read(&self.kick, &mut [0; 8]);
    }

    fn take_completions(&self, state: &mut State) -> usize {
        let mut taken = 0;
        let mut first_ended = None;
        while taken < DEPTH {
            let (place, completion) = match state.rings.take() {
                Ok(None) => break,
                Ok(Some(next)) => next,
                Err(error) => {
                    // It could keep this thread busy for ever.
                    self.give_up(state, &error.to_string());
                    return 0;
                }
            };
            taken += 1;
            let entry = &mut state.entries[place];
            if let Entry::Pending { number, .. } = *entry {
                first_ended = Some(first_ended.map_or(number, |first: u64| first.min(number)));
            }
            *entry = Entry::Done(completion);
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

    /// The board hangs, or one of its cores, or its completions cannot be found: resets it and starts anew. What was under
    /// way is lost.
    fn recover(&self, state: &mut State, reason: &str) {
        tracing::warn!(reason, "the board is reset");
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

    /// Takes the board out of use, without keys on it or in the memory that it shares.
    pub(super) fn give_up(&self, state: &mut State, reason: &str) {
        if state.dead.is_some() {
            return;
        }
        tracing::warn!(reason, "the board is out of use");
        state.dead = Some(reason.to_owned());
        self.lose(state);
        if let Err(error) = state.rings.retire() {
            tracing::warn!(%error, "the board could not be reset: its keys stay there");
        }
    }
}

/// What ended a sleep.
enum Woken {
    Interrupted,
    Kicked,
    /// Nothing did, for as long as an interrupt may take.
    Late,
}
