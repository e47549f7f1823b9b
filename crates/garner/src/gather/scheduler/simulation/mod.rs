// SPDX-License-Identifier: Apache-2.0
//! Deterministic simulation of the scheduler: random schedules from a seed, the invariants checked after every event.
//!
//! | variable | meaning |
//! |---|---|
//! | `GARNER_SCHEDULES` | so many schedules instead of [`SCHEDULES`] |
//! | `GARNER_SCHEDULE` | the seed of the one schedule to be run again |

mod checks;
mod random;
mod state;
mod threads;
mod world;

use super::fault::Fault;
use crate::environment::variable;
use std::panic::{AssertUnwindSafe, catch_unwind};
use world::World;

/// Schedules of one test run, unless told otherwise.
const SCHEDULES: u64 = 10_000;

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
