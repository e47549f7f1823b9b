// SPDX-License-Identifier: Apache-2.0
//! Which of the 16 registers holds what, and when a value is kept in memory instead.

use super::Instruction as I;
use super::{Instruction, LANES, Operand, Place, REGISTERS, Register};
use crate::constants;
use std::collections::{BTreeMap, BTreeSet};

/// Registers whose values `code` reads before it writes them, or leaves for those in `after`.
fn live_before(code: &[Instruction], after: &BTreeSet<Register>) -> BTreeSet<Register> {
    let mut live = after.clone();
    for instruction in code.iter().rev() {
        if let I::Repeat { body, .. } = instruction {
            live = live_in_loop(body, &live);
        } else {
            instruction.writes().into_iter().for_each(|register| {
                live.remove(&register);
            });
            live.extend(instruction.reads());
        }
    }
    live
}

/// Registers whose values matter at the start and the end of a loop's turns.
fn live_in_loop(body: &[Instruction], after: &BTreeSet<Register>) -> BTreeSet<Register> {
    // What the first turn reads, any turn's end must keep.
    let mut live = after.clone();
    live.extend(live_before(body, after));
    live.extend(live_before(body, &live));
    live
}

/// Where a register's value stands in memory while it is in none.
fn home(homes: &mut BTreeMap<Register, usize>, register: Register) -> Place {
    let next = homes.len();
    let slot = *homes.entry(register).or_insert(next);
    assert!(slot < 2 * constants::SPILL_ROWS, "too many spilled values");
    Place { pointer: constants::POINTER, word: 8 * constants::SPILL + LANES * slot }
}

/// Allocates the registers of a whole program.
pub(super) fn allocate(code: &[Instruction]) -> Vec<Instruction> {
    allocate_before(code, &BTreeSet::new(), &mut BTreeMap::new())
}

/// Allocates the registers of code after which the values of `after` matter. Between straight runs of code, and so at
/// both ends of a loop's turn, all values are at home.
fn allocate_before(
    code: &[Instruction],
    after: &BTreeSet<Register>,
    homes: &mut BTreeMap<Register, usize>,
) -> Vec<Instruction> {
    let mut allocated = Vec::new();
    let mut rest = code;
    while !rest.is_empty() {
        let straight = rest.iter().position(|i| matches!(i, I::Repeat { .. })).unwrap_or(rest.len());
        let (run, others) = rest.split_at(straight);
        Run::new(run, live_before(others, after), homes).allocate(&mut allocated);
        rest = others;
        if let Some((I::Repeat { count, body }, others)) = others.split_first() {
            let live = live_in_loop(body, &live_before(others, after));
            allocated.push(I::Repeat { count: *count, body: allocate_before(body, &live, homes) });
            rest = others;
        }
    }
    allocated
}

/// A straight run of code: a register is given up when its value is needed later than all others' (Belady 1966).
struct Run<'a> {
    code: &'a [Instruction],
    after: BTreeSet<Register>,
    homes: &'a mut BTreeMap<Register, usize>,
    /// For each register, where it is read or, if it is not read there, written.
    events: BTreeMap<Register, Vec<(usize, bool)>>,
    /// What each of the processor's registers holds, and whether that is not at home yet.
    held: [Option<(Register, bool)>; REGISTERS],
}

impl<'a> Run<'a> {
    fn new(code: &'a [Instruction], after: BTreeSet<Register>, homes: &'a mut BTreeMap<Register, usize>) -> Run<'a> {
        let mut events: BTreeMap<Register, Vec<(usize, bool)>> = BTreeMap::new();
        for (i, instruction) in code.iter().enumerate() {
            let reads = instruction.reads();
            for &register in &reads {
                events.entry(register).or_default().push((i, true));
            }
            for register in instruction.writes().into_iter().filter(|register| !reads.contains(register)) {
                events.entry(register).or_default().push((i, false));
            }
        }
        Run { code, after, homes, events, held: [None; REGISTERS] }
    }

    /// Where a value is next read after instruction `i`; none if never.
    fn next_read(&self, register: Register, i: usize) -> Option<usize> {
        let events = self.events.get(&register).map_or(&[][..], Vec::as_slice);
        match events.get(events.partition_point(|&(at, _)| at <= i)) {
            Some(&(at, read)) => read.then_some(at),
            None => self.after.contains(&register).then_some(self.code.len()),
        }
    }

    fn holder(&self, register: Register) -> Option<usize> {
        self.held.iter().position(|held| held.is_some_and(|(held, _)| held == register))
    }

    /// A register free at instruction `i`, none of `pinned`: an unused one, or the one needed last.
    fn free(&mut self, i: usize, pinned: &[usize], code: &mut Vec<Instruction>) -> usize {
        let next = |place: usize| match self.held[place] {
            None => usize::MAX,
            Some((register, _)) => self.next_read(register, i).unwrap_or(usize::MAX - 1),
        };
        let place = (0..REGISTERS).filter(|place| !pinned.contains(place)).max_by_key(|&place| next(place));
        let place = place.expect("fewer operands than registers");
        if let Some((register, true)) = self.held[place]
            && self.next_read(register, i).is_some()
        {
            code.push(I::Store { to: home(self.homes, register), from: Register(place as u8) });
        }
        self.held[place] = None;
        place
    }

    fn allocate(mut self, code: &mut Vec<Instruction>) {
        for (i, instruction) in self.code.iter().enumerate() {
            if let I::Advance { .. } = instruction {
                code.push(instruction.clone());
                continue;
            }
            let (reads, second) = (instruction.reads(), instruction.second());
            let mut pinned: Vec<usize> = reads.iter().filter_map(|&register| self.holder(register)).collect();
            for &register in &reads {
                // A second operand that nothing else reads soon stays in memory.
                let once = reads.iter().filter(|&&other| other == register).count() == 1;
                let only_second = second == Some(register) && once;
                if self.holder(register).is_none() && !(only_second && self.next_read(register, i).is_none()) {
                    let place = self.free(i.wrapping_sub(1).min(i), &pinned, code);
                    code.push(I::Load { to: Register(place as u8), from: home(self.homes, register) });
                    self.held[place] = Some((register, false));
                    pinned.push(place);
                }
            }
            let places: BTreeMap<Register, Operand> = reads
                .iter()
                .map(|&register| match self.holder(register) {
                    Some(place) => (register, Operand::Register(Register(place as u8))),
                    None => (register, Operand::Memory(home(self.homes, register))),
                })
                .collect();
            let mut written = None;
            if let Some(register) = instruction.writes() {
                let place = match self.holder(register) {
                    Some(place) => place,
                    None => {
                        // The result may replace an operand that is not read again.
                        pinned.retain(|&place| {
                            self.held[place].is_some_and(|(held, _)| self.next_read(held, i).is_some())
                        });
                        self.free(i, &pinned, code)
                    }
                };
                self.held[place] = Some((register, true));
                written = Some(Register(place as u8));
            }
            let read = |register: Register| match places[&register] {
                Operand::Register(place) => place,
                Operand::Memory(_) => unreachable!("loaded above"),
            };
            code.push(instruction.with(read, |register| places[&register], |_| written.expect("a place")));
        }
        let end = self.code.len().saturating_sub(1);
        for place in 0..REGISTERS {
            if let Some((register, true)) = self.held[place]
                && self.next_read(register, end).is_some()
            {
                code.push(I::Store { to: home(self.homes, register), from: Register(place as u8) });
            }
        }
    }
}
