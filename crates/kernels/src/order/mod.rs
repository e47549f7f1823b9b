// SPDX-License-Identifier: Apache-2.0
//! Puts the operations of a long program into an order that keeps the vector ports busy: list scheduling.
//!
//! A processor looks ahead by some hundred instructions, and by fewer that wait for operands. Where kernels follow each other, the
//! first operations of the next wait for each other, and nothing else is there to do. Written as one program and put into
//! another order, the end of one runs among the beginning of the next.
//!
//! Operations begin, cycle by cycle, as a port model allows, those first on which the longest chain waits; none comes before one
//! that stands a hundred places before it, so that the order stays near the one written, and with it the number of registers.
//! Then registers are assigned anew. What it computes does not change: tests hold it against the program as it was written.
//!
//! Source: Gibbons, Muchnick 1986, "Efficient instruction scheduling for a pipelined architecture".

mod loaded;

use crate::Program;
use crate::ports::{Processor, Work};
use crate::program::{Code, Op, Pointer, Row, Vector, weave};
use loaded::{Loaded, changed_in_place, free_registers};
use std::collections::HashMap;

/// Vector registers of the processor.
const REGISTERS: usize = 32;

/// Operations by which one may come before an older one.
const AHEAD: usize = 100;

/// The operations of `program`, loops written out, in the order that `processor` takes least time for.
///
/// Rows from different pointers are taken for different memory. What is stored to rows of `kept` stays in its register, too, until
/// it is loaded for the last time.
///
/// # Panics
/// When no order needs as few registers as there are.
pub fn order(program: &Program, processor: &Processor, kept: Option<Pointer>) -> Program {
    ordered(&written_out(program), processor, kept, 0)
}

/// The same, and what was loaded stays in its register until it is loaded again, as far as registers are free.
///
/// # Panics
/// As [`order`] does.
pub fn order_with_fewer_loads(program: &Program, processor: &Processor) -> Program {
    let ops = written_out(program);
    let free = free_registers(&ops, processor);
    ordered(&ops, processor, None, free)
}

/// The operations of both programs, which have no memory in common that one of them writes: those of the second wherever the first
/// leaves time. It may use the same registers.
///
/// # Panics
/// When no order needs as few registers as there are, or both use masks.
pub fn order_beside(program: &Program, beside: &Program, processor: &Processor) -> Program {
    let ops = written_out(program);
    assert!(ops.iter().all(|op| op.operands().writes_mask.is_none()), "the masks are the second's");
    let apart = |register: Vector| Vector(register.0 + REGISTERS as u8);
    let second = written_out(beside).into_iter().map(|op| op.with(&apart, &apart, &|row| row)).collect();
    let ops = weave(ops, second);
    let free = free_registers(&ops, processor);
    ordered(&ops, processor, None, free)
}

fn written_out(program: &Program) -> Vec<Op> {
    program.placed(&|row| row).ops().to_vec()
}

fn ordered(ops: &[Op], processor: &Processor, kept: Option<Pointer>, room: usize) -> Program {
    let nodes = nodes(ops, processor, kept, &mut Loaded::with(room));
    // An operation ahead of its time may take the register that an older one needs: then fewer are left to those.
    let order = (REGISTERS / 2..=REGISTERS).rev().find_map(|registers| schedule(&nodes, processor, registers));
    Program::new(assign(&nodes, &order.expect("an order")))
}

/// An operation, and what it waits for.
struct Node {
    op: Op,
    /// Registers it reads, as it was written, and the values in them; each once.
    reads: Vec<(Vector, usize)>,
    /// The value it writes; a number of its own.
    writes: Option<usize>,
    /// The value that becomes the written one in the same register.
    tied: Option<usize>,
    /// Operations before it, and cycles after whose beginning it can begin.
    after: Vec<(usize, usize)>,
    latency: usize,
}

