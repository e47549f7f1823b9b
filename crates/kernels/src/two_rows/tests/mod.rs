// SPDX-License-Identifier: Apache-2.0
//! Against the kernels that mask and add: both compute the same numbers or, where rows are by 2^(−52) mod n, numbers of the same
//! residue within the same bounds.

mod memory;

use super::*;
use crate::ports::Processor;
use crate::program::{Op, Pointer, Row, Source};
use crate::{BLOCK_LIMBS, DIRECT_LIMBS, LIMB_BITS, Lanes, constants, interpreter, scan};
use memory::{Memory, Random, negative_inverse};
use std::collections::HashMap;
use std::ops::Range;
use std::sync::LazyLock;

const LIMB: u64 = (1 << LIMB_BITS) - 1;

/// Made once: some are put into an order, which takes a while.
static ALL: LazyLock<Vec<Kernel>> = LazyLock::new(all);
static ONE_ROW: LazyLock<Vec<Kernel>> = LazyLock::new(crate::all);

fn named(kernels: &[Kernel], name: &str) -> Program {
    kernels.iter().find(|kernel| kernel.name == name).expect("a kernel of this name").program.clone()
}

/// Limbs of numbers whose windows may scan by stores.
const STORING_LIMBS: usize = 20;

/// The kernels of a window, and those of all windows of a word, for each way to scan.
fn window_ways(limbs: usize) -> Vec<[&'static str; 2]> {
    let mut ways = vec![["window", "windows"], ["window_merges", "windows_merge"]];
    if limbs == STORING_LIMBS {
        ways.push(["window_stores", "windows_store"]);
    }
    ways
}

#[test]
fn they_compute_what_the_other_kernels_do_whatever_stands_above_the_limbs() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for limbs in DIRECT_LIMBS {
        for round in 0..12 {
            let memory = Memory::new(limbs, round, &mut random);
            let [r, a, b] = [0, 1, 2].map(|number| memory.number(number));
            let (n, c, selection, table) = (memory.modulus(), 0, memory.selection(), memory.table());
            let window = [a, selection + limbs, n, c, table, selection];
            for (name, at) in [
                ("square", [r, a, n, c, 0, 0]),
                ("square", [a, a, n, c, 0, 0]),
                ("multiply", [r, a, n, c, b, 0]),
                ("multiply", [b, a, n, c, b, 0]),
                ("half_multiply", [r, a, n, c, b, r]),
                ("half_multiply", [b, a, n, c, b, a]),
                ("half_reduce", [r, a, n, c, 0, 0]),
                ("half_reduce", [a, a, n, c, 0, 0]),
                ("add", [r, a, b, c, 0, 0]),
                ("subtract_modulus", [r, a, n, c, 0, 0]),
            ]
            .into_iter()
            .chain(window_ways(limbs).into_iter().map(|[name, _]| (name, window)))
            {
                let run = |program: &Program, mut rows: Vec<Lanes>| {
                    interpreter::run(program, &mut rows, at);
                    let rows = rows.into_iter().enumerate();
                    let kept = rows.filter(|(row, _)| !(constants::SPILL..constants::ROWS).contains(row));
                    kept.map(|(row, lanes)| if row < constants::ROWS { lanes } else { lanes.map(|word| word & LIMB) })
                        .collect()
                };
                let one_row = name.trim_end_matches("_merges").trim_end_matches("_stores");
                let theirs: Vec<Lanes> = run(&named(&ONE_ROW, &format!("{one_row}_{limbs}")), memory.rows.clone());
                let ours = named(&ALL, &format!("two_rows_{name}_{limbs}"));
                let ours: Vec<Lanes> = run(&ours, memory.loose(&mut random));
                let case = format!("{name}_{limbs} at {at:?}, round {round}");
                if ["add", "subtract_modulus"].contains(&name) {
                    assert!(ours == theirs, "{case}");
                    continue;
                }
                // Rows for values without a register were left out.
                let place = at[0] - constants::SPILL_ROWS..at[0] - constants::SPILL_ROWS + limbs;
                let beside = |rows: &[Lanes]| [&rows[..place.start], &rows[place.end..]].concat();
                assert!(beside(&ours) == beside(&theirs), "{case}: beside the result");
                for lane in 0..8 {
                    let result = |rows: &[Lanes]| rows[place.clone()].iter().map(|row| row[lane]).collect::<Vec<u64>>();
                    let (ours, theirs, n) = (result(&ours), result(&theirs), memory.lane(memory.modulus(), lane));
                    // Reductions may leave n itself more or less, as digits come out; how much at most is tested with the reducer.
                    let once_more = |number: &[u64]| sum(number, &n);
                    assert!(
                        ours == theirs || ours == once_more(&theirs) || once_more(&ours) == theirs,
                        "{case}, lane {lane}: {ours:x?}, by one row {theirs:x?}"
                    );
                }
            }
        }
    }
}

