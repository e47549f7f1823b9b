// SPDX-License-Identifier: Apache-2.0
//! Instructions as assembly, Intel syntax, System V calling convention.

use super::Instruction as I;
use super::{Binary, Instruction, Operand, Place, Register, translate};
use crate::{Kernel, assembly};
use std::fmt::Write;

/// Which encoding multiply-adds are printed in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// AVX-IFMA's.
    Vex,
    /// AVX-512's, on the same registers: for tests, where only that is to be had.
    Evex,
}

impl Encoding {
    /// The symbol of the kernel `name`.
    pub fn symbol(self, name: &str) -> String {
        match self {
            Encoding::Vex => format!("garner_{name}_vex"),
            Encoding::Evex => format!("garner_{name}_vex_tested"),
        }
    }
}

/// A source file with all `kernels`.
pub fn file(kernels: &[Kernel], encoding: Encoding) -> String {
    let mut text = String::from(".text\n");
    for Kernel { name, program, .. } in kernels {
        print(&mut text, &encoding.symbol(name), &translate(program), encoding);
    }
    text
}

/// Prints one function whose arithmetic of double precision rounds toward zero, with all exceptions masked; what the caller
/// had set is as it was in the end.
pub(crate) fn print_with_rounding(text: &mut String, symbol: &str, code: &[Instruction]) {
    const TOWARD_ZERO: u32 = 0x7f80;
    assembly::begin(text, symbol);
    // Below the stack pointer a leaf function may write.
    write!(text, "    stmxcsr [rsp - 4]\n    mov dword ptr [rsp - 8], {TOWARD_ZERO:#x}\n    ldmxcsr [rsp - 8]\n")
        .expect("writing to a string");
    Printer { text, symbol, encoding: Encoding::Vex, labels: 0 }.code(code, 0);
    text.push_str("    ldmxcsr [rsp - 4]\n");
    assembly::end(text, symbol);
}

/// Prints one function.
pub(crate) fn print(text: &mut String, symbol: &str, code: &[Instruction], encoding: Encoding) {
    assembly::begin(text, symbol);
    let mut printer = Printer { text, symbol, encoding, labels: 0 };
    printer.code(code, 0);
    assembly::end(text, symbol);
}

struct Printer<'a> {
    text: &'a mut String,
    symbol: &'a str,
    encoding: Encoding,
    labels: usize,
}

impl Printer<'_> {
    fn code(&mut self, code: &[Instruction], depth: usize) {
        for instruction in code {
            let line = match instruction {
                I::Repeat { body, .. } | I::RepeatTurnsLeft { body } => {
                    let count = match instruction {
                        I::Repeat { count, .. } => count.to_string(),
                        _ => assembly::counter(depth.checked_sub(1).expect("in a loop")).to_owned(),
                    };
                    let label = format!(".L{}_{}", self.symbol, self.labels);
                    self.labels += 1;
                    assembly::begin_loop(self.text, &label, count, depth);
                    self.code(body, depth + 1);
                    assembly::end_loop(self.text, &label, depth);
                    continue;
                }
                I::Advance { pointer, rows } => assembly::advance(*pointer, *rows),
                I::Point { to, from, rows } => {
                    format!("lea {}, [{} + {}]", assembly::pointer(*to), assembly::pointer(*from), 64 * rows)
                }
                other => self.instruction(other),
            };
            writeln!(self.text, "    {line}").expect("writing to a string");
        }
    }

    fn instruction(&self, instruction: &Instruction) -> String {
        let name = |Register(register): Register| format!("ymm{register}");
        let memory = |Place { pointer, word }: Place, size| {
            format!("{size} ptr [{} + {}]", assembly::pointer(pointer), 8 * word)
        };
        let operand = |operand: Operand| match operand {
            Operand::Register(register) => name(register),
            Operand::Memory(place) => memory(place, "ymmword"),
        };
        match *instruction {
            I::Zero { to: Register(r) } => format!("vpxor xmm{r}, xmm{r}, xmm{r}"),
            I::Load { to, from } => format!("vmovdqa {}, {}", name(to), memory(from, "ymmword")),
            I::Broadcast { to, from } => format!("vpbroadcastq {}, {}", name(to), memory(from, "qword")),
            I::Copy { to, from } => format!("vmovdqa {}, {}", name(to), name(from)),
            I::Store { to, from } => format!("vmovdqa {}, {}", memory(to, "ymmword"), name(from)),
            I::MultiplyAdd { high, sum, a, b } => {
                let prefix = if self.encoding == Encoding::Vex { "{vex} " } else { "" };
                let half = if high { 'h' } else { 'l' };
                format!("{prefix}vpmadd52{half}uq {}, {}, {}", name(sum), name(a), operand(b))
            }
            I::FusedAdd { sum, a, b } => format!("vfmadd231pd {}, {}, {}", name(sum), name(a), operand(b)),
            I::Binary { operation, to, a, b } => {
                let (mnemonic, order) = match operation {
                    Binary::Add => ("vpaddq", ""),
                    Binary::Subtract => ("vpsubq", ""),
                    Binary::And => ("vpand", ""),
                    Binary::Or => ("vpor", ""),
                    Binary::EvenWords => ("vpunpcklqdq", ""),
                    Binary::OddWords => ("vpunpckhqdq", ""),
                    Binary::LowHalves => ("vperm2i128", ", 0x20"),
                    Binary::HighHalves => ("vperm2i128", ", 0x31"),
                    Binary::SubtractDoubles => ("vsubpd", ""),
                };
                format!("{mnemonic} {}, {}, {}{order}", name(to), name(a), operand(b))
            }
            I::ShiftLeft { to, a, bits } => format!("vpsllq {}, {}, {bits}", name(to), name(a)),
            I::ShiftRight { to, a, bits } => format!("vpsrlq {}, {}, {bits}", name(to), name(a)),
            I::Down { to, a } => format!("vpsrldq {}, {}, 8", name(to), name(a)),
            I::Up { to, a } => format!("vpslldq {}, {}, 8", name(to), name(a)),
            I::Permute { to, a, order } => {
                format!("vpermq {}, {}, {:#04x}", name(to), name(a), assembly::order(order))
            }
            I::Blend { to, a, b, mask } => {
                format!("vblendvpd {}, {}, {}, {}", name(to), name(a), operand(b), name(mask))
            }
            I::Advance { .. } | I::Point { .. } | I::Repeat { .. } | I::RepeatTurnsLeft { .. } => {
                unreachable!("printed by its caller")
            }
        }
    }
}
