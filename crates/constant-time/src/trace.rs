// SPDX-License-Identifier: Apache-2.0
//! Traces: what one call executes, instruction by instruction, and where it reads and writes.
//!
//! A child process makes the call; its parent single-steps it with ptrace and hashes, for every instruction, the program
//! counter and the address of each memory operand. Equal hashes for different secrets mean that no branch and no address
//! of the call depends on them. The operands of the one family of instructions whose time depends on its operands,
//! division, are hashed with the addresses.

use crate::{arena, parallel};
use iced_x86::{
    Code, Decoder, DecoderOptions, InstructionInfoFactory, Mnemonic, OpAccess, OpKind, Register, UsedMemory,
};
use nix::sys::ptrace;
use nix::sys::signal::{Signal, raise};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, Pid, fork, pipe, read, write};
use std::collections::HashMap;
use std::collections::hash_map::DefaultHasher;
use std::hash::Hasher;
use std::os::fd::OwnedFd;

/// What one call did.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Trace {
    /// Instructions executed.
    pub instructions: u64,
    /// Hash of the program counters, in order.
    pub counters: u64,
    /// Memory operands accessed.
    pub accesses: u64,
    /// Hash of their addresses and of the operands of divisions, in order.
    pub addresses: u64,
    /// Where an instruction was met whose address or time this tool cannot vouch for (a gather, a square root), or 0.
    pub unknown: u64,
}

/// The call ends when the program counter comes here. Empty, but never merged with another function.
#[inline(never)]
extern "C" fn finish() {
    // SAFETY: an instruction without effect.
    unsafe { std::arch::asm!("nop dword ptr [rax + 0x47415246]", options(nomem, nostack, preserves_flags)) }
}

/// The call begins after the breakpoint in here.
#[inline(never)]
extern "C" fn start() {
    // SAFETY: a breakpoint; the parent is waiting for it.
    unsafe { std::arch::asm!("int3") }
}

/// A call to trace, with a choice of secrets of equal lengths.
pub trait Case {
    /// Makes everything ready for the call with secret number `secret`.
    fn select(&mut self, secret: usize);

    /// The call.
    fn call(&mut self);

    /// Whether the call did its work.
    fn verify(&mut self) -> bool;
}

/// Traces `case.call()` with each of the secrets `0..COUNT`.
///
/// Every trace starts from the same memory and so sees the same addresses: tracers are processes of their own, and
/// this one does not allocate from the first fork to the last. It must stay on one processor: working memory is kept by
/// processor, so that on another its addresses would differ. The change between tracer and traced process, which take
/// turns, is cheapest there, too.
pub fn traces<const COUNT: usize>(case: &mut dyn Case) -> Result<[Trace; COUNT], String> {
    if parallel::cpus().map_err(|error| error.to_string())?.len() > 1 {
        return Err("a trace must stay on one processor".into());
    }
    // Which kernels are faster is measured at the first call. Each tracer would measure for itself, and now and then choose
    // others.
    case.select(0);
    case.call();
    let mut traces = [Trace::default(); COUNT];
    for (secret, trace) in traces.iter_mut().enumerate() {
        let (tracer, end) = start_tracer(case, secret)?;
        *trace = result(tracer, &end)?;
    }
    Ok(traces)
}

/// Forks the process that traces one call: its id, and where its result comes.
fn start_tracer(case: &mut dyn Case, secret: usize) -> Result<(Pid, OwnedFd), String> {
    let (read_end, write_end) = pipe().map_err(|error| error.to_string())?;
    // SAFETY: this process has one thread.
    match unsafe { fork() }.map_err(|error| error.to_string())? {
        ForkResult::Child => {
            drop(read_end);
            let code = match trace_here(case, secret, &mut |_, _| ()) {
                Ok(trace) => {
                    let fields = [trace.instructions, trace.counters, trace.accesses, trace.addresses, trace.unknown];
                    let bytes: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
                    i32::from(write(&write_end, &bytes) != Ok(bytes.len()))
                }
                Err(error) => {
                    eprintln!("{error}");
                    1
                }
            };
            // SAFETY: ends this process without running the parent's exit handlers.
            unsafe { libc::_exit(code) }
        }
        ForkResult::Parent { child } => Ok((child, read_end)),
    }
}

