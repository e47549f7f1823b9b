// SPDX-License-Identifier: Apache-2.0
//! Which register holds what: column sums that come and go, and temporaries used in turn.

use crate::program::{Code, Source, Vector};
use std::collections::{HashMap, HashSet, VecDeque};

/// Column sums of a product, each in a register while it is open.
pub(crate) struct Columns {
    free: VecDeque<Vector>,
    held: HashMap<usize, Vector>,
    started: HashSet<usize>,
}

impl Columns {
    /// No column open; registers from `free`.
    pub fn new(free: impl IntoIterator<Item = u8>) -> Columns {
        Columns { free: free.into_iter().map(Vector).collect(), held: HashMap::new(), started: HashSet::new() }
    }

    /// Gives a column a register; its sum starts with the first term.
    pub fn open(&mut self, column: usize) {
        let register = self.free.pop_front().expect("a free register for the column");
        assert!(self.held.insert(column, register).is_none(), "column {column} is open already");
    }

    /// The register of an open column.
    pub fn at(&self, column: usize) -> Vector {
        self.held[&column]
    }

    /// Whether the column has a sum yet.
    pub fn has_started(&self, column: usize) -> bool {
        self.started.contains(&column)
    }

    /// Starts a column's sum from zero.
    pub fn start(&mut self, column: usize, code: &mut Code) {
        assert!(self.started.insert(column), "column {column} has started already");
        code.zero(self.at(column));
    }

    /// Like [`Columns::start`], unless the sum has started.
    pub fn ensure_started(&mut self, column: usize, code: &mut Code) {
        if !self.has_started(column) {
            self.start(column, code);
        }
    }

    /// Takes a free register away, the one that columns would have taken last.
    pub fn take(&mut self) -> Vector {
        self.free.pop_back().expect("a free register")
    }

    /// Ends a column: its register is free from here on.
    pub fn close(&mut self, column: usize) -> Vector {
        let register = self.held.remove(&column).expect("an open column");
        // The register freed last is taken first, so that the code keeps to few registers.
        self.free.push_front(register);
        register
    }
}

/// Temporaries used in turn, so that one need not wait for the last use of the other.
pub(crate) struct Rotation {
    registers: Vec<Vector>,
    next: usize,
}

impl Rotation {
    /// Over these registers.
    pub fn new(registers: impl IntoIterator<Item = u8>) -> Rotation {
        let registers: Vec<Vector> = registers.into_iter().map(Vector).collect();
        assert!(!registers.is_empty(), "at least one temporary");
        Rotation { registers, next: 0 }
    }

    /// How many registers.
    pub fn len(&self) -> usize {
        self.registers.len()
    }

    /// The next register.
    pub fn take(&mut self) -> Vector {
        let register = self.registers[self.next % self.registers.len()];
        self.next += 1;
        register
    }

    /// A register loaded with `from`.
    pub fn load(&mut self, from: impl Into<Source>, code: &mut Code) -> Vector {
        let register = self.take();
        code.copy(register, from);
        register
    }
}