/// The limbs of a sum.
fn sum(a: &[u64], b: &[u64]) -> Vec<u64> {
    let mut carry = 0;
    let limbs = a.iter().zip(b).map(|(a, b)| {
        carry += a + b;
        let limb = carry & LIMB;
        carry >>= LIMB_BITS;
        limb
    });
    limbs.collect()
}

/// The place of a kernel's column sums, in memory before it begins; of those over whole numbers there are none.
fn sums(name: &str) -> Option<Pointer> {
    let of_blocks = ["product_", "square_first_", "square_inner_", "square_final_", "reduce_"];
    if of_blocks.iter().any(|kind| name.starts_with(&format!("two_rows_{kind}"))) {
        Some(Pointer::P0)
    } else {
        name.starts_with("two_rows_two_blocks_reduce_").then_some(Pointer::P1)
    }
}

/// An upper bound of every word that a program computes, from any words in memory but the constants, and sums within their bounds.
#[test]
fn no_column_overflows_whatever_the_limbs() {
    for Kernel { name, program, .. } in ALL.iter() {
        let sums = sums(name);
        let mut vectors = [u128::from(u64::MAX); 32];
        let mut stored: HashMap<(usize, isize), u128> = HashMap::new();
        let mut largest = 0;
        program.walk(|op, moved| {
            let place = |row: Row| (row.pointer.index(), moved[row.pointer.index()] + row.row as isize);
            let of = |source: Source, vectors: &[u128; 32]| match source {
                Source::Vector(register) => vectors[register.0 as usize],
                Source::Row(row) if stored.contains_key(&place(row)) => stored[&place(row)],
                // Those of the second of two exponentiations stand behind.
                Source::Row(row) if row.pointer == constants::POINTER => match row.row % window::APART {
                    constants::NEGATIVE_INVERSE | constants::LIMB_MASK => u128::from(LIMB),
                    constants::ONE => 1,
                    _ => u64::MAX.into(),
                },
                Source::Row(row) if Some(row.pointer) == sums => (1 << 62) - 1,
                Source::Row(_) => u64::MAX.into(),
            };
            let (to, bound) = match *op {
                Op::Zero { to } => (to, 0),
                Op::Copy { to, from } => (to, of(from, &vectors)),
                Op::Store { to, from } => {
                    stored.insert(place(to), vectors[from.0 as usize]);
                    return;
                }
                // What stood there in the other lanes has no bound that is known.
                Op::MergeStore { to, .. } => {
                    stored.insert(place(to), u64::MAX.into());
                    return;
                }
                Op::MultiplyAddLow { sum, .. } | Op::MultiplyAddHigh { sum, .. } => {
                    (sum, vectors[sum.0 as usize] + u128::from(LIMB))
                }
                Op::Add { to, a, b } => (to, vectors[a.0 as usize] + of(b, &vectors)),
                Op::And { to, a, b } => (to, vectors[a.0 as usize].min(of(b, &vectors))),
                Op::ShiftRight { to, a, bits } => (to, vectors[a.0 as usize] >> bits),
                // A carry with its sign: normalise's numbers are tested above.
                Op::Carry { to, .. } | Op::Subtract { to, .. } => (to, 0),
                _ => match op.operands().writes {
                    Some(to) => (to, u64::MAX.into()),
                    None => return,
                },
            };
            // What is loaded has no bound; what is computed must not wrap.
            assert!(bound <= u64::MAX.into(), "{name}: {op:?} may reach {bound:#x}");
            vectors[to.0 as usize] = bound;
            if matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. }) {
                largest = bound.max(largest);
            }
        });
        assert!(sums.is_some() || largest < 1 << 61, "{name}: columns reach {largest:#x}");
    }
}

/// The column sums of `Σ x_i·y_j` over all pairs of limbs that `wanted` names, added to `columns`.
fn add_products(columns: &mut [Lanes], x: &[Lanes], y: &[Lanes], times: impl Fn(usize, usize) -> u64) {
    for (i, x) in x.iter().enumerate() {
        for (j, y) in y.iter().enumerate() {
            for lane in 0..8 {
                let product = u128::from(x[lane] & LIMB) * u128::from(y[lane] & LIMB);
                columns[i + j][lane] += times(i, j) * (product as u64 & LIMB);
                columns[i + j + 1][lane] += times(i, j) * (product >> LIMB_BITS) as u64;
            }
        }
    }
}

