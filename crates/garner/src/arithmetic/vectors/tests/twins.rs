// SPDX-License-Identifier: Apache-2.0
//! Every kernel does in assembly what its interpreted twin does.

use super::class::{Blocks, Composition};
use super::kernels::{At, Kernel, Sequence};
use super::*;
use garner_kernels::{Lanes, constants, scan};

#[test]
fn every_kernel_does_in_assembly_what_its_twin_does() {
    let Some(assembly) = assembly() else { return };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for &kernel in kernels::ALL.iter().chain(&kernels::two_rows::ALL) {
        for round in 0..4 {
            // No kernel's path depends on data, so any rows will do, even ones that break its contract.
            let rows = 2800;
            let mut place = 0;
            let mut next = || {
                place += 7;
                place
            };
            let at: At = std::array::from_fn(|_| next());
            let mut workspace: [Workspace; 3] = std::array::from_fn(|_| Workspace::new(rows));
            for row in 0..rows {
                let lanes: Lanes = match round {
                    0 => [u64::MAX; 8],
                    1 => [(1 << LIMB_BITS) - 1; 8],
                    2 => std::array::from_fn(|_| random.word() % 16),
                    _ => std::array::from_fn(|_| random.word()),
                };
                workspace.each_mut().into_iter().for_each(|workspace| workspace.rows()[row] = lanes);
            }
            let [ours, narrow, twins] = workspace.each_mut();
            assembly.run(kernel, ours.rows(), at);
            // Those by two rows are for eight lanes only.
            let lanes = if kernel.name.starts_with("two_rows") { 8 } else { 4 };
            assembly.for_lanes(lanes).run(kernel, narrow.rows(), at);
            Interpreted.run(kernel, twins.rows(), at);
            assert!(ours.rows() == twins.rows(), "{} differs from its twin", kernel.name);
            let first_four = |rows: &[Lanes]| rows.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>();
            let name = kernel.name;
            assert!(
                first_four(narrow.rows()) == first_four(twins.rows()),
                "{name} on four lanes differs from its twin"
            );
        }
    }
}

/// What AVX-IFMA will run: interpreted, and with another encoding of its multiply-adds.
#[test]
fn every_kernel_for_avx_ifma_does_what_the_program_does() {
    let mut random = Random(0x1234_5678_9abc_def1);
    // The block of constants first, where nothing else writes to what is spilled behind it. The others so far apart that blocks of
    // one are none of another's: in AVX-512's order of operations they count for different memory.
    let [p0, p1, p2, selection, table] = [0, 160, 260, 360, 460].map(|row| constants::ROWS + row);
    let (rows, at) = (3100, [p0, p1, p2, 0, table, selection]);
    for kernel in kernels::ALL {
        for round in 0..3 {
            let before: Vec<Lanes> = (0..rows)
                .map(|row| match (row, round) {
                    (constants::SIGN, _) => [1 << 63; 8],
                    (constants::SHIFTED_SIGN, _) => [1 << 11; 8],
                    (_, 0) => [u64::MAX; 8],
                    (_, 1) => [(1 << LIMB_BITS) - 1; 8],
                    _ => std::array::from_fn(|_| random.word()),
                })
                .collect();
            let run = |kernels: &dyn Fn(&mut [Lanes])| {
                let mut workspace = Workspace::new(rows);
                workspace.rows().copy_from_slice(&before);
                kernels(workspace.rows());
                let after: Vec<Lanes> = workspace.rows().to_vec();
                [&after[..constants::SPILL], &after[constants::ROWS..]].concat()
            };
            let mut wanted = run(&|rows| Interpreted.run(kernel, rows, at));
            if !kernel.name.starts_with("to_") {
                // The lanes beyond four are not touched.
                let untouched = run(&|_| ());
                wanted.iter_mut().zip(untouched).for_each(|(row, before)| row[4..].copy_from_slice(&before[4..]));
            }
            let name = kernel.name;
            assert!(run(&|rows| InterpretedVex.run(kernel, rows, at)) == wanted, "{name}, interpreted, round {round}");
            if let Some(assembly) = Assembly::avx_ifma_on_avx512() {
                assert!(run(&|rows| assembly.run(kernel, rows, at)) == wanted, "{name}, round {round}");
            }
            if let Some(assembly) = Assembly::avx_ifma() {
                assert!(run(&|rows| assembly.run(kernel, rows, at)) == wanted, "{name}, AVX-IFMA, round {round}");
            }
        }
    }
}

/// In double precision only limbs are within the contracts, not any rows.
#[test]
fn every_kernel_in_double_precision_does_in_assembly_what_its_twin_does() {
    let Some(assembly) = Assembly::avx2() else {
        println!("double precision is not tested: this processor has no AVX2 and FMA");
        return;
    };
    let mut random = Random(0x7654_3210_fedc_ba99);
    for class in classes_of(&InterpretedDoubles) {
        let moduli = moduli(class, &mut random);
        for round in 0..4 {
            let rows: Vec<Lanes> = (0..3 * class.rows())
                .map(|_| match round {
                    0 => [(1 << LIMB_BITS) - 1; 8],
                    1 => std::array::from_fn(|_| random.word() % 2),
                    _ => std::array::from_fn(|_| random.word() >> (64 - LIMB_BITS)),
                })
                .collect();
            let wanted = std::array::from_fn(|_| random.word() % 16);
            let run = |kernels: &dyn Fn(&Kernel, &mut [Lanes], At)| {
                let layout = Layout::of(class);
                let mut workspace = Workspace::new(layout.with_table);
                let kernels = Running(kernels);
                let mut field = Field::new(&kernels, class, workspace.rows());
                power::load_moduli(&mut field, moduli[..4 / class.lanes()].iter());
                let [a, b, r] = layout.scratch;
                for (place, rows) in [a, b, r].into_iter().zip(rows.chunks(class.rows())) {
                    field.number(place).copy_from_slice(rows);
                }
                field.multiply(r, a, b);
                field.half_reduce(layout.power, r);
                (0..scan::ENTRIES).for_each(|entry| field.set_entry(entry, if entry % 2 == 0 { a } else { b }, r));
                field.exponents(&wanted);
                field.want(0);
                field.copy(layout.accumulator, a);
                field.window();
                field.square(a, a);
                field.half_multiply(b, layout.selection, layout.selection + class.rows(), b);
                field.memory.iter().map(|row| row[..4].to_vec()).collect::<Vec<_>>()
            };
            let ours = run(&|kernel, memory, at| assembly.run(kernel, memory, at));
            let twins = run(&|kernel, memory, at| InterpretedDoubles.run(kernel, memory, at));
            assert!(ours == twins, "{:?}, round {round}", class.numbers());
        }
    }
}

/// Runs kernels by a function.
struct Running<'a>(&'a dyn Fn(&Kernel, &mut [Lanes], At));

impl Kernels for Running<'_> {
    fn name(&self) -> &'static str {
        "running"
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        (self.0)(kernel, memory, at);
    }

    fn for_lanes(&self, _: usize) -> Self {
        unreachable!("one field's operations")
    }

    fn lanes(&self) -> usize {
        4
    }

    fn halves_are_faster(&self) -> bool {
        unreachable!("one field's operations")
    }

    fn composition(&self, _: &'static Blocks, _: &dyn Fn(Composition) -> Sequence) -> Composition {
        unreachable!("numbers in double precision are not composed")
    }
}