fn nodes(ops: &[Op], processor: &Processor, kept: Option<Pointer>, loaded: &mut Loaded) -> Vec<Node> {
    let mut nodes: Vec<Node> = Vec::new();
    let changed = changed_in_place(ops);
    // What was stored to each kept row.
    let mut stored: HashMap<usize, usize> = HashMap::new();
    // Which value stands in a register, and which operation wrote it.
    let (mut held, mut writers) = ([None; 2 * REGISTERS], Vec::<usize>::new());
    // Of each row the last store, and the loads after it.
    let mut rows: HashMap<(usize, usize), (Option<usize>, Vec<usize>)> = HashMap::new();
    // Of each mask the same.
    let mut masks: [(Option<usize>, Vec<usize>); 8] = Default::default();
    for (number, op) in ops.iter().enumerate() {
        let op = op.clone();
        let (at, operands) = (nodes.len(), op.operands());
        let kept_row = operands.loads.filter(|row| Some(row.pointer) == kept);
        if let (Op::Copy { to, .. }, Some(value)) = (&op, kept_row.and_then(|row| stored.get(&row.row))) {
            held[to.0 as usize] = Some(*value);
            continue;
        }
        let place = |row: Row| (row.pointer.index(), row.row);
        if let (Op::Copy { to, .. }, Some(row), false) = (&op, operands.loads, changed[number]) {
            if let Some(value) = loaded.get(place(row)) {
                held[to.0 as usize] = Some(value);
                continue;
            }
            loaded.put(place(row), writers.len());
        }
        let value = |register: Vector| held[register.0 as usize].expect("a register is written before it is read");
        let mut reads: Vec<(Vector, usize)> =
            operands.reads.iter().map(|register| (*register, value(*register))).collect();
        let tied = operands.writes.filter(|_| changes_in_place(&op)).map(value);
        let mut after: Vec<(usize, usize)> =
            reads.iter().map(|(_, value)| (writers[*value], nodes[writers[*value]].latency)).collect();
        reads.sort_unstable_by_key(|(_, value)| *value);
        reads.dedup();
        if let Some(row) = operands.loads {
            let (last, loads) = rows.entry(place(row)).or_default();
            after.extend(last.map(|store| (store, processor.forward_latency)));
            loads.push(at);
        }
        if let Some(row) = operands.stores {
            loaded.forget(place(row));
            if Some(row.pointer) == kept {
                assert!(operands.reads_mask.is_none(), "what is kept is stored whole");
                stored.insert(row.row, value(operands.reads[0]));
            }
            let (last, loads) = rows.entry(place(row)).or_default();
            after.extend(last.iter().chain(loads.iter()).map(|before| (*before, 1)));
            (*last, *loads) = (Some(at), Vec::new());
        }
        if let Some(mask) = operands.reads_mask {
            let (written, readers) = &mut masks[mask.0 as usize];
            after.extend(written.map(|write| (write, nodes[write].latency)));
            readers.push(at);
        }
        if let Some(mask) = operands.writes_mask {
            let (written, readers) = &mut masks[mask.0 as usize];
            after.extend(written.iter().chain(readers.iter()).map(|before| (*before, 1)));
            (*written, *readers) = (Some(at), Vec::new());
        }
        let writes = operands.writes.map(|register| {
            writers.push(at);
            held[register.0 as usize] = Some(writers.len() - 1);
            writers.len() - 1
        });
        let load = if operands.loads.is_some() { processor.load_latency } else { 0 };
        let work = Work::of(&op).map_or(0, |work| processor.unit(work).latency);
        nodes.push(Node { op, reads, writes, tied, after, latency: load + work });
    }
    nodes
}

/// Whether the old value of the register that `op` writes goes into the new one.
fn changes_in_place(op: &Op) -> bool {
    matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. } | Op::Merge { .. } | Op::Choose { .. })
}

