// SPDX-License-Identifier: Apache-2.0
//! A kernel that computes wrongly is found before its first use, in whichever lane, and something else does its work.

use super::class::{Direct, DirectKernels};
use super::kernels::{At, Kernel};
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::vectors::known_answers::{self, Way};
use garner_kernels::Lanes;

/// The twin, one of whose kernels flips a bit of a lane that it writes.
#[derive(Clone, Copy)]
struct Faulty {
    name: &'static str,
    kernel: &'static str,
    lane: usize,
    two_rows: bool,
}

impl Kernels for Faulty {
    fn name(&self) -> &'static str {
        self.name
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        Interpreted.run(kernel, memory, at);
        if kernel.name == self.kernel {
            memory[at[0] + 3][self.lane] ^= 1 << 17;
        }
    }

    fn for_lanes(&self, _: usize) -> Faulty {
        *self
    }

    fn lanes(&self) -> usize {
        8
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        if self.two_rows { &direct.two_rows } else { &direct.one_row }
    }
}

/// Of the many kernels those of the shortest numbers: the twin is slow.
fn asked(list: &[&'static Kernel]) -> Vec<&'static Kernel> {
    list.iter().copied().filter(|kernel| kernel.name.ends_with("_10")).collect()
}

impl Way for Faulty {
    fn way(&self) -> &'static str {
        self.name
    }

    fn wrong(&self) -> Option<&'static str> {
        known_answers::first_wrong(self, 8, &asked(&kernels::ALL))
    }

    fn wrong_by_two_rows(&self) -> Option<&'static str> {
        known_answers::first_wrong(self, 8, &asked(&kernels::two_rows::ALL))
    }

    fn without_two_rows(self) -> Faulty {
        Faulty { two_rows: false, ..self }
    }
}

fn way(name: &'static str, kernel: &'static str, lane: usize) -> Faulty {
    Faulty { name, kernel, lane, two_rows: true }
}

#[test]
fn the_twin_gives_the_answers_that_were_built_in() {
    assert_eq!(known_answers::first_wrong(&Interpreted, 8, &kernels::ALL), None);
    assert_eq!(known_answers::first_wrong(&Interpreted, 8, &kernels::two_rows::ALL), None);
}

#[test]
fn this_processors_kernels_answer_and_those_that_do_not_are_none_of_the_available() {
    assert_eq!(Native::refused(), []);
    for assembly in available() {
        assert_eq!(Way::wrong(&assembly), None, "{}", assembly.name());
        assert_eq!(assembly.wrong_by_two_rows(), None, "{}", assembly.name());
    }
}

#[test]
fn a_wrong_bit_in_any_lane_is_seen() {
    for lane in 0..8 {
        for kernel in ["square_10", "two_rows_window_10"] {
            let faulty = way("faulty", kernel, lane);
            let all = kernels::ALL.into_iter().chain(kernels::two_rows::ALL);
            let list: Vec<_> = all.filter(|one| one.name == kernel).collect();
            assert_eq!(list.len(), 1);
            assert_eq!(known_answers::first_wrong(&faulty, 8, &list), Some(kernel), "lane {lane}");
            // With four lanes in use the others do not count.
            assert_eq!(known_answers::first_wrong(&faulty, 4, &list).is_some(), lane < 4, "lane {lane}");
        }
    }
}

#[test]
fn a_faulty_kernel_is_replaced_and_results_are_right() {
    let tested = known_answers::test([
        way("first", "multiply_10", 6),
        way("second", "two_rows_windows_10", 1),
        way("third", "", 0),
    ]);
    let refused: Vec<_> = tested.refused.iter().map(|one| (one.way, one.kernel, one.instead)).collect();
    assert_eq!(refused, [("first", "multiply_10", "second"), ("second", "two_rows_windows_10", "kernels by one row")]);
    let left: Vec<_> = tested.ways.iter().map(|way| (way.name, way.two_rows)).collect();
    assert_eq!(left, [("second", false), ("third", true)]);

    let mut random = Random(5);
    let moduli: Vec<Modulus> = (0..8).map(|_| Modulus::new(&random.modulus(512)).unwrap()).collect();
    let (base, exponent) = (random.words(8), random.words(1));
    let power = |arithmetic: &dyn Arithmetic| {
        let mut results = vec![vec![0; 8]; 8];
        let jobs = results.iter_mut().zip(&moduli);
        let mut jobs: Vec<Power<'_>> =
            jobs.map(|(result, modulus)| Power { modulus, base: &base, exponent: &exponent, result }).collect();
        arithmetic.power_secret(&mut jobs);
        results
    };
    let right = power(&Libcrypto);
    assert_ne!(power(&Vectors(way("second", "two_rows_windows_10", 1))), right, "the fault makes a difference");
    tested.ways.into_iter().for_each(|way| assert_eq!(power(&Vectors(way)), right, "{}", way.name));
}

#[test]
fn where_all_are_faulty_libcrypto_is_left() {
    let tested = known_answers::test([way("only", "square_10", 7)]);
    assert!(tested.ways.is_empty());
    assert_eq!((tested.refused[0].kernel, tested.refused[0].instead), ("square_10", "libcrypto"));
}
