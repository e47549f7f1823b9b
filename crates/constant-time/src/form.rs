// SPDX-License-Identifier: Apache-2.0
//! The argument from the kernels' form, checked on their machine code, every instruction of every kernel:
//!
//! - only the instructions listed in [`allowed`], all of which take the same time for every operand;
//! - memory is addressed by one of the six pointers and a constant, but for two words below the stack pointer, where the
//!   caller's rounding mode and the kernel's stand;
//! - a pointer is changed only by adding a constant, or set to another and a constant; a counter is set to a constant or to
//!   another counter, and counted down;
//! - the only branches are `dec counter; jnz` backwards within the kernel, and the final `ret`.
//!
//! So nothing flows from memory or a vector register to an address or a branch, for any input.

use crate::filter::Filter;
use crate::verdict::Table;
use garner_kernels::assembly::Width;
use garner_kernels::vex::Encoding;
use garner_kernels::{doubles, two_rows};
use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind, Register};
use object::{Object, ObjectSection, ObjectSymbol};
use std::collections::HashMap;

const POINTERS: [Register; 6] =
    [Register::RDI, Register::RSI, Register::RDX, Register::RCX, Register::R8, Register::R9];
const COUNTERS: [Register; 3] = [Register::EAX, Register::R10D, Register::R11D];

// Five functions that the check must refuse, each for its own reason.
std::arch::global_asm!(
    ".text",
    ".globl garner_control_address",
    ".hidden garner_control_address",
    ".type garner_control_address, @function",
    "garner_control_address:",
    "vmovdqa64 zmm0, zmmword ptr [rdi + 8*rsi]",
    "ret",
    ".size garner_control_address, . - garner_control_address",
    ".globl garner_control_branch",
    ".hidden garner_control_branch",
    ".type garner_control_branch, @function",
    "garner_control_branch:",
    "add rdi, 64",
    "jnz garner_control_branch",
    "ret",
    ".size garner_control_branch, . - garner_control_branch",
    ".globl garner_control_counter",
    ".hidden garner_control_counter",
    ".type garner_control_counter, @function",
    "garner_control_counter:",
    "mov r10d, eax",
    "dec r10d",
    "jnz garner_control_counter",
    "ret",
    ".size garner_control_counter, . - garner_control_counter",
    ".globl garner_control_load",
    ".hidden garner_control_load",
    ".type garner_control_load, @function",
    "garner_control_load:",
    "mov rsi, qword ptr [rdi]",
    "ret",
    ".size garner_control_load, . - garner_control_load",
    ".globl garner_control_rounding",
    ".hidden garner_control_rounding",
    ".type garner_control_rounding, @function",
    "garner_control_rounding:",
    "ldmxcsr dword ptr [rdi]",
    "ret",
    ".size garner_control_rounding, . - garner_control_rounding",
);

unsafe extern "C" {
    fn garner_control_address();
    fn garner_control_branch();
    fn garner_control_counter();
    fn garner_control_load();
    fn garner_control_rounding();
}

/// Keeps the controls, which nothing calls, in the executable.
#[used]
static KEPT: [unsafe extern "C" fn(); 5] = [
    garner_control_address,
    garner_control_branch,
    garner_control_counter,
    garner_control_load,
    garner_control_rounding,
];

/// Every kernel, and the controls.
pub fn run(table: &mut Table, filter: Filter<'_>) {
    const KERNELS: &str = "form: every kernel";
    let controls = [
        ("form control: an address with an index", "garner_control_address", "address"),
        ("form control: a branch that is no countdown", "garner_control_branch", "branch"),
        ("form control: turns that the caller left", "garner_control_counter", "counter"),
        ("form control: a pointer loaded from memory", "garner_control_load", "instruction"),
        ("form control: a rounding mode from memory", "garner_control_rounding", "instruction"),
    ];
    if !filter.takes(KERNELS) && !controls.iter().any(|(name, ..)| filter.takes(name)) {
        return;
    }
    table.section("form: the machine code has no branch on data and no computed address");
    let code = match functions() {
        Ok(code) => code,
        Err(error) => return table.row(KERNELS, Err(error)),
    };
    for (name, symbol, reason) in controls {
        let verdict = match code.get(symbol).map(check) {
            Some(Err(found)) if found.contains(reason) => Ok(format!("refused: {found}")),
            other => Err(format!("expected a refusal for its {reason}, found {other:?}")),
        };
        table.row(name, verdict);
    }
    table.row(KERNELS, every_kernel(&code));
}

