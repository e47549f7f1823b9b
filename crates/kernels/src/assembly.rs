// SPDX-License-Identifier: Apache-2.0
//! The assembly back end: prints programs for AVX-512 IFMA, Intel syntax, System V calling convention.
//!
//! The kernels are leaf functions: they use no stack (those in double precision two words below it), and only registers
//! that a call may change.
//!
//! Every kernel whose halves do not mix is printed twice: for all eight lanes, and for the first four of each row in
//! 256-bit registers. Processors that run two 256-bit or one 512-bit multiply-add a cycle (Zen 4, Ice Lake clients) do
//! four lanes in half the time of eight; the others lose nothing.

use crate::Kernel;
use crate::program::{Code, Mask, Op, Pointer, Program, Row, Source, Vector, Word};
use std::fmt::{Display, Write};

const POINTERS: [&str; Pointer::COUNT] = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"];
const COUNTERS: [&str; 3] = ["eax", "r10d", "r11d"];

/// How many lanes of a row a function works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Width {
    /// All eight: 512-bit registers.
    Eight,
    /// The first four: 256-bit registers. The other four are neither read nor, in rows stored to, changed.
    Four,
}

impl Width {
    /// Whether `program` can be printed at this width.
    pub fn suits(self, program: &Program) -> bool {
        self == Width::Eight || program.halves_apart()
    }

    /// The symbol of the kernel `name` at this width.
    pub fn symbol(self, name: &str) -> String {
        match self {
            Width::Eight => format!("garner_{name}"),
            Width::Four => format!("garner_{name}_four_lanes"),
        }
    }

    const fn register(self) -> &'static str {
        match self {
            Width::Eight => "zmm",
            Width::Four => "ymm",
        }
    }

    const fn broadcast(self) -> &'static str {
        match self {
            Width::Eight => "{1to8}",
            Width::Four => "{1to4}",
        }
    }
}

/// A source file with all `kernels`, at those of `widths` that suit them.
pub fn file(kernels: &[Kernel], widths: &[Width]) -> String {
    let mut text = String::from(".text\n");
    for &width in widths {
        for kernel in kernels.iter().filter(|kernel| width.suits(&kernel.program)) {
            function(&mut text, kernel, width);
        }
    }
    text
}

fn function(text: &mut String, kernel: &Kernel, width: Width) {
    let symbol = width.symbol(&kernel.name);
    begin(text, &symbol);
    let mut printer = Printer { text, symbol: &symbol, width, labels: 0 };
    printer.ops(kernel.program.ops(), 0);
    end(text, &symbol);
}

pub(crate) fn begin(text: &mut String, symbol: &str) {
    // Hidden: shared objects that contain the kernels must not offer them to others.
    write!(text, "\n.globl {symbol}\n.hidden {symbol}\n.type {symbol}, @function\n.p2align 6\n{symbol}:\n")
        .expect("writing to a string");
}

pub(crate) fn end(text: &mut String, symbol: &str) {
    // Without vzeroupper, SSE code that runs next on Intel processors waits for the registers' upper halves.
    writeln!(text, "    vzeroupper\n    ret\n.size {symbol}, . - {symbol}").expect("writing to a string");
}

/// `count`: a number, or another loop's counter.
pub(crate) fn begin_loop(text: &mut String, label: &str, count: impl Display, depth: usize) {
    writeln!(text, "    mov {}, {count}\n.p2align 6\n{label}:", COUNTERS[depth]).expect("writing to a string");
}

/// The register with the turns left of the loop at this depth.
pub(crate) fn counter(depth: usize) -> &'static str {
    COUNTERS[depth]
}

pub(crate) fn end_loop(text: &mut String, label: &str, depth: usize) {
    writeln!(text, "    dec {}\n    jnz {label}", COUNTERS[depth]).expect("writing to a string");
}

pub(crate) fn advance(pointer: Pointer, rows: isize) -> String {
    format!("add {}, {}", POINTERS[pointer.index()], 64 * rows)
}

pub(crate) fn pointer(pointer: Pointer) -> &'static str {
    POINTERS[pointer.index()]
}

/// The immediate operand of `vpermq`.
pub(crate) fn order(order: [u8; 4]) -> u8 {
    order.iter().rev().fold(0, |bits, &lane| bits << 2 | lane)
}

struct Printer<'a> {
    text: &'a mut String,
    symbol: &'a str,
    width: Width,
    labels: usize,
}

impl Printer<'_> {
    fn line(&mut self, line: impl AsRef<str>) {
        self.text.push_str("    ");
        self.text.push_str(line.as_ref());
        self.text.push('\n');
    }

    fn ops(&mut self, ops: &[Op], depth: usize) {
        for op in ops {
            match op {
                Op::Repeat { count, body } => self.repeat(*count, body, depth),
                op => self.line(self.width.instruction(op)),
            }
        }
    }

    fn repeat(&mut self, count: usize, body: &Code, depth: usize) {
        let label = format!(".L{}_{}", self.symbol, self.labels);
        self.labels += 1;
        begin_loop(self.text, &label, count, depth);
        self.ops(body.ops(), depth + 1);
        end_loop(self.text, &label, depth);
    }
}