/// Waits for a tracer's result.
fn result(tracer: Pid, end: &OwnedFd) -> Result<Trace, String> {
    let mut bytes = [0; 5 * 8];
    let mut have = 0;
    while have < bytes.len() {
        match read(end, &mut bytes[have..]) {
            Ok(0) | Err(_) => break,
            Ok(more) => have += more,
        }
    }
    match waitpid(tracer, None) {
        Ok(WaitStatus::Exited(_, 0)) if have == bytes.len() => {}
        other => return Err(format!("the tracer ended with {other:?}")),
    }
    let field = |i: usize| u64::from_le_bytes(bytes[8 * i..8 * i + 8].try_into().expect("eight bytes"));
    Ok(Trace { instructions: field(0), counters: field(1), accesses: field(2), addresses: field(3), unknown: field(4) })
}

/// Where the traces of two secrets part: the first instruction of the second that the first did not execute there, or
/// executed with another address.
pub fn first_difference(case: &mut dyn Case, first: usize, second: usize) -> Result<String, String> {
    let mut events: Vec<(u64, u64)> = Vec::new();
    trace_here(case, first, &mut |counter, value| events.push((counter, value)))?;
    let (mut i, mut at) = (0, None);
    trace_here(case, second, &mut |counter, value| {
        if at.is_none() && events.get(i) != Some(&(counter, value)) {
            at = Some((i, counter));
        }
        i += 1;
    })?;
    Ok(match at {
        Some((i, counter)) => format!("they part at step {i} of {}: {}", events.len(), source_line(counter)),
        None => "the second ends earlier".into(),
    })
}

/// Function and source line of an address, by `addr2line`.
pub fn source_line(address: u64) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    for line in maps.lines() {
        let mut fields = line.split_whitespace();
        let (Some(range), Some(path)) = (fields.next(), fields.nth(4)) else { continue };
        let Some((from, to)) = range.split_once('-') else { continue };
        let parse = |text| u64::from_str_radix(text, 16).unwrap_or(0);
        if (parse(from)..parse(to)).contains(&address) {
            // The first mapping of a file is its start; file offsets and addresses are the same for our link maps.
            let base = maps.lines().find(|line| line.ends_with(path)).and_then(|line| line.split_once('-'));
            let offset = address - base.map_or(0, |(from, _)| parse(from));
            let named = std::process::Command::new("addr2line")
                .args([
                    "--functions",
                    "--demangle",
                    "--pretty-print",
                    "--inlines",
                    "--exe",
                    path,
                    &format!("{offset:#x}"),
                ])
                .output()
                .map(|output| String::from_utf8_lossy(&output.stdout).trim().replace('\n', " "))
                .unwrap_or_default();
            return format!("{path}+{offset:#x} {named}");
        }
    }
    format!("{address:#x}")
}

/// Forks the child that makes the call, and traces it. `event` gets every program counter and address.
fn trace_here(case: &mut dyn Case, secret: usize, event: &mut dyn FnMut(u64, u64)) -> Result<Trace, String> {
    // SAFETY: this process has one thread.
    match unsafe { fork() }.map_err(|error| error.to_string())? {
        ForkResult::Child => {
            arena::begin();
            // What is initialised at first use is initialised by a call that is not traced.
            case.select(0);
            case.call();
            case.select(secret);
            if ptrace::traceme().is_err() {
                eprintln!("ptrace is not allowed here");
                // SAFETY: ends this process without running the parent's exit handlers.
                unsafe { libc::_exit(3) }
            }
            let _ = raise(Signal::SIGSTOP);
            start();
            case.call();
            finish();
            let code = if case.verify() { 0 } else { 2 };
            // SAFETY: as above.
            unsafe { libc::_exit(code) }
        }
        ForkResult::Parent { child } => follow(child, event),
    }
}

/// Single-steps `child` from its breakpoint to [`finish`], then lets it end.
fn follow(child: Pid, event: &mut dyn FnMut(u64, u64)) -> Result<Trace, String> {
    let failed = |error: nix::Error| format!("ptrace: {error}");
    let stopped = |signal| match waitpid(child, None).map_err(failed)? {
        WaitStatus::Stopped(_, got) if got == signal => Ok(()),
        other => Err(format!("the traced process: {other:?}")),
    };
    stopped(Signal::SIGSTOP)?;
    ptrace::setoptions(child, ptrace::Options::PTRACE_O_EXITKILL).map_err(failed)?;
    ptrace::cont(child, None).map_err(failed)?;
    stopped(Signal::SIGTRAP)?;

    let mut instructions = Instructions::default();
    let (mut counters, mut addresses) = (DefaultHasher::new(), DefaultHasher::new());
    let mut trace = Trace::default();
    let end = finish as *const () as u64;
    let mut registers = ptrace::getregs(child).map_err(failed)?;
    while registers.rip != end {
        let counter = registers.rip;
        counters.write_u64(counter);
        trace.instructions += 1;
        event(counter, 0);
        let known = instructions.at(counter);
        for memory in &known.memory {
            match memory.virtual_address(0, |register, _, _| value(&registers, register)) {
                Some(address) => {
                    addresses.write_u64(address);
                    trace.accesses += 1;
                    event(counter, address);
                }
                None => trace.unknown = counter,
            }
        }
        if known.divides {
            for operand in [registers.rax, registers.rdx, value(&registers, known.divisor).unwrap_or(0)] {
                addresses.write_u64(operand);
                event(counter, operand);
            }
        }
        if known.unknown {
            trace.unknown = counter;
        }
        ptrace::step(child, None).map_err(failed)?;
        stopped(Signal::SIGTRAP)?;
        registers = ptrace::getregs(child).map_err(failed)?;
    }
    trace.counters = counters.finish();
    trace.addresses = addresses.finish();
    ptrace::detach(child, None).map_err(failed)?;
    match waitpid(child, None).map_err(failed)? {
        WaitStatus::Exited(_, 0) => Ok(trace),
        WaitStatus::Exited(_, 2) => Err("the traced call gave a wrong result".into()),
        other => Err(format!("the traced process: {other:?}")),
    }
}

