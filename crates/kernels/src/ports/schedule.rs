// SPDX-License-Identifier: Apache-2.0
//! What a program takes in the order in which it is written: each operation begins as soon as its operands and a port allow,
//! older ones first, within the processor's window.

use super::{Processor, Work};
use crate::Program;
use crate::program::{Op, Pointer, Row};
use std::collections::{BTreeMap, HashMap, VecDeque};

/// Cycles of one run of `program` among many: what a second run adds to the first. Between runs only memory that is reached
/// by one pointer connects them.
pub fn cycles(program: &Program, processor: &Processor) -> usize {
    let mut core = Core::new(processor);
    program.walk(|op, moved| core.take(op, moved));
    let first = core.last;
    program.walk(|op, moved| core.take(op, moved));
    core.last - first
}

/// When what operations need is there.
pub(super) struct Dependences<'p> {
    processor: &'p Processor,
    vectors: [usize; 32],
    masks: [usize; 8],
    /// When a row was stored, by pointer and row.
    stored: HashMap<(usize, isize), usize>,
}

impl<'p> Dependences<'p> {
    pub fn new(processor: &'p Processor) -> Dependences<'p> {
        Dependences { processor, vectors: [0; 32], masks: [0; 8], stored: HashMap::new() }
    }

    /// When `op` can begin to work, from what is in registers and memory.
    pub fn ready(&self, op: &Op, moved: &[isize; Pointer::COUNT]) -> usize {
        let operands = op.operands();
        let registers = operands.reads.iter().map(|register| self.vectors[register.0 as usize]);
        let mask = operands.reads_mask.map(|mask| self.masks[mask.0 as usize]);
        let row = operands.loads.and_then(|row| self.stored.get(&place(row, moved)));
        let row = row.map(|stored| stored + self.processor.forward_latency);
        registers.chain(mask).chain(row).max().unwrap_or(0)
    }

    /// Notes that `op` begins to work at `start`; returns when its result is there.
    pub fn finish(&mut self, op: &Op, moved: &[isize; Pointer::COUNT], start: usize) -> usize {
        let latency = Work::of(op).map_or(0, |work| self.processor.unit(work).latency);
        let operands = op.operands();
        if let Some(register) = operands.writes {
            self.vectors[register.0 as usize] = start + latency;
        }
        if let Some(mask) = operands.writes_mask {
            self.masks[mask.0 as usize] = start + latency;
        }
        if let Some(row) = operands.stores {
            self.stored.insert(place(row, moved), start);
        }
        start + latency
    }
}

fn place(row: Row, moved: &[isize; Pointer::COUNT]) -> (usize, isize) {
    (row.pointer.index(), moved[row.pointer.index()].saturating_add_unsigned(row.row))
}

/// When vector ports, or the ways to or from memory, are taken.
#[derive(Default)]
struct Calendar {
    /// What is taken of each cycle that has not passed: ports, a bit for each, or a number of loads or stores.
    taken: BTreeMap<usize, usize>,
}

struct Core<'p> {
    processor: &'p Processor,
    dependences: Dependences<'p>,
    ports: Calendar,
    loads: Calendar,
    stores: Calendar,
    /// When each of the last instructions finished, in order; the oldest first.
    retired: VecDeque<usize>,
    /// When the last vector operations began, as many as can wait.
    begun: BTreeMap<usize, usize>,
    waiting: usize,
    taken: usize,
    cycle: usize,
    /// When the last instruction finished.
    last: usize,
}

impl<'p> Core<'p> {
    fn new(processor: &'p Processor) -> Core<'p> {
        Core {
            processor,
            dependences: Dependences::new(processor),
            ports: Calendar::default(),
            loads: Calendar::default(),
            stores: Calendar::default(),
            retired: VecDeque::new(),
            begun: BTreeMap::new(),
            waiting: 0,
            taken: 0,
            cycle: 0,
            last: 0,
        }
    }

    /// Takes the next instruction, and finds when it works.
    fn take(&mut self, op: &Op, moved: &[isize; Pointer::COUNT]) {
        let processor = self.processor;
        if self.taken == processor.width {
            self.taken = 0;
            self.cycle += 1;
        }
        // The window is full until the oldest has finished, and all before it.
        if self.retired.len() == processor.window {
            let oldest = self.retired.pop_front().unwrap_or(0);
            self.wait_until(oldest);
        }
        let work = Work::of(op);
        if work.is_some() {
            self.leave_queue();
            while self.waiting >= processor.waiting {
                let next = self.begun.first_key_value().map_or(0, |(cycle, _)| *cycle);
                self.wait_until(next + 1);
                self.leave_queue();
            }
        }
        self.taken += 1;
        let operands = op.operands();
        let mut start = self.dependences.ready(op, moved).max(self.cycle + 1);
        if operands.loads.is_some() {
            let begin = self.loads.shared(self.cycle + 1, processor.loads_in_two);
            start = start.max(begin + processor.load_latency);
        }
        if let Some(work) = work {
            start = self.ports.port(start, processor.unit(work).ports, processor.busy);
            *self.begun.entry(start).or_default() += 1;
            self.waiting += 1;
        }
        if operands.stores.is_some() {
            start = self.stores.shared(start, processor.stores_in_two);
        }
        let end = self.dependences.finish(op, moved, start);
        self.last = self.last.max(end);
        self.retired.push_back(self.last);
    }

    fn wait_until(&mut self, cycle: usize) {
        if cycle > self.cycle {
            (self.cycle, self.taken) = (cycle, 0);
        }
        let passed = self.cycle.saturating_sub(2);
        for calendar in [&mut self.ports, &mut self.loads, &mut self.stores] {
            calendar.taken = calendar.taken.split_off(&passed);
        }
    }

    /// Lets go of what has begun to work.
    fn leave_queue(&mut self) {
        while let Some(entry) = self.begun.first_entry().filter(|entry| *entry.key() <= self.cycle) {
            self.waiting -= entry.remove();
        }
    }
}

impl Calendar {
    /// The first cycle from `from` on in which one of `ports` is free for `busy` cycles, which it then is no more.
    fn port(&mut self, from: usize, ports: u8, busy: usize) -> usize {
        for cycle in from.. {
            let taken = (cycle..cycle + busy).fold(0, |all, cycle| all | self.taken.get(&cycle).copied().unwrap_or(0));
            let free = usize::from(ports) & !taken;
            if free != 0 {
                // The highest: those that only some work can use are the lowest.
                let port = 1 << free.ilog2();
                (cycle..cycle + busy).for_each(|cycle| *self.taken.entry(cycle).or_default() |= port);
                return cycle;
            }
        }
        unreachable!("some cycle is free")
    }

    /// The first cycle from `from` on in which one more can begin, where `in_two` can in two.
    fn shared(&mut self, from: usize, in_two: usize) -> usize {
        for cycle in from.. {
            let first = if in_two == 1 { cycle & !1 } else { cycle };
            let taken = self.taken.entry(first).or_default();
            if *taken < in_two.div_ceil(2) {
                *taken += 1;
                return cycle;
            }
        }
        unreachable!("some cycle is free")
    }
}