impl Width {
    fn instruction(self, op: &Op) -> String {
        let vector = |vector: Vector| self.vector(vector);
        let source = |source: Source| self.source(source);
        let row = |row: Row| self.row(row);
        match *op {
            // The short form, which every processor recognises as independent of the register's old value.
            Op::Zero { to: Vector(r @ 0..16) } => format!("vpxor xmm{r}, xmm{r}, xmm{r}"),
            Op::Zero { to: Vector(r) } => format!("vpxord xmm{r}, xmm{r}, xmm{r}"),
            Op::Copy { to, from } => format!("vmovdqa64 {}, {}", vector(to), source(from)),
            Op::Merge { to, mask, from } => format!("vmovdqa64 {}{{{}}}, {}", vector(to), name(mask), source(from)),
            Op::Store { to, from } => format!("vmovdqa64 {}, {}", row(to), vector(from)),
            Op::MergeStore { to, mask, from } => format!("vmovdqa64 {}{{{}}}, {}", row(to), name(mask), vector(from)),
            Op::MultiplyAddLow { sum, a, b } => format!("vpmadd52luq {}, {}, {}", vector(sum), vector(a), source(b)),
            Op::MultiplyAddHigh { sum, a, b } => format!("vpmadd52huq {}, {}, {}", vector(sum), vector(a), source(b)),
            Op::Add { to, a, b } => format!("vpaddq {}, {}, {}", vector(to), vector(a), source(b)),
            Op::Subtract { to, a, b } => format!("vpsubq {}, {}, {}", vector(to), vector(a), source(b)),
            Op::And { to, a, b } => format!("vpandq {}, {}, {}", vector(to), vector(a), source(b)),
            Op::Or { to, a, b } => format!("vporq {}, {}, {}", vector(to), vector(a), source(b)),
            Op::ShiftLeft { to, a, bits } => format!("vpsllq {}, {}, {bits}", vector(to), vector(a)),
            Op::ShiftRight { to, a, bits } => format!("vpsrlq {}, {}, {bits}", vector(to), vector(a)),
            Op::EvenWords { to, a, b } => format!("vpunpcklqdq {}, {}, {}", vector(to), vector(a), vector(b)),
            Op::OddWords { to, a, b } => format!("vpunpckhqdq {}, {}, {}", vector(to), vector(a), vector(b)),
            Op::EvenPairs { to, a, b } => format!("vshufi64x2 {}, {}, {}, 0x88", vector(to), vector(a), vector(b)),
            Op::OddPairs { to, a, b } => format!("vshufi64x2 {}, {}, {}, 0xdd", vector(to), vector(a), vector(b)),
            Op::Down { to, a } => format!("vpsrldq {}, {}, 8", vector(to), vector(a)),
            Op::Up { to, a } => format!("vpslldq {}, {}, 8", vector(to), vector(a)),
            Op::Permute { to, a, order } => {
                format!("vpermq {}, {}, {:#04x}", vector(to), vector(a), self::order(order))
            }
            Op::Carry { to, a } => format!("vpsraq {}, {}, 52", vector(to), vector(a)),
            Op::Test { mask, a, b } => format!("vptestmq {}, {}, {}", name(mask), vector(a), self.word(b)),
            Op::Equal { mask, a, b } => format!("vpcmpeqq {}, {}, {}", name(mask), vector(a), self.word(b)),
            Op::Choose { to, mask, a, b } => {
                format!("vpermi2q {}{{{}}}, {}, {}", vector(to), name(mask), vector(a), source(b))
            }
            Op::Negative { mask, a } => format!("vpmovq2m {}, {}", name(mask), vector(a)),
            Op::Advance { pointer, rows } => advance(pointer, rows),
            Op::Repeat { .. } => unreachable!("printed by its caller"),
        }
    }

    fn vector(self, Vector(register): Vector) -> String {
        format!("{}{register}", self.register())
    }

    fn row(self, Row { pointer, row }: Row) -> String {
        format!("{}word ptr [{} + {}]", self.register(), POINTERS[pointer.index()], 64 * row)
    }

    fn word(self, Word { pointer, word }: Word) -> String {
        format!("qword ptr [{} + {}]{}", POINTERS[pointer.index()], 8 * word, self.broadcast())
    }

    fn source(self, source: Source) -> String {
        match source {
            Source::Vector(register) => self.vector(register),
            Source::Row(from) => self.row(from),
        }
    }
}

fn name(Mask(register): Mask) -> String {
    assert!((1..8).contains(&register), "k0 cannot mask");
    format!("k{register}")
}