/// What the tracer wants to know of an instruction.
struct Known {
    memory: Vec<UsedMemory>,
    divides: bool,
    divisor: Register,
    unknown: bool,
}

/// The instructions met so far. They are read from this process's own memory, of which the traced one is a fork.
#[derive(Default)]
struct Instructions {
    known: HashMap<u64, Known>,
    factory: Option<InstructionInfoFactory>,
}

impl Instructions {
    fn at(&mut self, counter: u64) -> &Known {
        let factory = self.factory.get_or_insert_with(InstructionInfoFactory::new);
        self.known.entry(counter).or_insert_with(|| {
            // SAFETY: the child is about to execute the instruction here, in memory it shares with this process; an
            // instruction has at most 15 bytes and code is followed by other mapped pages of the same file.
            let bytes = unsafe { std::slice::from_raw_parts(counter as *const u8, 15) };
            let instruction = Decoder::with_ip(64, bytes, counter, DecoderOptions::NONE).decode();
            let prefetch = matches!(
                instruction.mnemonic(),
                Mnemonic::Prefetcht0
                    | Mnemonic::Prefetcht1
                    | Mnemonic::Prefetcht2
                    | Mnemonic::Prefetchnta
                    | Mnemonic::Prefetchw
            );
            let memory = factory
                .info(&instruction)
                .used_memory()
                .iter()
                .filter(|memory| prefetch || !matches!(memory.access(), OpAccess::None | OpAccess::NoMemAccess))
                .copied()
                .collect();
            let divides = matches!(instruction.mnemonic(), Mnemonic::Div | Mnemonic::Idiv);
            let divisor =
                if instruction.op0_kind() == OpKind::Register { instruction.op0_register() } else { Register::None };
            let unknown = instruction.code() == Code::INVALID
                || instruction.is_vsib()
                // A divisor in memory: its address is hashed, its value is not.
                || (divides && divisor == Register::None)
                || {
                    let name = format!("{:?}", instruction.mnemonic()).to_lowercase();
                    ["div", "sqrt"].iter().any(|slow| name.contains(slow)) && !divides
                };
            Known { memory, divides, divisor, unknown }
        })
    }
}

/// The value of a register that can be part of an address, or be a divisor.
fn value(registers: &libc::user_regs_struct, register: Register) -> Option<u64> {
    let full = match register {
        // The bases of these segments are zero in 64-bit mode.
        Register::ES | Register::CS | Register::SS | Register::DS => return Some(0),
        Register::FS => return Some(registers.fs_base),
        Register::GS => return Some(registers.gs_base),
        Register::None => return Some(0),
        register => register.full_register(),
    };
    let value = match full {
        Register::RAX => registers.rax,
        Register::RBX => registers.rbx,
        Register::RCX => registers.rcx,
        Register::RDX => registers.rdx,
        Register::RSI => registers.rsi,
        Register::RDI => registers.rdi,
        Register::RBP => registers.rbp,
        Register::RSP => registers.rsp,
        Register::R8 => registers.r8,
        Register::R9 => registers.r9,
        Register::R10 => registers.r10,
        Register::R11 => registers.r11,
        Register::R12 => registers.r12,
        Register::R13 => registers.r13,
        Register::R14 => registers.r14,
        Register::R15 => registers.r15,
        Register::RIP => registers.rip,
        _ => return None,
    };
    Some(match register.size() {
        8 => value,
        4 => value & 0xffff_ffff,
        _ => value,
    })
}
