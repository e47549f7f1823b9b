// SPDX-License-Identifier: Apache-2.0
//! Which rows stay in registers once they were loaded, so that they need not be loaded again.

use super::{REGISTERS, changes_in_place, nodes};
use crate::ports::Processor;
use crate::program::Op;
use std::collections::HashMap;

/// Registers that no operation needs, in the order written.
pub(super) fn free_registers(ops: &[Op], processor: &Processor) -> usize {
    let nodes = nodes(ops, processor, None, &mut Loaded::default());
    let mut last = HashMap::new();
    for (at, node) in nodes.iter().enumerate() {
        node.reads.iter().for_each(|(_, value)| {
            last.insert(*value, at);
        });
    }
    let (mut live, mut most) = (0usize, 0);
    for (at, node) in nodes.iter().enumerate() {
        live += usize::from(node.writes.is_some_and(|value| last.contains_key(&value)));
        most = most.max(live + usize::from(node.writes.is_some_and(|value| !last.contains_key(&value))));
        live -= node.reads.iter().filter(|(_, value)| last[value] == at).count();
    }
    REGISTERS.saturating_sub(most + 1)
}

/// Rows whose words are in registers, because they were loaded: those used longest ago give way.
#[derive(Default)]
pub(super) struct Loaded {
    /// How many stay.
    room: usize,
    rows: Vec<((usize, usize), usize)>,
}

impl Loaded {
    /// Room for so many.
    pub(super) fn with(room: usize) -> Loaded {
        Loaded { room, rows: Vec::new() }
    }

    /// The value that was loaded from this row.
    pub(super) fn get(&mut self, row: (usize, usize)) -> Option<usize> {
        let at = self.rows.iter().position(|(other, _)| *other == row)?;
        let found = self.rows.remove(at);
        self.rows.push(found);
        Some(found.1)
    }

    pub(super) fn put(&mut self, row: (usize, usize), value: usize) {
        if self.room > 0 {
            if self.rows.len() == self.room {
                self.rows.remove(0);
            }
            self.rows.push((row, value));
        }
    }

    /// What is in memory there is another value now.
    pub(super) fn forget(&mut self, row: (usize, usize)) {
        self.rows.retain(|(other, _)| *other != row);
    }
}

/// For each operation, whether its result goes into another value in the same register.
pub(super) fn changed_in_place(ops: &[Op]) -> Vec<bool> {
    let (mut changed, mut writers) = (vec![false; ops.len()], [None; 2 * REGISTERS]);
    for (number, op) in ops.iter().enumerate() {
        if let Some(register) = op.operands().writes {
            let writer = &mut writers[register.0 as usize];
            if let (true, Some(writer)) = (changes_in_place(op), *writer) {
                changed[writer] = true;
            }
            *writer = Some(number);
        }
    }
    changed
}
