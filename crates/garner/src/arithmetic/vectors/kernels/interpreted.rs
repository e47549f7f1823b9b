// SPDX-License-Identifier: Apache-2.0
//! The kernels interpreted, for tests and constant-time checks.

use super::{At, Family, Kernel, Kernels, Sequence, Widening};
use crate::arithmetic::vectors::class::{Blocks, Class, Composition, DOUBLES, Direct, DirectKernels};
use garner_kernels::{Lanes, interpreter, vex};
use std::sync::LazyLock;
use std::time::Duration;

/// Runs the kernels interpreted: any processor, some 500 times slower.
#[derive(Debug, Clone, Copy, Default)]
pub struct Interpreted;

/// Runs what is printed for AVX-IFMA, interpreted.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterpretedVex;

impl Kernels for InterpretedVex {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn for_lanes(&self, _: usize) -> InterpretedVex {
        InterpretedVex
    }

    fn lanes(&self) -> usize {
        4
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        static PROGRAMS: LazyLock<Vec<Vec<vex::Instruction>>> = LazyLock::new(|| {
            garner_kernels::as_written().iter().map(|kernel| vex::translate(&kernel.program)).collect()
        });
        vex::run(&PROGRAMS[kernel.index], memory, at);
    }
}

/// Runs what is printed for AVX2 and FMA, interpreted.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterpretedDoubles;

impl Kernels for InterpretedDoubles {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn classes(&self) -> &'static [Class; 8] {
        &DOUBLES
    }

    fn for_lanes(&self, _: usize) -> InterpretedDoubles {
        InterpretedDoubles
    }

    fn lanes(&self) -> usize {
        4
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        static KERNELS: LazyLock<Vec<garner_kernels::doubles::Kernel>> = LazyLock::new(garner_kernels::doubles::all);
        match kernel.family {
            Family::Doubles => vex::run(&KERNELS[kernel.index].code, memory, at),
            Family::Programs | Family::TwoRows => InterpretedVex.run(kernel, memory, at),
        }
    }
}

impl Kernels for Interpreted {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn for_lanes(&self, _: usize) -> Interpreted {
        Interpreted
    }

    fn lanes(&self) -> usize {
        8
    }

    fn halves_are_faster(&self) -> bool {
        true
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        static PROGRAMS: LazyLock<Vec<garner_kernels::Kernel>> = LazyLock::new(garner_kernels::all);
        static TWO_ROWS: LazyLock<Vec<garner_kernels::Kernel>> = LazyLock::new(garner_kernels::two_rows::all);
        let kernels = if kernel.family == Family::TwoRows { &TWO_ROWS } else { &PROGRAMS };
        interpreter::run(&kernels[kernel.index].program, memory, at);
    }
}

/// The same with the kernels by two rows at a time, where there are such.
#[derive(Debug, Clone, Copy, Default)]
pub struct InterpretedTwoRows;

impl Kernels for InterpretedTwoRows {
    fn name(&self) -> &'static str {
        "twin"
    }

    fn for_lanes(&self, _: usize) -> InterpretedTwoRows {
        InterpretedTwoRows
    }

    fn lanes(&self) -> usize {
        8
    }

    fn widens(&self, _: Widening, _: impl FnOnce() -> [Duration; 2]) -> bool {
        true
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        &direct.two_rows
    }

    fn composition(&self, blocks: &'static Blocks, _: &dyn Fn(Composition) -> Sequence) -> Composition {
        Composition::TwoRows(&blocks.two_rows)
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        Interpreted.run(kernel, memory, at);
    }
}
