// SPDX-License-Identifier: Apache-2.0
//! What a program takes at least, whatever the order of its operations.

use super::schedule::Dependences;
use super::{Counts, Processor, Work};
use crate::Program;

/// Lower bounds of a program's time, in cycles of a processor.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Bound {
    /// By the vector ports: for any ports, what only they can do, shared evenly.
    pub ports: f64,
    /// By the ways from memory.
    pub loads: f64,
    /// By the ways to memory.
    pub stores: f64,
    /// By the instructions taken in a cycle.
    pub instructions: f64,
    /// By the longest chain of operations each of which needs the one before, in registers or, in a program's own rows, memory.
    pub chain: f64,
}

impl Bound {
    /// Of `program` on `processor`.
    pub fn of(program: &Program, processor: &Processor) -> Bound {
        let counts = Counts::of(program);
        let mut chain = Dependences::new(processor);
        let mut longest = 0;
        program.walk(|op, moved| {
            let ready = chain.ready(op, moved);
            longest = longest.max(chain.finish(op, moved, ready));
        });
        Bound {
            ports: ports(&counts, processor),
            loads: 2.0 * counts.loads as f64 / processor.loads_in_two as f64,
            stores: 2.0 * counts.stores as f64 / processor.stores_in_two as f64,
            instructions: counts.instructions as f64 / processor.width as f64,
            chain: longest as f64,
        }
    }

    /// The largest of them.
    pub fn cycles(&self) -> f64 {
        [self.ports, self.loads, self.stores, self.instructions, self.chain].into_iter().fold(0.0, f64::max)
    }
}

fn ports(counts: &Counts, processor: &Processor) -> f64 {
    let bound = |ports: u8| {
        let only_there = Work::ALL.into_iter().filter(|work| processor.unit(*work).ports & !ports == 0);
        let operations: usize = only_there.map(|work| counts.of_work(work)).sum();
        (operations * processor.busy) as f64 / f64::from(ports.count_ones())
    };
    (1..16).map(bound).fold(0.0, f64::max)
}
