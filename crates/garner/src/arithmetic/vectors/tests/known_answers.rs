// SPDX-License-Identifier: Apache-2.0
//! A kernel that computes wrongly is found before its first use, in whichever lane, and something else does its work.

use super::class::{DOUBLES, Direct, DirectKernels, Doubles, Shape};
use super::kernels::{At, Kernel};
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::vectors::known_answers::{self, Way};
use garner_kernels::Lanes;
use garner_kernels::folded::Fold;

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

/// The twin in double precision, likewise.
#[derive(Clone, Copy)]
struct FaultyDoubles {
    kernel: &'static str,
    lane: usize,
}

impl Kernels for FaultyDoubles {
    fn name(&self) -> &'static str {
        "faulty"
    }

    fn classes(&self) -> &'static [Class; 8] {
        &DOUBLES
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        InterpretedDoubles.run(kernel, memory, at);
        if kernel.name == self.kernel {
            // A scan writes to the last of the places, all others to the first.
            let place = if at[0] == 0 { at[5] } else { at[0] };
            memory[place][self.lane] ^= 1 << 17;
        }
    }

    fn answer(&self, class: &'static Class) -> bool {
        known_answers::wrong_operation(self, class).is_none()
    }

    fn for_lanes(&self, _: usize) -> FaultyDoubles {
        *self
    }

    fn lanes(&self) -> usize {
        4
    }
}

#[test]
fn every_kernel_in_double_precision_is_asked_in_every_lane() {
    let shortest = &DOUBLES[0];
    let folded = shortest.folded(&[Fold::Pair]);
    assert_eq!(known_answers::wrong_operation(&FaultyDoubles { kernel: "", lane: 0 }, shortest), None);
    for class in [shortest, folded] {
        let Shape::Doubles(Doubles { square, squares, multiply, half_multiply, half_reduce, scan, window, .. }) =
            class.shape
        else {
            panic!("a class in double precision");
        };
        let those_of_class = [class.add, class.subtract_modulus, class.to_limbs, class.to_words];
        for kernel in [square, squares, multiply, half_multiply, half_reduce, scan, window] {
            for lane in 0..4 {
                let faulty = FaultyDoubles { kernel: kernel.name, lane };
                assert!(known_answers::wrong_operation(&faulty, shortest).is_some(), "{}, lane {lane}", kernel.name);
            }
        }
        // Those that do not multiply are asked as others are.
        assert!(those_of_class.iter().all(|kernel| kernels::ALL.iter().any(|known| known.name == kernel.name)));
    }
}

#[test]
fn a_length_whose_kernels_are_faulty_is_computed_by_libcrypto() {
    let Shape::Doubles(doubles) = &DOUBLES[0].shape else { panic!("a class in double precision") };
    let mut random = Random(6);
    let moduli: Vec<Modulus> = (0..4).map(|_| Modulus::new(&random.modulus(500)).unwrap()).collect();
    let (a, b) = (random.words(8), random.words(8));
    let results = |arithmetic: &dyn Arithmetic| {
        let mut results = vec![vec![0; 8]; 12];
        let [products, powers, public] = results.as_chunks_mut::<4>().0 else { panic!("three fours") };
        let jobs = products.iter_mut().zip(&moduli);
        let jobs = jobs.map(|(result, modulus)| Multiply { modulus, a: &a, b: &b, result, c: None });
        arithmetic.multiply(&mut jobs.collect::<Vec<_>>());
        fn job<'p>(base: &'p [u64], (result, modulus): (&'p mut Vec<u64>, &'p Modulus)) -> Power<'p> {
            Power { modulus, base, exponent: &[65_537], result }
        }
        arithmetic.power_secret(&mut powers.iter_mut().zip(&moduli).map(|each| job(&a, each)).collect::<Vec<_>>());
        arithmetic.power_public(&mut public.iter_mut().zip(&moduli).map(|each| job(&a, each)).collect::<Vec<_>>());
        results
    };
    let faulty = Vectors(FaultyDoubles { kernel: doubles.half_reduce.name, lane: 2 });
    assert_eq!(results(&faulty), results(&Libcrypto));
}
