// SPDX-License-Identifier: Apache-2.0
//! Deterministic simulation of the scheduler: random schedules from a seed, the invariants checked after every event.
//!
//! | variable | meaning |
//! |---|---|
//! | `GARNER_SCHEDULES` | so many schedules instead of [`SCHEDULES`] |
//! | `GARNER_SCHEDULE` | the seed of the one schedule to be run again |

mod checks;
mod state;
mod threads;
mod world;

use crate::environment::variable;
use std::panic::{AssertUnwindSafe, catch_unwind};
use world::World;

/// Schedules of one test run, unless told otherwise.
const SCHEDULES: u64 = 10_000;

/// Errors that the simulation can seed in the scheduler, each of which it must find.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// A follower is made a candidate and not woken.
    WakeLost,
    /// A batch that panics keeps its slot.
    SlotLeakedByPanic,
    /// A caller takes the slot that is reserved for an assigned executor.
    ReservedSlotTaken,
    /// A caller begins a batch on a processor that computes one.
    ProcessorShared,
    /// A candidate waits for more though its batch is full.
    FullBatchYields,
    /// A candidate that finds no slot stays one, asleep.
    CandidateStays,
    /// One operation of a larger batch is neither run nor answered.
    OperationLost,
    /// The end of a batch assigns nobody.
    EndAssignsNobody,
    /// A leader that ran older operations first is never woken for its own.
    LeaderNeverFollows,
    /// An executor that could not be started stays assigned.
    FailedStartStaysAssigned,
    /// An executor that is through looks after one pool only.
    OtherPoolForgotten,
    /// Who waits for room in the queue is not told of it.
    RoomNotTold,
    /// Retired executors are not told that the last ticket was run.
    RetirementNotTold,
    /// Shut-down is not told that the last answers were given.
    CloseNotTold,
}

const FAULTS: [Fault; 14] = [
    Fault::WakeLost,
    Fault::SlotLeakedByPanic,
    Fault::ReservedSlotTaken,
    Fault::ProcessorShared,
    Fault::FullBatchYields,
    Fault::CandidateStays,
    Fault::OperationLost,
    Fault::EndAssignsNobody,
    Fault::LeaderNeverFollows,
    Fault::FailedStartStaysAssigned,
    Fault::OtherPoolForgotten,
    Fault::RoomNotTold,
    Fault::RetirementNotTold,
    Fault::CloseNotTold,
];

/// Random numbers from a seed (Steele, Lea, Flood 2014: SplitMix64).
#[derive(Clone)]
pub struct Random(u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// Below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// True one time in `times`.
    pub fn one_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }
}

/// Runs one schedule to its end. What was counted, or which invariant broke.
fn run(seed: u64, fault: Option<Fault>) -> Result<world::Counts, String> {
    let whole = AssertUnwindSafe(|| World::new(seed, fault).run());
    catch_unwind(whole).unwrap_or_else(|panic| Err(format!("panicked: {:?}", panic.downcast_ref::<&str>())))
}

fn number(name: &str) -> Option<u64> {
    let text = variable(name)?.into_string().unwrap_or_default();
    Some(text.parse().unwrap_or_else(|_| panic!("{name}: no number: {text}")))
}

#[test]
fn every_schedule_keeps_the_invariants_and_comes_to_an_end() {
    let seeds = match number("GARNER_SCHEDULE") {
        Some(seed) => seed..seed + 1,
        None => 0..number("GARNER_SCHEDULES").unwrap_or(SCHEDULES),
    };
    let (schedules, mut total) = (seeds.end - seeds.start, world::Counts::default());
    for seed in seeds {
        match run(seed, None) {
            Ok(counts) => total.add(&counts),
            Err(broken) => panic!("{broken}\nto run it again: GARNER_SCHEDULE={seed}"),
        }
    }
    println!("{schedules} schedules: {total:?}");
    if schedules > 1000 {
        assert!(total.all_happened(), "the simulation leaves something out: {total:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_schedule() {
    for seed in 0..50 {
        assert_eq!(run(seed, None), run(seed, None));
    }
}

#[test]
fn every_seeded_fault_is_found() {
    for fault in FAULTS {
        let found = (0..SCHEDULES).find_map(|seed| run(seed, Some(fault)).err().map(|broken| (seed, broken)));
        let (seed, broken) = found.unwrap_or_else(|| panic!("{fault:?} was not found in {SCHEDULES} schedules"));
        println!("{fault:?}: schedule {seed}: {broken}");
    }
}
