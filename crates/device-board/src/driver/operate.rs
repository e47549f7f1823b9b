// SPDX-License-Identifier: Apache-2.0
//! What callers do: put jobs in, sleep, and take their results out. What is to be wiped the next caller has wiped.

use super::entry::Entry;
use super::{Driver, NOT_OURS, Shared, State, key_parts};
use crate::format::{Completion, Job, Op, Scheme, status};
use garner::device::slots::Place;
use garner::device::{DeviceError, Private};
use garner::key::PrivateKey;
use garner::sync::{lock, wait};
use std::collections::VecDeque;
use std::sync::MutexGuard;
use std::sync::atomic::Ordering;
use std::time::Instant;

/// What a job is for.
#[derive(Clone, Copy)]
enum Purpose {
    WipeSlot(usize),
    LoadKey,
    /// The operation of this number of the caller's.
    Operate(usize),
}

/// The caller's jobs under way, oldest first: the entry, and what for.
type Waiting = VecDeque<(usize, Purpose)>;

impl Driver {
    /// Runs private operations; for each, the number of the job's key, base and result, all as long as its modulus.
    ///
    /// A result that the board itself found wrong is left as zeros, which fails the check of whoever asked.
    ///
    /// # Errors
    /// The board failed; nothing of the batch may be used.
    pub fn private(&self, jobs: &mut [Private<'_>]) -> Result<(), DeviceError> {
        if !self.is_ours() {
            return Err(DeviceError(NOT_OURS.to_owned()));
        }
        let shared = &*self.shared;
        let mut state = lock(&shared.state);
        let (mut waiting, mut failure) = (Waiting::new(), None);
        // No more than there is room for: the lock is not given up before they are in the ring, or a slot might be wiped after
        // another thread's key came there.
        let room = state.free.len();
        for slot in state.slots.sweep(room) {
            if let Some(entry) = shared.submit_wipe(&mut state, slot as u8) {
                waiting.push_back((entry, Purpose::WipeSlot(slot)));
            }
        }
        for i in 0..jobs.len() {
            if failure.is_some() || state.dead.is_some() {
                break;
            }
            // For both jobs: between them the lock is not given up, or another thread's would find a key in its slot that is
            // not in the ring yet.
            state = shared.room(state, 2, &mut waiting, jobs, &mut failure);
            let key = jobs[i].key;
            let place = state.slots.place(key);
            let (Place::Load(slot) | Place::Loaded(slot)) = place;
            if let Place::Load(slot) = place
                && let Some(entry) = shared.submit_key(&mut state, key, slot as u8)
            {
                waiting.push_back((entry, Purpose::LoadKey));
            }
            if let Some(entry) = shared.submit_private(&mut state, key, slot as u8, jobs[i].base) {
                waiting.push_back((entry, Purpose::Operate(i)));
            }
        }
        shared.ring_doorbell(&mut state);
        while !waiting.is_empty() {
            state = shared.take_oldest(state, &mut waiting, jobs, &mut failure);
        }
        match failure.or_else(|| state.dead.clone()) {
            None => Ok(()),
            Some(reason) => {
                // Whatever was refused, no slot is taken for loaded on our word.
                state.slots.forget_all();
                Err(DeviceError(reason))
            }
        }
    }
}

impl Shared {
    /// Waits until so many jobs can be submitted; takes the caller's own oldest ones out if there is no room.
    fn room<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        entries: usize,
        waiting: &mut Waiting,
        jobs: &mut [Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        while state.free.len() < entries && state.dead.is_none() {
            self.ring_doorbell(&mut state);
            state = if waiting.is_empty() {
                wait(&self.changed, state)
            } else {
                self.take_oldest(state, waiting, jobs, failure)
            };
        }
        state
    }

    fn submit_wipe(&self, state: &mut State, slot: u8) -> Option<usize> {
        self.submit(state, Op::Zeroise, slot, 0, &[], 0)
    }

