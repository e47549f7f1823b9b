// SPDX-License-Identifier: Apache-2.0
//! Prints a program as PTX, which the driver compiles for the GPU at hand when it loads it.
//!
//! Calling convention: one 64-bit address per array, then the program's parameter. A launch has a block for each tile. A block
//! is one warp, of [`LANES`] threads, with dynamic shared memory of [`Program::shared_bytes`](crate::Program::shared_bytes).

use crate::Kernel;
use crate::program::{Carry, Count, LANES, Op, Pointer, ROW_WORDS, Register, Space, Value};
use std::fmt::Write;

/// The oldest architecture that can run the kernels, as ten times its compute capability.
const OLDEST: u32 = 75;

/// Registers a thread may use. Left to itself the compiler spills some to fit five blocks where memory on the chip has room
/// for four.
const MOST_REGISTERS: usize = 128;

const TEXT: &str = "writing to a string";

/// A module of this kernel, as text.
pub fn module(kernel: &Kernel) -> String {
    let Kernel { name, program } = kernel;
    let mut printer = Printer { text: String::new(), labels: 0 };
    let arrays: String = (0..program.parameters).map(|i| format!(".param .u64 array{i}, ")).collect();
    write!(
        printer.text,
        ".version 7.0\n.target sm_{OLDEST}\n.address_size 64\n.extern .shared .align 16 .b8 chip[];\n\n\
         .visible .entry {name}({arrays}.param .u32 number)\n.maxntid {LANES}, 1, 1\n.maxnreg {MOST_REGISTERS}\n{{\n"
    )
    .expect(TEXT);
    printer.line(format_args!(".reg .b32 %r<{}>", program.registers + 1));
    printer.line(format_args!(".reg .b32 %tile, %lane"));
    for pointer in &program.pointers {
        printer.line(format_args!(".reg .b{} {}", bits(*pointer), p(*pointer)));
    }
    printer.line(format_args!("mov.u32 %tile, %ctaid.x"));
    printer.line(format_args!("mov.u32 %lane, %tid.x"));
    printer.ops(&program.ops);
    printer.text + "\tret;\n}\n"
}

struct Printer {
    text: String,
    labels: usize,
}

impl Printer {
    fn line(&mut self, line: std::fmt::Arguments<'_>) {
        writeln!(self.text, "\t{line};").expect(TEXT);
    }

    fn ops(&mut self, ops: &[Op]) {
        ops.iter().for_each(|op| self.op(op));
    }

    /// An instruction that sets a register.
    fn set(&mut self, name: &str, to: Register, from: &[Value]) {
        let from: Vec<String> = from.iter().copied().map(v).collect();
        self.line(format_args!("{name} {}, {}", r(to), from.join(", ")));
    }

