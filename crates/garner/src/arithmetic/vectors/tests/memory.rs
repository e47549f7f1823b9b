// SPDX-License-Identifier: Apache-2.0
//! The workspace: what is read from its table, words that become limbs there, what is wiped and what is refused.

use super::*;
use garner_kernels::{Lanes, scan};

#[test]
fn a_scan_selects_each_lanes_entry_alone_or_fused() {
    fn check(kernels: &impl Kernels) {
        let mut random = Random(77);
        for class in classes_of(kernels) {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.with_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let (rows, [from, shifted, _]) = (class.rows(), layout.scratch);
            let mut entries = Vec::new();
            for entry in 0..scan::ENTRIES {
                let limbs: Vec<Lanes> = (0..2 * rows).map(|_| std::array::from_fn(|_| random.word())).collect();
                // In double precision, limbs stand there in another form.
                let limbs: Vec<Lanes> = limbs.iter().map(|limb| limb.map(|word| word >> (64 - LIMB_BITS))).collect();
                field.number(from).copy_from_slice(&limbs[..rows]);
                field.number(shifted).copy_from_slice(&limbs[rows..]);
                field.set_entry(entry, from, shifted);
                entries.push(limbs);
            }
            for round in 0..4 {
                let wanted: Lanes = std::array::from_fn(|job| (5 * job as u64 + 3 * round) % 16);
                field.exponents(&wanted);
                field.want(0);
                if round % 2 == 0 {
                    field.scan();
                } else {
                    field.window();
                }
                for row in 0..2 * rows {
                    if row % rows == 0 {
                        field.copy(layout.selection, layout.selection + row);
                        field.copy_selection(layout.power);
                    }
                    let selected = field.memory[layout.power + row % rows];
                    for lane in 0..kernels.lanes() {
                        let right = entries[wanted[lane / class.lanes()] as usize][row][lane];
                        assert_eq!(selected[lane], right, "row {row} of {rows}, round {round}, lane {lane}");
                    }
                }
            }
        }
    }
    check(&Interpreted);
    check(&InterpretedTwoRows);
    check(&InterpretedDoubles);
    available().for_each(|assembly| check(&assembly));
}

#[test]
#[should_panic(expected = "would leave its memory")]
fn a_kernel_that_would_leave_its_memory_is_refused() {
    let Some(assembly) = assembly() else { panic!("square_20 would leave its memory") };
    let mut workspace = Workspace::new(64);
    assembly.run(&kernels::SQUARE_20, workspace.rows(), [0, 20, 45, 0, 0, 0]);
}

#[test]
#[should_panic(expected = "would leave its memory")]
fn kernels_of_which_one_would_leave_its_memory_are_refused() {
    let Some(assembly) = assembly() else { panic!("square_20 would leave its memory") };
    let mut sequence = kernels::Sequence::default();
    [45, 40].into_iter().for_each(|modulus| sequence.push(&kernels::SQUARE_20, [0, 20, modulus, 0, 0, 0]));
    assembly.run_all(&sequence, Workspace::new(64).rows());
}

#[test]
fn the_workspace_is_zero_again_after_use_and_is_used_again() {
    let mut workspace = Workspace::new(50);
    workspace.rows().fill([7; 8]);
    let place = workspace.rows().as_ptr();
    drop(workspace);
    let mut again = Workspace::new(40);
    assert_eq!(again.rows().as_ptr(), place);
    assert!(again.rows().iter().all(|row| *row == [0; 8]));
}

#[test]
fn words_survive_the_way_to_limbs_and_back() {
    fn check(kernels: &impl Kernels) {
        let mut random = Random(3);
        for class in classes_of(kernels) {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.without_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let (bits, jobs) = (class.limbs * LIMB_BITS, class.jobs(kernels.lanes()));
            let values: Vec<Vec<u64>> = (0..jobs).map(|job| random.number(bits - 17 * job)).collect();
            for first in [0, 1, 64, 100, bits - 1, bits, bits + 64] {
                field.load(layout.modulus, first, |job| values.get(job).map_or(&[], Vec::as_slice));
                field.unload(layout.modulus);
                for job in 0..jobs {
                    let mut wanted = BigNum::new().unwrap();
                    wanted.rshift(&number(&values[job]), first as i32).unwrap();
                    assert_eq!(number(field.words(job)), wanted, "bits from {first} of {bits}");
                    assert!(field.number(layout.modulus).as_flattened().iter().all(|&limb| limb < 1 << LIMB_BITS));
                }
            }
        }
    }
    check(&Interpreted);
    if let Some(assembly) = assembly() {
        check(&assembly);
    }
    // Of eight lanes, too: two registers stand for one.
    check(&InterpretedVex);
}