#[test]
fn blocks_are_multiplied_and_squared_whatever_stands_above_the_limbs() {
    let mut random = Random(0xfedc_ba98_7654_3210);
    for m in BLOCK_LIMBS {
        let (columns, x, y, result) = (constants::ROWS, constants::ROWS + 2 * m, constants::ROWS + 3 * m, 200);
        let memory: Vec<Lanes> = (0..200 + 2 * m)
            .map(|row| {
                let sums = (columns..columns + 2 * m).contains(&row);
                std::array::from_fn(|_| if sums { random.word() >> 3 } else { random.word() })
            })
            .collect();
        let run = |name: &str| {
            let mut rows = memory.clone();
            interpreter::run(&named(&ALL, name), &mut rows, [columns, x, y, 0, result, 0]);
            rows
        };
        let (old, x, y) = (&memory[columns..columns + 2 * m], &memory[x..x + m], &memory[y..y + m]);
        let begun = |kept: Range<usize>, times: u64| -> Vec<Lanes> {
            let row = |(i, row): (usize, &Lanes)| if kept.contains(&i) { row.map(|sum| times * sum) } else { [0; 8] };
            old.iter().enumerate().map(row).collect()
        };
        for (name, kept) in [("fresh", 0..0), ("fresh_top", 0..m), ("old", 0..2 * m)] {
            let mut wanted = begun(kept, 1);
            add_products(&mut wanted, x, y, |_, _| 1);
            let rows = run(&format!("two_rows_product_{name}_{m}"));
            assert!(rows[columns..columns + 2 * m] == wanted, "product_{name}_{m}");
        }
        for (name, kept) in [("first", m..2 * m), ("inner", 0..2 * m), ("final", 0..m)] {
            let mut wanted = begun(kept, 2);
            add_products(&mut wanted, x, x, |_, _| 1);
            let rows = run(&format!("two_rows_square_{name}_{m}"));
            assert!(rows[columns..columns + 2 * m] == wanted, "square_{name}_{m}");
        }
        // Carried: the limbs, and what goes on.
        let mut sums = begun(0..2 * m, 1);
        add_products(&mut sums, x, y, |_, _| 1);
        let handed_on = run(&format!("two_rows_product_carry_{m}"))[columns + m];
        for i in 0..2 * m - 1 {
            let carry = sums[i].map(|sum| sum >> LIMB_BITS);
            sums[i + 1].iter_mut().zip(carry).for_each(|(sum, carry)| *sum += carry);
        }
        assert_eq!(handed_on, sums[m], "product_carry_{m}");
        for (name, limbs) in [("carry", m), ("last", 2 * m)] {
            let rows = run(&format!("two_rows_product_{name}_{m}"));
            for (row, sum) in rows[result..result + limbs].iter().zip(&sums) {
                assert_eq!(row.map(|limb| limb & LIMB), sum.map(|sum| sum & LIMB), "product_{name}_{m}");
            }
        }
    }
}

/// Both kinds of a block's reduction leave the same sums and find the same digits.
#[test]
fn blocks_are_reduced_as_by_one_row() {
    let mut random = Random(0x0f1e_2d3c_4b5a_6978);
    let theirs = crate::all();
    for m in BLOCK_LIMBS {
        let (columns, q, n) = (constants::ROWS, constants::ROWS + 2 * m + 1, constants::ROWS + 4 * m);
        let (table, selection) = (n + m, n + m + scan::ENTRIES * m);
        for round in 0..8 {
            let mut memory: Vec<Lanes> = Memory::new(DIRECT_LIMBS[0], round, &mut random).rows;
            memory.resize_with(selection + m, || std::array::from_fn(|_| random.word() & LIMB));
            for row in &mut memory[columns..columns + 2 * m] {
                *row = std::array::from_fn(|lane| if (round + lane) % 4 == 0 { 0 } else { random.word() >> 3 });
            }
            memory[n] = memory[n].map(|limb| limb | 1);
            memory[constants::NEGATIVE_INVERSE] = memory[n].map(negative_inverse);
            for name in ["reduce", "reduce_scan"] {
                let run = |kernels: &[Kernel], name: &str| {
                    let mut rows = memory.clone();
                    interpreter::run(&named(kernels, name), &mut rows, [columns, q, n, 0, table, selection]);
                    let digits: Vec<Lanes> = rows[q..q + m].iter().map(|row| row.map(|digit| digit & LIMB)).collect();
                    // One scans fewer limbs.
                    let selected = rows[selection..selection + block::scanned_limbs(m)].to_vec();
                    (rows[columns + m..columns + 2 * m].to_vec(), digits, selected)
                };
                let ours = run(&ALL, &format!("two_rows_{name}_{m}"));
                assert!(ours == run(&theirs, &format!("{name}_{m}")), "{name}_{m}, round {round}");
            }
        }
    }
}