/// The order in which the operations begin, each with no more than `registers` registers in use, but for the oldest; `None` where
/// there is a time from which on none can begin.
fn schedule(nodes: &[Node], processor: &Processor, registers: usize) -> Option<Vec<usize>> {
    let mut later: Vec<Vec<(usize, usize)>> = vec![Vec::new(); nodes.len()];
    let mut waits: Vec<usize> = vec![0; nodes.len()];
    // How often each value is still read.
    let mut readers = vec![0usize; nodes.iter().filter(|node| node.writes.is_some()).count()];
    for (i, node) in nodes.iter().enumerate() {
        node.after.iter().for_each(|(before, cycles)| later[*before].push((i, *cycles)));
        waits[i] = node.after.len();
        node.reads.iter().for_each(|(_, value)| readers[*value] += 1);
    }
    let mut chain = vec![0usize; nodes.len()];
    for i in (0..nodes.len()).rev() {
        chain[i] = later[i].iter().map(|(next, cycles)| chain[*next] + cycles).max().unwrap_or(nodes[i].latency);
    }
    let (mut ready, mut done) = (vec![0usize; nodes.len()], vec![false; nodes.len()]);
    let (mut order, mut oldest, mut live) = (Vec::with_capacity(nodes.len()), 0, 0usize);
    // More cycles than any operation waits for another's result.
    const LONGEST: usize = 40;
    let (mut cycle, mut idle) = (0, 0);
    while order.len() < nodes.len() {
        let (mut ports, mut loads, mut stores, mut left) =
            (0u8, processor.loads_in_two / 2, processor.stores_in_two.div_ceil(2), processor.width);
        let before = order.len();
        while left > 0 {
            while oldest < nodes.len() && done[oldest] {
                oldest += 1;
            }
            let window = oldest..nodes.len().min(oldest + AHEAD);
            let fits = |i: &usize| {
                let node = &nodes[*i];
                let operands = node.op.operands();
                let port = Work::of(&node.op).is_none_or(|work| processor.unit(work).ports & !ports != 0);
                let way = (operands.loads.is_none() || loads > 0) && (operands.stores.is_none() || stores > 0);
                let freed = node.reads.iter().filter(|(_, value)| readers[*value] == 1).count();
                let needed = (live + usize::from(node.writes.is_some())).saturating_sub(freed);
                let limit = if *i == oldest { REGISTERS } else { registers };
                !done[*i] && waits[*i] == 0 && ready[*i] <= cycle && port && way && (needed <= limit || needed <= live)
            };
            let Some(next) = window.filter(fits).max_by_key(|i| (chain[*i], usize::MAX - i)) else { break };
            let node = &nodes[next];
            if let Some(work) = Work::of(&node.op) {
                let free = processor.unit(work).ports & !ports;
                ports |= 1 << free.ilog2();
            }
            let operands = node.op.operands();
            loads -= usize::from(operands.loads.is_some());
            stores -= usize::from(operands.stores.is_some());
            left -= 1;
            for (_, value) in &node.reads {
                readers[*value] -= 1;
                live -= usize::from(readers[*value] == 0);
            }
            // A value that nobody reads is none.
            live += usize::from(node.writes.is_some_and(|value| readers[value] > 0));
            for (after, cycles) in &later[next] {
                waits[*after] -= 1;
                ready[*after] = ready[*after].max(cycle + cycles);
            }
            done[next] = true;
            order.push(next);
        }
        // By then every result is there.
        idle = if order.len() > before { 0 } else { idle + 1 };
        if idle > LONGEST {
            return None;
        }
        cycle += 1;
    }
    Some(order)
}

/// The operations in that order, in registers assigned anew.
fn assign(nodes: &[Node], order: &[usize]) -> Code {
    let mut last = HashMap::new();
    for (at, i) in order.iter().enumerate() {
        nodes[*i].reads.iter().for_each(|(_, value)| {
            last.insert(*value, at);
        });
    }
    let mut free: Vec<Vector> = (0..REGISTERS as u8).rev().map(Vector).collect();
    let mut register: HashMap<usize, Vector> = HashMap::new();
    let mut code = Code::new();
    for (at, i) in order.iter().enumerate() {
        let node = &nodes[*i];
        let reads: HashMap<Vector, Vector> = node.reads.iter().map(|(was, value)| (*was, register[value])).collect();
        let ended = node.reads.iter().map(|(_, value)| *value);
        let mut ended: Vec<usize> = ended.filter(|value| last[value] == at && node.tied != Some(*value)).collect();
        // Two registers, as it was written, may have held one value; reads are sorted by it.
        ended.dedup();
        free.extend(ended.iter().map(|value| register[value]));
        let to = node.writes.map(|value| {
            let to = match node.tied {
                Some(old) => {
                    assert_eq!(last[&old], at, "what changes in place is read no more");
                    register[&old]
                }
                None => free.pop().expect("a free register"),
            };
            register.insert(value, to);
            if !last.contains_key(&value) {
                free.push(to);
            }
            to
        });
        code.push(node.op.with(&|was| reads[&was], &|was| to.unwrap_or(was), &|row| row));
    }
    code
}

#[cfg(test)]
mod tests;