    fn op(&mut self, op: &Op) {
        let bits_of = |bits: &u32| Value::Word(*bits);
        match op {
            Op::Copy { to, from } => self.set("mov.u32", *to, &[*from]),
            Op::MultiplyAdd { high, to, a, b, c, carry } => {
                let half = if *high { "hi" } else { "lo" };
                let (takes, gives) = suffixes(*carry);
                self.set(&format!("mad{takes}.{half}{gives}.u32"), *to, &[*a, *b, *c]);
            }
            Op::Multiply { to, a, b } => self.set("mul.lo.u32", *to, &[*a, *b]),
            Op::Add { to, a, b, carry } => {
                let (takes, gives) = suffixes(*carry);
                self.set(&format!("add{takes}{gives}.u32"), *to, &[*a, *b]);
            }
            Op::Subtract { to, a, b, carry } => {
                let (takes, gives) = suffixes(*carry);
                self.set(&format!("sub{takes}{gives}.u32"), *to, &[*a, *b]);
            }
            Op::And { to, a, b } => self.set("and.b32", *to, &[*a, *b]),
            Op::Or { to, a, b } => self.set("or.b32", *to, &[*a, *b]),
            Op::ShiftRight { to, a, bits } => self.set("shr.u32", *to, &[*a, bits_of(bits)]),
            Op::ShiftLeft { to, high, low, bits } => {
                self.set("shf.l.wrap.b32", *to, &[*low, *high, bits_of(bits)]);
            }
            Op::Equal { to, a, b } => self.set("set.eq.u32.u32", *to, &[*a, *b]),
            Op::Load { to, pointer, row } => {
                let ([a, b, c, d], (space, address)) = (to.map(r), at(*pointer, *row));
                self.line(format_args!("ld.{space}.v4.u32 {{{a}, {b}, {c}, {d}}}, {address}"));
            }
            Op::Store { from, pointer, row } => {
                let ([a, b, c, d], (space, address)) = (from.map(v), at(*pointer, *row));
                self.line(format_args!("st.{space}.v4.u32 {address}, {{{a}, {b}, {c}, {d}}}"));
            }
            Op::PointAtTile { pointer, rows } => {
                let (name, lane, tile) = (p(*pointer), 4 * ROW_WORDS, *rows as usize * row_bytes(*pointer));
                if self.array(*pointer) {
                    self.line(format_args!("mad.wide.u32 {name}, %tile, {tile}, {name}"));
                    self.line(format_args!("mad.wide.u32 {name}, %lane, {lane}, {name}"));
                } else {
                    self.line(format_args!("mov.u32 {name}, chip"));
                    self.line(format_args!("mad.lo.u32 {name}, %lane, {lane}, {name}"));
                }
            }
            Op::PointAtRecord { pointer, index, rows } => {
                let (name, record) = (p(*pointer), *rows as usize * row_bytes(*pointer));
                self.array(*pointer);
                self.line(format_args!("mad.wide.u32 {name}, {}, {record}, {name}", r(*index)));
            }
            Op::Advance { pointer, rows } => {
                let (name, bytes) = (p(*pointer), i64::from(*rows) * row_bytes(*pointer) as i64);
                self.line(format_args!("add.s{} {name}, {name}, {bytes}", bits(*pointer)));
            }
            Op::CopyPointer { to, from } => self.line(format_args!("mov.b{} {}, {}", bits(*to), p(*to), p(*from))),
            Op::Parameter { to } => self.line(format_args!("ld.param.u32 {}, [number]", r(*to))),
            Op::Repeat { count, body } => self.repeat(*count, body),
            Op::Zero { .. } => {}
        }
    }

    /// Points at the start of the array, if it is not on the chip.
    fn array(&mut self, pointer: Pointer) -> bool {
        let (Space::Tiles(parameter) | Space::Records(parameter)) = pointer.space else { return false };
        let name = p(pointer);
        self.line(format_args!("ld.param.u64 {name}, [array{parameter}]"));
        self.line(format_args!("cvta.to.global.u64 {name}, {name}"));
        true
    }

    fn repeat(&mut self, count: Count, body: &[Op]) {
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
                self.line(format_args!("@%again bra END_{label}"));
            }
        }
        writeln!(self.text, "LOOP_{label}:\n\t.pragma \"nounroll\";").expect(TEXT);
        self.ops(body);
        self.line(format_args!("sub.u32 %left, %left, 1"));
        self.line(format_args!("setp.ne.u32 %again, %left, 0"));
        self.line(format_args!("@%again bra LOOP_{label}"));
        writeln!(self.text, "END_{label}:\n\t}}").expect(TEXT);
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

fn p(pointer: Pointer) -> String {
    format!("%p{}", pointer.index)
}

/// Of the pointer itself.
fn bits(pointer: Pointer) -> usize {
    if pointer.space == Space::Shared { 32 } else { 64 }
}

fn row_bytes(pointer: Pointer) -> usize {
    4 * pointer.row_words()
}

fn at(pointer: Pointer, row: u32) -> (&'static str, String) {
    let space = if pointer.space == Space::Shared { "shared" } else { "global" };
    (space, format!("[{}+{}]", p(pointer), row as usize * row_bytes(pointer)))
}

fn suffixes(carry: Carry) -> (&'static str, &'static str) {
    (if carry.takes { "c" } else { "" }, if carry.gives { ".cc" } else { "" })
}