/// Kernels over two blocks do what those over one do one after another.
#[test]
fn two_blocks_at_once_are_one_after_another() {
    let mut random = Random(0x7d1c_93ab_40e5_2f68);
    for m in BLOCK_LIMBS {
        let [number, result] = [0, 2 * m].map(|row| constants::ROWS + row);
        let [n, columns, selection] = [result + 2 * m, result + 4 * m, result + 8 * m];
        let table = selection + m;
        let mut memory: Vec<Lanes> = Memory::new(DIRECT_LIMBS[0], 2, &mut random).rows;
        memory.resize_with(table + scan::ENTRIES * m, || std::array::from_fn(|_| random.word() >> 3));
        memory[n..columns].iter_mut().for_each(|limb| *limb = limb.map(|word| word & LIMB));
        memory[n] = memory[n].map(|limb| limb | 1);
        memory[constants::NEGATIVE_INVERSE] = memory[n].map(negative_inverse);
        memory[constants::WANTED] = std::array::from_fn(|_| random.word() % scan::ENTRIES as u64);
        let at_once = [number, columns, n, 0, table, selection];
        let last = [result, columns, n, 0, 0, 0];
        let reduce = |name: &'static str| (name, [columns, columns, n, 0, table, selection]);
        let upper = |name: &'static str, to: usize| (name, [columns + m, columns, n + m, 0, to, 0]);
        let cases = [
            (
                "square",
                at_once,
                vec![
                    ("product_fresh", [columns + m, number, number + m, 0, 0, 0]),
                    ("square_first", [columns, number, 0, 0, 0, 0]),
                    ("square_final", [columns + 2 * m, number + m, 0, 0, 0, 0]),
                ],
            ),
            ("reduce", at_once, vec![reduce("reduce"), upper("product_old", 0)]),
            ("reduce_scan", at_once, vec![reduce("reduce_scan"), upper("product_old", 0)]),
            ("reduce_last", last, vec![reduce("reduce"), upper("product_last", result)]),
        ];
        for (name, at, steps) in cases {
            let name = format!("two_rows_two_blocks_{name}_{m}");
            if name.contains("reduce") && m != two_blocks::SHORT_BLOCK {
                continue;
            }
            let (mut rows, mut one_by_one) = (memory.clone(), memory.clone());
            interpreter::run(&named(&ALL, &name), &mut rows, at);
            for (step, at) in steps {
                interpreter::run(&named(&ALL, &format!("two_rows_{step}_{m}")), &mut one_by_one, at);
            }
            assert!(rows == one_by_one, "{name}");
        }
    }
}

#[test]
fn sixteen_windows_are_one_after_another() {
    let mut random = Random(0x5a5a_1234_8765_a5a5);
    for limbs in DIRECT_LIMBS {
        let memory = Memory::new(limbs, 2, &mut random);
        let (n, selection, table) = (memory.modulus(), memory.selection(), memory.table());
        let (wanted, mut rows) = (memory.rows.len(), memory.rows.clone());
        rows.extend((0..WINDOWS).map(|_| std::array::from_fn::<u64, 8, _>(|_| random.word() % scan::ENTRIES as u64)));
        let at = |row: usize| [memory.number(1), wanted + row, n, 0, table, selection];
        for [window, windows] in window_ways(limbs) {
            let (mut rows, mut one_by_one) = (rows.clone(), rows.clone());
            interpreter::run(&named(&ALL, &format!("two_rows_{windows}_{limbs}")), &mut rows, at(0));
            let window = named(&ALL, &format!("two_rows_{window}_{limbs}"));
            for row in 0..WINDOWS {
                one_by_one[constants::WANTED] = one_by_one[wanted + row];
                interpreter::run(&window, &mut one_by_one, at(row));
            }
            rows[constants::WANTED] = one_by_one[constants::WANTED];
            assert!(rows == one_by_one, "{windows}_{limbs}");
        }
    }
}

