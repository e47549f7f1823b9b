// SPDX-License-Identifier: Apache-2.0
//! Prints a program as PTX, which the driver compiles for the GPU at hand when it loads it.
//!
//! Calling convention: one 64-bit address per array, then the number of warps that have work, then the program's
//! parameter. The address of an array in constant memory is that of a place in the kernel's variable: see [`constants`].
//! Each warp takes one tile, or its part of one; a block may have any number of whole warps up to [`MOST_WARPS`], and has
//! dynamic shared memory of [`Program::shared_bytes`] for each of them.

use crate::Kernel;
use crate::program::{Carry, Count, LANES, Layout, Op, Pointer, Program, ROW_WORDS, Register, SPREAD, Space, Value};
use std::fmt::Write;

/// Warps in a block at most.
pub const MOST_WARPS: usize = 4;

/// Arrays in constant memory that a module has room for: launches that may be under way at the same time.
pub const CONSTANT_PLACES: usize = 16;

/// The name of a kernel's variable in constant memory, which has [`CONSTANT_PLACES`].
pub fn constants(kernel: &Kernel) -> String {
    format!("{}_constants", kernel.name)
}

/// Bytes of each place in it, for an array of `words` words: no two places share a line of a cache.
pub const fn constant_place_bytes(words: usize) -> usize {
    (4 * words).next_multiple_of(256)
}

/// The oldest architecture that can run any kernel, as ten times its compute capability.
pub const OLDEST: u32 = 75;

/// The oldest that can run kernels for tensor cores.
pub const TENSOR_CORES: u32 = 80;

/// The oldest that can run this kernel.
pub fn target(kernel: &Kernel) -> u32 {
    if kernel.program.multiplies_matrices() { TENSOR_CORES } else { OLDEST }
}

const TEXT: &str = "writing to a string";

/// A module of these kernels, as text.
pub fn module(kernels: &[&Kernel]) -> String {
    let target = kernels.iter().map(|kernel| target(kernel)).max().unwrap_or(OLDEST);
    let mut text = format!(".version 7.0\n.target sm_{target}\n.address_size 64\n");
    if kernels.iter().any(|kernel| kernel.program.shared_rows > 0) {
        text.push_str(".extern .shared .align 16 .b8 chip[];\n");
    }
    for kernel in kernels {
        if let Some((_, words)) = kernel.program.constant {
            let bytes = CONSTANT_PLACES * constant_place_bytes(words);
            writeln!(text, ".visible .const .align 256 .b8 {}[{bytes}];", constants(kernel)).expect(TEXT);
        }
        Printer { text: &mut text, constants: constants(kernel), labels: 0 }.kernel(kernel);
    }
    text
}