    fn submit_key(&self, state: &mut State, key: &PrivateKey, slot: u8) -> Option<usize> {
        self.events.keys_loaded.fetch_add(1, Ordering::Relaxed);
        let exponent = (key.public().exponent()[0] as u32).to_le_bytes();
        self.submit(state, Op::LoadKey, slot, key.public().bits(), &key_parts(key, &exponent), 0)
    }

    fn submit_private(&self, state: &mut State, key: &PrivateKey, slot: u8, base: &[u64]) -> Option<usize> {
        let bits = key.public().bits();
        self.submit(state, Op::Private, slot, bits, &[bytemuck::cast_slice(base)], bits / 8)
    }

    /// Puts a job into the ring, without ringing the bell. `None` on a board that is out of use.
    fn submit(
        &self,
        state: &mut State,
        op: Op,
        slot: u8,
        bits: usize,
        parts: &[&[u8]],
        result_bytes: usize,
    ) -> Option<usize> {
        if state.dead.is_some() {
            return None;
        }
        let entry = state.free.pop_front().expect("the caller made room");
        let job = Job { op, scheme: Scheme::FixedWindow, slot, bits, exponent_bits: 0, interrupt: true };
        state.rings.put(entry, job, parts, result_bytes);
        // From now on, as good as from the doorbell: it is rung before the lock is given up.
        state.entries[entry] = Entry::Pending { number: state.submitted, since: Instant::now() };
        state.submitted += 1;
        Some(entry)
    }

    fn ring_doorbell(&self, state: &mut State) {
        if state.dead.is_some() {
            return;
        }
        if let Err(error) = state.rings.ring_doorbell() {
            self.give_up(state, &format!("the doorbell: {error}"));
        }
        let _ = rustix::io::write(&self.kick, &1u64.to_ne_bytes()); // full is as good
    }

    /// Waits for the oldest of the caller's jobs and takes it out.
    fn take_oldest<'a>(
        &'a self,
        mut state: MutexGuard<'a, State>,
        waiting: &mut Waiting,
        jobs: &mut [Private<'_>],
        failure: &mut Option<String>,
    ) -> MutexGuard<'a, State> {
        let Some((entry, purpose)) = waiting.pop_front() else { return state };
        while matches!(state.entries[entry], Entry::Pending { .. }) {
            state = wait(&self.changed, state);
        }
        match (&state.entries[entry], purpose) {
            (Entry::Done(Completion { status: status::OK, cycles, .. }), Purpose::Operate(i)) => {
                self.events.last_cycles.store(u64::from(*cycles), Ordering::Relaxed);
                state.rings.result(entry, bytemuck::cast_slice_mut(jobs[i].result));
            }
            (Entry::Done(Completion { status: status::OK, .. }), Purpose::WipeSlot(_)) => {
                self.events.slots_wiped.fetch_add(1, Ordering::Relaxed);
            }
            (Entry::Done(Completion { status: status::OK, .. }), Purpose::LoadKey) => {}
            (Entry::Done(Completion { status: status::CHECK_FAILED, .. }), Purpose::Operate(i)) => {
                jobs[i].result.fill(0);
                self.events.checks_failed.fetch_add(1, Ordering::Relaxed);
                // The key in its slot may be what is damaged: the next operation loads it anew.
                state.slots.forget(jobs[i].key);
            }
            (Entry::Done(Completion { status: code, .. }), _) => {
                let reason = status::text(*code);
                let what = match purpose {
                    Purpose::WipeSlot(slot) => {
                        state.slots.not_wiped(slot);
                        "wiping a slot"
                    }
                    Purpose::LoadKey => "loading a key",
                    Purpose::Operate(_) => "a private operation",
                };
                failure.get_or_insert(format!("{what}: {reason}"));
            }
            _ => {
                failure.get_or_insert_with(|| state.dead.clone().unwrap_or_else(|| "the board was reset".to_owned()));
            }
        }
        state.rings.wipe(entry);
        state.entries[entry] = Entry::Free;
        state.free.push_back(entry);
        self.changed.notify_all();
        state
    }
}