#[test]
fn windows_in_turn_are_those_of_each_exponentiation() {
    let mut random = Random(0x0f0f_8421_1248_f0f0);
    for limbs in DIRECT_LIMBS.into_iter().filter(|limbs| *limbs <= window::ORDERED_LIMBS) {
        let memories = [2, 3].map(|round| Memory::new(limbs, round, &mut random));
        let [a, b] = &memories;
        let wanted = a.rows.len();
        let at = [a.number(1), wanted, a.modulus(), 0, a.table(), a.selection()];
        assert!(wanted + WINDOWS <= window::APART && b.rows.len() == wanted);
        let mut rows = vec![[0; 8]; window::APART + wanted + WINDOWS];
        for (memory, place) in memories.iter().zip([0, window::APART]) {
            rows[place..place + wanted].copy_from_slice(&memory.rows);
            let numbers = &mut rows[place + wanted..][..WINDOWS];
            numbers.fill_with(|| std::array::from_fn(|_| random.word() % scan::ENTRIES as u64));
        }
        for [in_turn, windows] in [["windows_in_turn", "windows"], ["windows_in_turn_merge", "windows_merge"]] {
            let (mut first, mut second) = (rows.clone(), rows[window::APART..].to_vec());
            let mut rows = rows.clone();
            interpreter::run(&named(&ALL, &format!("two_rows_{in_turn}_{limbs}")), &mut rows, at);
            let windows = named(&ALL, &format!("two_rows_{windows}_{limbs}"));
            [&mut first, &mut second].into_iter().for_each(|rows| interpreter::run(&windows, rows, at));
            let results = |rows: &[Lanes]| rows[constants::ROWS..wanted + WINDOWS].to_vec();
            assert!(results(&rows) == results(&first), "{in_turn}_{limbs}, the first");
            assert!(results(&rows[window::APART..]) == results(&second), "{in_turn}_{limbs}, the second");
        }
    }
}

#[test]
fn each_limb_of_the_modulus_is_loaded_once_for_two_rows_and_never_an_operand_in_memory() {
    for limbs in DIRECT_LIMBS {
        for (name, rows) in
            [("square", limbs), ("multiply", limbs), ("half_multiply", limbs / 2), ("half_reduce", limbs / 2)]
        {
            let mut loads = 0;
            named(&ALL, &format!("two_rows_{name}_{limbs}")).walk(|op, _| {
                let multiplies = matches!(op, Op::MultiplyAddLow { .. } | Op::MultiplyAddHigh { .. });
                let row = op.operands().loads;
                assert!(!(multiplies && row.is_some()), "{name}: {op:?}");
                loads += usize::from(row.is_some_and(|row| row.pointer == Pointer::P2));
            });
            // The lowest limb comes once more for each two digits, of the last two the second, too; of an odd number one stands alone.
            assert_eq!(loads, rows.div_ceil(2) * (limbs + 1) + 1, "{name}");
        }
    }
}

#[test]
fn a_window_reads_every_entry_of_its_table() {
    let of = |limbs| window_ways(limbs).into_iter().map(move |[name, _]| (name, limbs));
    for (name, limbs) in DIRECT_LIMBS.into_iter().flat_map(of) {
        let program = named(&ALL, &format!("two_rows_{name}_{limbs}"));
        let mut read = vec![0; scan::ENTRIES * 2 * limbs];
        program.walk(|op, moved| {
            if let Some(row) = op.operands().loads.filter(|row| row.pointer == Pointer::P4) {
                read[row.row.checked_add_signed(moved[Pointer::P4.index()]).expect("after the pointer")] += 1;
            }
        });
        assert!(read.iter().all(|times| *times == 1), "{name}_{limbs}");
    }
}

/// Stores under masks to a row of the selection have left the processor's window before the row is loaded.
#[test]
fn stores_under_masks_are_through_before_their_rows_are_loaded() {
    let (mut stored, mut number, mut least) = (HashMap::new(), 0, usize::MAX);
    named(&ALL, &format!("two_rows_window_stores_{STORING_LIMBS}")).walk(|op, moved| {
        number += 1;
        let place = |row: Row| (row.pointer.index(), moved[row.pointer.index()] + row.row as isize);
        if let Op::MergeStore { to, .. } = op {
            stored.insert(place(*to), number);
        } else if let Some(at) = op.operands().loads.and_then(|row| stored.get(&place(row))) {
            least = least.min(number - at);
        }
    });
    let window = Processor::ALL.into_iter().map(|processor| processor.window).max();
    assert!(Some(least) >= window && least < usize::MAX, "{least} instructions");
}