fn every_kernel(code: &HashMap<String, Function>) -> Result<String, String> {
    let (mut functions, mut instructions) = (0, 0);
    for kernel in garner_kernels::all() {
        let widths = [Width::Eight, Width::Four].into_iter().filter(|width| width.suits(&kernel.program));
        let symbols = widths.map(|width| width.symbol(&kernel.name));
        for symbol in symbols.chain([Encoding::Vex.symbol(&kernel.name)]) {
            let function = code.get(&symbol).ok_or_else(|| format!("{symbol} is not in the executable"))?;
            instructions += check(function).map_err(|reason| format!("{symbol}: {reason}"))?;
            functions += 1;
        }
    }
    let two_rows = two_rows::all().into_iter().map(|kernel| Width::Eight.symbol(&kernel.name));
    for symbol in doubles::all().iter().map(|kernel| doubles::symbol(&kernel.name)).chain(two_rows) {
        let function = code.get(&symbol).ok_or_else(|| format!("{symbol} is not in the executable"))?;
        instructions += check(function).map_err(|reason| format!("{symbol}: {reason}"))?;
        functions += 1;
    }
    Ok(format!("{functions} functions, {instructions} instructions"))
}

/// A function's address and code.
type Function = (u64, Vec<u8>);

/// The functions `garner_...` of this executable.
fn functions() -> Result<HashMap<String, Function>, String> {
    let text = |error: &dyn std::fmt::Display| error.to_string();
    let path = std::env::current_exe().map_err(|error| text(&error))?;
    let file = std::fs::read(path).map_err(|error| text(&error))?;
    let file = object::File::parse(&*file).map_err(|error| text(&error))?;
    let mut functions = HashMap::new();
    for symbol in file.symbols() {
        let (Ok(name), Some(section)) = (symbol.name(), symbol.section_index()) else { continue };
        if !name.starts_with("garner_") || symbol.size() == 0 {
            continue;
        }
        let section = file.section_by_index(section).map_err(|error| text(&error))?;
        let code = section.data_range(symbol.address(), symbol.size()).map_err(|error| text(&error))?;
        let code = code.ok_or_else(|| format!("{name} has no code"))?;
        functions.insert(name.to_owned(), (symbol.address(), code.to_vec()));
    }
    Ok(functions)
}

/// How many instructions the function has, all of the form, or why not.
fn check((address, code): &Function) -> Result<usize, String> {
    let mut previous = Instruction::default();
    let (mut count, mut ended) = (0, false);
    let mut set = Vec::new(); // counters that do not hold what the caller left in them
    for instruction in Decoder::with_ip(64, code, *address, DecoderOptions::NONE) {
        if ended {
            return Err(format!("code after the end: {instruction:?}"));
        }
        match instruction.flow_control() {
            FlowControl::Next if allowed(&instruction) => {}
            FlowControl::Next => return Err(format!("instruction {:?}", instruction.code())),
            FlowControl::ConditionalBranch => {
                let target = instruction.near_branch_target();
                let countdown = instruction.mnemonic() == Mnemonic::Jne && previous.mnemonic() == Mnemonic::Dec;
                if !countdown || !(*address..instruction.ip()).contains(&target) {
                    return Err(format!("branch {:?}", instruction.code()));
                }
            }
            FlowControl::Return => ended = true,
            _ => return Err(format!("branch {:?}", instruction.code())),
        }
        // A long nop, as assemblers align loops with, has an operand and does not access it.
        let accesses = instruction.mnemonic() != Mnemonic::Nop;
        let indexed = instruction.memory_index() != Register::None || instruction.is_vsib();
        let in_memory = instruction.op_kinds().any(|kind| kind == OpKind::Memory);
        let known = POINTERS.contains(&instruction.memory_base()) || rounding(&instruction);
        if accesses && (indexed || in_memory && !known) {
            return Err(format!("address of {:?}", instruction.code()));
        }
        let to = instruction.op0_register();
        let counts_from = match instruction.mnemonic() {
            Mnemonic::Dec => Some(to),
            Mnemonic::Mov => Some(instruction.op1_register()).filter(|from| COUNTERS.contains(from)),
            _ => None,
        };
        if counts_from.is_some_and(|counter| !set.contains(&counter)) {
            return Err(format!("counter of {:?}, which nobody set", instruction.code()));
        }
        if instruction.mnemonic() == Mnemonic::Mov {
            set.push(to);
        }
        previous = instruction;
        count += 1;
    }
    if ended { Ok(count) } else { Err("no end".into()) }
}

