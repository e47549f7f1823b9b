// SPDX-License-Identifier: Apache-2.0
//! Both ends of the protocol without sockets, threads and clocks, from a seed: the client's machine of states ([`Call`]), the
//! rules by which workers collect ([`Collector`]), and messages as they are. Between them a world in which packets are late,
//! doubled or lost, and either side dies at any step. What happens is the seed's alone: a violation names it, and it replays.

mod world;

use world::{Death, Fault, Rules, Side, World};

const SEEDS: u64 = 400;

/// Everybody keeps to the rules, answers come late and doubled, the daemon dies and is there again: all is answered.
const ROUGH: Rules = Rules { threads: 12, calls: 6, late: 0.02, doubled: 0.1, lost: 0.0, deaths: 0.004, fault: None };
/// Answers are lost, too: whoever waits for one is told in time, and nobody gets another's.
const LOSSY: Rules = Rules { lost: 0.05, late: 0.1, ..ROUGH };
/// Few, and nothing but what a test does to them.
const CALM: Rules = Rules { threads: 4, calls: 3, late: 0.0, doubled: 0.0, lost: 0.0, deaths: 0.0, fault: None };

#[test]
fn all_calls_are_answered_whatever_is_late_or_doubled_and_however_often_the_daemon_dies() {
    let mut deaths = 0;
    for seed in 0..SEEDS {
        let report = World::new(ROUGH, seed, None).run().unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
        assert_eq!(report.answered + report.refused, ROUGH.threads * ROUGH.calls, "seed {seed}");
        assert!(report.answered > 0 && report.batches > 0);
        deaths += report.deaths;
    }
    assert!(deaths > 100, "only {deaths} deaths");
}

#[test]
fn where_answers_are_lost_every_call_ends_in_time_and_no_answer_is_anothers() {
    let mut failed = 0;
    for seed in 0..SEEDS {
        let report = World::new(LOSSY, seed, None).run().unwrap_or_else(|violation| panic!("seed {seed}: {violation}"));
        assert_eq!(report.answered + report.refused + report.failed, LOSSY.threads * LOSSY.calls, "seed {seed}");
        failed += report.failed;
    }
    assert!(failed > 100, "only {failed} calls failed");
}

#[test]
fn either_side_may_die_at_every_step() {
    for seed in 0..4 {
        let steps = World::new(CALM, seed, None).run().unwrap().steps;
        for side in [Side::Daemon, Side::Program] {
            for step in 0..steps {
                let death = Some(Death { side, step });
                let report = World::new(CALM, seed, death).run();
                report.unwrap_or_else(|violation| panic!("seed {seed}, {side:?} dies at step {step}: {violation}"));
            }
        }
    }
}

/// Each fault is put into the world, and a seed is found that shows it, the same each time.
#[test]
fn every_fault_that_is_put_in_is_found() {
    for fault in Fault::ALL {
        let found = [ROUGH, LOSSY].into_iter().find_map(|rules| {
            let rules = Rules { fault: Some(fault), ..rules };
            (0..SEEDS)
                .find_map(|seed| World::new(rules, seed, None).run().err().map(|violation| (rules, seed, violation)))
        });
        let (rules, seed, violation) = found.unwrap_or_else(|| panic!("{fault:?} is not found"));
        println!("{fault:?}: seed {seed}: {violation}");
        assert_eq!(
            World::new(rules, seed, None).run().unwrap_err(),
            violation,
            "{fault:?}, seed {seed}: does not replay"
        );
    }
}