struct Printer<'a> {
    text: &'a mut String,
    constants: String,
    labels: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "\t{line};").expect(TEXT);
    }

    fn kernel(&mut self, kernel: &Kernel) {
        let Kernel { name, program, .. } = kernel;
        let parameters: Vec<String> = (0..program.parameters).map(|i| format!(".param .u64 array{i}")).collect();
        let threads = MOST_WARPS * LANES;
        let parameters = parameters.join(", ");
        writeln!(
            self.text,
            "\n.visible .entry {name}({parameters}, .param .u32 tiles, .param .u32 number)\n.maxntid {threads}, 1, 1\n.maxnreg {}\n{{",
            kernel.most_registers()
        )
        .expect(TEXT);
        self.line(format_args!(".reg .b32 %r<{}>", program.registers + 1));
        self.line(format_args!(".reg .b32 %tile, %lane, %share, %warp, %warps, %tiles, %at"));
        self.line(format_args!(".reg .b64 %wide"));
        self.line(format_args!(".reg .pred %past"));
        for pointer in &program.pointers {
            let bits = if pointer.space == Space::Shared { 32 } else { 64 };
            self.line(format_args!(".reg .b{bits} {}", name_of(*pointer)));
        }
        // The tile of this warp; warps past the last tile leave as a whole.
        for line in [
            "mov.u32 %at, %tid.x",
            "and.b32 %lane, %at, 31",
            "shr.u32 %warp, %at, 5",
            "and.b32 %share, %lane, 3",
            "mov.u32 %warps, %ntid.x",
            "shr.u32 %warps, %warps, 5",
            "mov.u32 %at, %ctaid.x",
            "mad.lo.u32 %tile, %at, %warps, %warp",
            "ld.param.u32 %tiles, [tiles]",
            "setp.ge.u32 %past, %tile, %tiles",
        ] {
            self.line(format_args!("{line}"));
        }
        self.text.push_str("\t@%past ret;\n");
        if program.spread > 1 {
            // From a warp and its thread to a tile, the number in it and the thread's share of that.
            let (bits, numbers) = (program.spread.ilog2(), LANES / program.spread);
            for line in [
                format!("shr.u32 %lane, %lane, {bits}"),
                format!("and.b32 %at, %tile, {}", program.spread - 1),
                format!("mad.lo.u32 %lane, %at, {numbers}, %lane"),
                format!("shr.u32 %tile, %tile, {bits}"),
            ] {
                self.line(format_args!("{line}"));
            }
        }
        self.ops(&program.ops, program);
        self.text.push_str("\tret;\n}\n");
    }

    fn ops(&mut self, ops: &[Op], program: &Program) {
        for op in ops {
            self.op(op, program);
        }
    }

    fn op(&mut self, op: &Op, program: &Program) {
        match op {
            Op::Copy { to, from } => self.line(format_args!("mov.u32 {}, {}", r(*to), v(*from))),
            Op::MultiplyAdd { high, to, a, b, c, carry } => {
                let half = if *high { "hi" } else { "lo" };
                let (takes, gives) = suffixes(*carry);
                let (to, a, b, c) = (r(*to), v(*a), v(*b), v(*c));
                self.line(format_args!("mad{takes}.{half}{gives}.u32 {to}, {a}, {b}, {c}"));
            }
            Op::Multiply { to, a, b } => self.line(format_args!("mul.lo.u32 {}, {}, {}", r(*to), v(*a), v(*b))),
            Op::Add { to, a, b, carry } => {
                let (takes, gives) = suffixes(*carry);
                self.line(format_args!("add{takes}{gives}.u32 {}, {}, {}", r(*to), v(*a), v(*b)));
            }
            Op::Subtract { to, a, b, carry } => {
                let (takes, gives) = suffixes(*carry);
                self.line(format_args!("sub{takes}{gives}.u32 {}, {}, {}", r(*to), v(*a), v(*b)));
            }
            Op::And { to, a, b } => self.line(format_args!("and.b32 {}, {}, {}", r(*to), v(*a), v(*b))),
            Op::Or { to, a, b } => self.line(format_args!("or.b32 {}, {}, {}", r(*to), v(*a), v(*b))),
            Op::ShiftRight { to, a, bits } => self.line(format_args!("shr.u32 {}, {}, {bits}", r(*to), v(*a))),
            Op::ShiftLeft { to, high, low, bits } => {
                self.line(format_args!("shf.l.wrap.b32 {}, {}, {}, {bits}", r(*to), v(*low), v(*high)));
            }
            Op::Equal { to, a, b } => self.line(format_args!("set.eq.u32.u32 {}, {}, {}", r(*to), v(*a), v(*b))),
            Op::Load { to, pointer, row } => {
                let [a, b, c, d] = to.map(r);
                let (space, address) = at(*pointer, *row);
                self.line(format_args!("ld.{space}.v4.u32 {{{a}, {b}, {c}, {d}}}, {address}"));
            }
            Op::Store { from, pointer, row } => {
                let [a, b, c, d] = from.map(v);
                let (space, address) = at(*pointer, *row);
                self.line(format_args!("st.{space}.v4.u32 {address}, {{{a}, {b}, {c}, {d}}}"));
            }
            Op::PointAtTile { pointer, rows, share_rows } => self.point_at_tile(*pointer, *rows, *share_rows, program),
            Op::PointAtRecord { pointer, index, rows } => {
                let (name, bytes) = (name_of(*pointer), i64::from(*rows) * row_bytes(*pointer));
                self.array(*pointer);
                self.line(format_args!("mad.wide.u32 {name}, {}, {bytes}, {name}", r(*index)));
                if pointer.layout == Layout::Tile {
                    self.line(format_args!("mad.wide.u32 {name}, %lane, {}, {name}", ROW_WORDS * 4));
                }
            }
            Op::PointAtShare { pointer, of, share_rows } => {
                let (name, from) = (name_of(*pointer), name_of(*of));
                let how = if of.space == Space::Shared { "mad.lo.s32" } else { "mad.wide.s32" };
                let share = i64::from(*share_rows) * row_bytes(*of);
                self.line(format_args!("{how} {name}, %share, {share}, {from}"));
                if of.layout == Layout::Tile {
                    // From number `lane` to number `lane / SPREAD`.
                    self.line(format_args!("shr.u32 %at, %lane, {}", SPREAD.ilog2()));
                    self.line(format_args!("sub.u32 %at, %at, %lane"));
                    self.line(format_args!("{how} {name}, %at, {}, {name}", ROW_WORDS * 4));
                }
            }
            Op::Synchronise => self.line(format_args!("bar.warp.sync -1")),
            Op::MultiplyMatrices { sum, a, b } => {
                let [sum, a, b] = [&sum.map(r)[..], &a.map(v)[..], &[v(*b)][..]].map(|list| list.join(", "));
                self.line(format_args!(
                    "mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {{{sum}}}, {{{a}}}, {{{b}}}, {{{sum}}}"
                ));
            }
            Op::Advance { pointer, rows } => {
                let (name, bytes) = (name_of(*pointer), i64::from(*rows) * 4 * pointer.move_words() as i64);
                let bits = if pointer.space == Space::Shared { 32 } else { 64 };
                self.line(format_args!("add.s{bits} {name}, {name}, {bytes}"));
            }
            Op::CopyPointer { to, from } => {
                let bits = if to.space == Space::Shared { 32 } else { 64 };
                self.line(format_args!("mov.b{bits} {}, {}", name_of(*to), name_of(*from)));
            }
            Op::Share { to } => self.line(format_args!("mov.u32 {}, %share", r(*to))),
            Op::Shuffle { to, from, share } => {
                // Within as many threads as a number has, all of which are there.
                let clamp = (LANES - SPREAD) << 8 | (LANES - 1);
                self.line(format_args!("shfl.sync.idx.b32 {}, {}, {}, {clamp}, -1", r(*to), r(*from), v(*share)));
            }
            Op::Parameter { to } => self.line(format_args!("ld.param.u32 {}, [number]", r(*to))),
            Op::Repeat { count, body } => self.repeat(*count, body, program),
            Op::Zero { .. } => {}
        }
    }

    fn array(&mut self, pointer: Pointer) {
        let name = name_of(pointer);
        match pointer.space {
            Space::Global(parameter) => {
                self.line(format_args!("ld.param.u64 {name}, [array{parameter}]"));
                self.line(format_args!("cvta.to.global.u64 {name}, {name}"));
            }
            Space::Constant(parameter) => {
                let constants = self.constants.clone();
                self.line(format_args!("ld.param.u64 {name}, [array{parameter}]"));
                self.line(format_args!("mov.u64 %wide, {constants}"));
                self.line(format_args!("add.u64 {name}, {name}, %wide"));
            }
            Space::Shared => {}
        }
    }

    fn point_at_tile(&mut self, pointer: Pointer, rows: u32, share_rows: u32, program: &Program) {
        let name = name_of(pointer);
        let lane = ROW_WORDS * 4;
        match pointer.space {
            Space::Global(_) | Space::Constant(_) => {
                self.array(pointer);
                let tile = i64::from(rows) * row_bytes(pointer);
                self.line(format_args!("mad.wide.u32 {name}, %tile, {tile}, {name}"));
                self.line(format_args!("mad.wide.u32 {name}, %lane, {lane}, {name}"));
                if share_rows > 0 {
                    let share = i64::from(share_rows) * row_bytes(pointer);
                    self.line(format_args!("mad.wide.u32 {name}, %share, {share}, {name}"));
                }
            }
            Space::Shared => {
                self.line(format_args!("mov.u32 {name}, chip"));
                self.line(format_args!("mad.lo.u32 {name}, %warp, {}, {name}", program.shared_bytes()));
                self.line(format_args!("mad.lo.u32 {name}, %lane, {lane}, {name}"));
            }
        }
    }

    fn repeat(&mut self, count: Count, body: &[Op], program: &Program) {
        self.labels += 1;
        let label = self.labels;
        // Names within a block are its own.
        self.text.push_str("\t{\n");
        self.line(format_args!(".reg .b32 %left"));
        self.line(format_args!(".reg .pred %again"));
        match count {
            Count::Constant(times) => self.line(format_args!("mov.u32 %left, {times}")),
            Count::Register(register) => {
                self.line(format_args!("mov.u32 %left, {}", r(register)));
                self.line(format_args!("setp.eq.u32 %again, %left, 0"));
                self.text.push_str(&format!("\t@%again bra END_{label};\n"));
            }
        }
        writeln!(self.text, "LOOP_{label}:\n\t.pragma \"nounroll\";").expect(TEXT);
        self.ops(body, program);
        self.line(format_args!("sub.u32 %left, %left, 1"));
        self.line(format_args!("setp.ne.u32 %again, %left, 0"));
        writeln!(self.text, "\t@%again bra LOOP_{label};\nEND_{label}:\n\t}}").expect(TEXT);
    }
}

fn r(register: Register) -> String {
    format!("%r{}", register.0)
}

fn v(value: Value) -> String {
    match value {
        Value::Register(register) => r(register),
        Value::Word(word) => word.to_string(),
    }
}

fn name_of(pointer: Pointer) -> String {
    format!("%p{}", pointer.index)
}

fn row_bytes(pointer: Pointer) -> i64 {
    4 * pointer.row_words as i64
}

fn at(pointer: Pointer, row: u32) -> (&'static str, String) {
    let space = match pointer.space {
        Space::Global(_) => "global",
        Space::Constant(_) => "const",
        Space::Shared => "shared",
    };
    (space, format!("[{}+{}]", name_of(pointer), i64::from(row) * row_bytes(pointer)))
}

fn suffixes(carry: Carry) -> (&'static str, &'static str) {
    (if carry.takes { "c" } else { "" }, if carry.gives { ".cc" } else { "" })
}

const _: () = assert!(SPREAD == 4);