/// Whether an instruction other than a branch may stand in a kernel.
fn allowed(instruction: &Instruction) -> bool {
    let to = instruction.op0_register();
    match instruction.mnemonic() {
        Mnemonic::Vpxor
        | Mnemonic::Vpxord
        | Mnemonic::Vmovdqa64
        | Mnemonic::Vpmadd52luq
        | Mnemonic::Vpmadd52huq
        | Mnemonic::Vpaddq
        | Mnemonic::Vpsubq
        | Mnemonic::Vpandq
        | Mnemonic::Vpsraq
        | Mnemonic::Vporq
        | Mnemonic::Vpsllq
        | Mnemonic::Vpsrlq
        | Mnemonic::Vpunpcklqdq
        | Mnemonic::Vpunpckhqdq
        | Mnemonic::Vshufi64x2
        | Mnemonic::Vpermq
        | Mnemonic::Vpsrldq
        | Mnemonic::Vpslldq
        | Mnemonic::Vmovdqa
        | Mnemonic::Vpbroadcastq
        | Mnemonic::Vpand
        | Mnemonic::Vpor
        | Mnemonic::Vperm2i128
        | Mnemonic::Vblendvpd
        | Mnemonic::Vptestmq
        | Mnemonic::Vpmovq2m
        | Mnemonic::Vpcmpeqq
        // Vmovdqa64's mask, where it stores to the selection, and this one's index are secret. Both read and write at addresses that
        // do not depend on those; docs/security.md says what of their time is not shown yet.
        | Mnemonic::Vpermi2q
        // Of double precision: their time is that of other operands only where those are subnormal or no numbers, which
        // limbs and their products never are.
        | Mnemonic::Vfmadd231pd
        | Mnemonic::Vsubpd
        | Mnemonic::Vzeroupper
        | Mnemonic::Nop => true,
        Mnemonic::Lea => POINTERS.contains(&to),
        Mnemonic::Stmxcsr | Mnemonic::Ldmxcsr | Mnemonic::Mov if rounding(instruction) => true,
        Mnemonic::Add => POINTERS.contains(&to) && immediate(instruction),
        Mnemonic::Mov => COUNTERS.contains(&to) && (immediate(instruction) || COUNTERS.contains(&instruction.op1_register())),
        Mnemonic::Dec => COUNTERS.contains(&to),
        _ => false,
    }
}

/// Whether it keeps the caller's rounding mode below the stack pointer, sets the kernel's or brings the caller's back.
fn rounding(instruction: &Instruction) -> bool {
    const TOWARD_ZERO: u32 = 0x7f80;
    let (callers, ours) = (-4_i64 as u64, -8_i64 as u64);
    let place = (instruction.memory_base() == Register::RSP).then(|| instruction.memory_displacement64());
    match instruction.mnemonic() {
        Mnemonic::Stmxcsr => place == Some(callers),
        Mnemonic::Ldmxcsr => place == Some(callers) || place == Some(ours),
        Mnemonic::Mov => place == Some(ours) && immediate(instruction) && instruction.immediate32() == TOWARD_ZERO,
        _ => false,
    }
}

fn immediate(instruction: &Instruction) -> bool {
    matches!(
        instruction.op1_kind(),
        OpKind::Immediate8to64 | OpKind::Immediate32to64 | OpKind::Immediate32 | OpKind::Immediate8to32
    )
}
