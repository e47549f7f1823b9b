// SPDX-License-Identifier: Apache-2.0
//! The twin: the code of the vector arithmetic, over kernels interpreted instead of assembled.

use super::marking::{Marking, mark_modulus};
use super::{Scenario, Words, clean, reference};
use crate::valgrind::{depends_on_secret, public_of_others, reveal, secret};
use garner::arithmetic::libcrypto::Libcrypto;
use garner::arithmetic::vectors::{DoublesTwin, Twin, TwoRowsTwin, VexTwin};
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use garner_kernels::{Lanes, constants, doubles, interpreter, program::Pointer, vex};

/// What AVX-512 IFMA runs.
const EIGHT: fn() -> Box<dyn Arithmetic> = || Box::new(Marking::new(Twin::default()));
/// The same by two rows at a time.
const TWO_ROWS: fn() -> Box<dyn Arithmetic> = || Box::new(Marking::new(TwoRowsTwin::default()));
/// What AVX-IFMA runs.
const VEX: fn() -> Box<dyn Arithmetic> = || Box::new(Marking::new(VexTwin::default()));
/// What AVX2 and FMA run.
const DOUBLES: fn() -> Box<dyn Arithmetic> = || Box::new(Marking::new(DoublesTwin::default()));

pub fn all() -> Vec<Scenario> {
    vec![
        clean("twin: every kernel, all its memory secret", kernels),
        clean("twin: every kernel for AVX-IFMA, all its memory secret", kernels_for_avx_ifma),
        clean("twin: every kernel in double precision, all its memory secret", kernels_in_double_precision),
        clean("twin: multiply, 250 to 1,500 bits", multiply),
        clean("twin: a modulus and its constants", constants_of_a_modulus),
        clean("twin: power_secret, 512-bit moduli", || power(EIGHT, 3, 512, 4, 8, false)),
        clean("twin: power_secret, 512-bit moduli, folded over two lanes", || power(EIGHT, 2, 512, 4, 8, false)),
        clean("twin: power_secret, 1,024-bit moduli", || power(EIGHT, 3, 1024, 1, 32, false)),
        clean("twin: power_secret, 1,024-bit moduli, folded over two lanes", || power(EIGHT, 2, 1024, 1, 32, false)),
        clean("twin: power_secret, 1,536-bit moduli, of blocks", || power(EIGHT, 3, 1536, 1, 24, false)),
        clean("twin: power_secret, 1,536-bit moduli, folded over two lanes", || power(EIGHT, 2, 1536, 1, 24, false)),
        clean("twin: power_secret, 2,048-bit moduli, folded over two lanes", || power(EIGHT, 1, 2048, 1, 32, false)),
        clean("twin: power_secret by two rows, 512-bit moduli", || power(TWO_ROWS, 5, 512, 4, 8, false)),
        clean("twin: power_secret by two rows, 512-bit moduli, two passes in turn", || {
            power(TWO_ROWS, 16, 512, 2, 8, false)
        }),
        clean("twin: power_secret by two rows, 1,024-bit moduli", || power(TWO_ROWS, 5, 1024, 1, 32, false)),
        clean("twin: power_secret by two rows, 1,536-bit moduli, of two blocks", || {
            power(TWO_ROWS, 5, 1536, 1, 24, false)
        }),
        clean("twin: power_secret by two rows, 2,048-bit moduli, of two blocks", || {
            power(TWO_ROWS, 5, 2048, 2, 32, false)
        }),
        clean("twin: power_public by two rows, 3,072-bit moduli, of four blocks", || {
            power(TWO_ROWS, 5, 3072, 1, 48, true)
        }),
        clean("twin: power_public by two rows, secret base", || power(TWO_ROWS, 5, 512, 1, 16, true)),
        clean("twin: power_secret, 1,024-bit moduli, folded over two of eight lanes", || {
            power(TWO_ROWS, 3, 1024, 1, 32, false)
        }),
        clean("twin: power_secret, 2,048-bit moduli, folded over four of eight lanes", || {
            power(TWO_ROWS, 2, 2048, 1, 32, false)
        }),
        clean("twin: power_public, secret base", || power(EIGHT, 3, 512, 1, 16, true)),
        clean("twin: power_public, secret base, folded over four lanes", || power(EIGHT, 1, 1024, 1, 16, true)),
        clean("twin: power_secret as AVX-IFMA runs it, four lanes", || power(VEX, 5, 512, 1, 8, false)),
        clean("twin: power_secret as AVX-IFMA runs it, folded", || power(VEX, 1, 1024, 1, 16, false)),
        clean("twin: power_public as AVX-IFMA runs it", || power(VEX, 3, 512, 1, 8, true)),
        clean("twin: power_secret in double precision", || power(DOUBLES, 3, 512, 1, 8, false)),
        clean("twin: power_secret in double precision, 1,024-bit moduli", || power(DOUBLES, 3, 1024, 1, 16, false)),
        clean("twin: power_secret in double precision, folded over two lanes", || power(DOUBLES, 2, 512, 1, 8, false)),
        clean("twin: power_secret in double precision, folded over four lanes", || {
            power(DOUBLES, 1, 1024, 1, 16, false)
        }),
        clean("twin: power_public in double precision", || power(DOUBLES, 3, 512, 1, 8, true)),
        clean("twin: power_public in double precision, folded over four lanes", || {
            power(DOUBLES, 1, 1024, 1, 16, true)
        }),
        clean("twin: the modulus alone is secret", modulus),
        clean("libcrypto: the code around its functions", libcrypto),
    ]
}

fn kernels() {
    let mut kernels = garner_kernels::all();
    kernels.extend(garner_kernels::two_rows::all());
    every(5, kernels.iter().map(|kernel| (&kernel.name, kernel.program.reach(), &kernel.program)), interpreter::run);
}

fn kernels_for_avx_ifma() {
    let kernels: Vec<_> =
        garner_kernels::as_written().into_iter().map(|kernel| (kernel.name, kernel.program)).collect();
    let code: Vec<_> = kernels.iter().map(|(name, program)| (name, program.reach(), vex::translate(program))).collect();
    every(6, code.iter().map(|(name, reach, code)| (*name, *reach, &code[..])), vex::run);
}

fn kernels_in_double_precision() {
    let kernels = doubles::all();
    every(12, kernels.iter().map(|kernel| (&kernel.name, vex::reach(&kernel.code), &kernel.code[..])), vex::run);
}

/// Runs kernels, of which name, reach and code are given, each over memory that is secret throughout.
fn every<'k, C: ?Sized + 'k>(
    seed: u64,
    kernels: impl Iterator<Item = (&'k String, [usize; Pointer::COUNT], &'k C)>,
    run: fn(&C, &mut [Lanes], [usize; Pointer::COUNT]),
) {
    let mut random = Words(seed);
    for (name, mut reach, code) in kernels {
        let spilled = &mut reach[constants::POINTER.index()];
        *spilled = constants::ROWS.max(*spilled);
        let mut rows = 0;
        let at: [usize; Pointer::COUNT] = reach.map(|reach| {
            rows += reach;
            rows - reach
        });
        let mut memory: Vec<Lanes> = (0..rows).map(|_| std::array::from_fn(|_| random.next() >> 12)).collect();
        let before = memory.clone();
        secret(&mut memory);
        run(code, &mut memory, at);
        assert!(depends_on_secret(&memory));
        reveal(&mut memory);
        assert_ne!(memory, before, "{name} wrote something");
    }
}

fn multiply() {
    let mut random = Words(7);
    let moduli: Vec<Vec<u64>> = [250, 512, 1024, 1500].iter().map(|&bits| random.odd(bits)).collect();
    let factors: Vec<[Vec<u64>; 3]> = moduli.iter().map(|n| std::array::from_fn(|_| random.below(n))).collect();
    let expected: Vec<Vec<u64>> = moduli
        .iter()
        .zip(&factors)
        .map(|(n, [a, b, c])| reference::multiply(a, &reference::multiply(b, c, n), n))
        .collect();
    let moduli: Vec<Modulus> = moduli.iter().map(|n| Modulus::new(n).expect("odd")).collect();
    moduli.iter().for_each(mark_modulus);
    let mut results: Vec<Vec<u64>> = expected.iter().map(|words| vec![0; words.len()]).collect();
    let mut jobs: Vec<Multiply<'_>> = moduli
        .iter()
        .zip(&factors)
        .zip(&mut results)
        .map(|((modulus, [a, b, c]), result)| Multiply { modulus, a, b, c: Some(c), result })
        .collect();
    Marking::new(Twin::default()).multiply(&mut jobs);
    for (mut result, expected) in results.into_iter().zip(expected) {
        reveal(&mut result);
        assert_eq!(result, expected);
    }
}

/// Powers at once: random exponents and zero; bases of `base_words` words. One or two run folded, more do not.
fn power(
    arithmetic: fn() -> Box<dyn Arithmetic>,
    jobs: usize,
    bits: usize,
    exponent_words: usize,
    base_words: usize,
    public: bool,
) {
    let mut random = Words(8);
    let mut exponents: Vec<Vec<u64>> = (0..jobs).map(|_| random.take(exponent_words)).collect();
    exponents[jobs - 1].fill(0);
    if public {
        exponents = vec![vec![65537]; jobs];
    }
    let moduli: Vec<Vec<u64>> = (0..jobs).map(|_| random.odd(bits)).collect();
    let bases: Vec<Vec<u64>> = (0..jobs).map(|_| random.take(base_words)).collect();
    let expected: Vec<Vec<u64>> = (0..jobs).map(|i| reference::power(&bases[i], &exponents[i], &moduli[i])).collect();
    let moduli: Vec<Modulus> = moduli.iter().map(|n| Modulus::new(n).expect("odd")).collect();
    let mut results = vec![vec![0; bits.div_ceil(64)]; jobs];
    let mut jobs: Vec<Power<'_>> = results
        .iter_mut()
        .enumerate()
        .map(|(i, result)| Power { modulus: &moduli[i], base: &bases[i], exponent: &exponents[i], result })
        .collect();
    let arithmetic = arithmetic();
    if public {
        moduli.iter().for_each(mark_modulus);
        arithmetic.power_public(&mut jobs);
    } else {
        arithmetic.power_secret(&mut jobs);
    }
    for (mut result, expected) in results.into_iter().zip(expected) {
        reveal(&mut result);
        assert_eq!(result, expected);
    }
}

/// From the bits of a secret number to everything that is precomputed of it; `modulus` fails if a constant is wrong.
fn constants_of_a_modulus() {
    let mut random = Words(21);
    for bits in [256, 513, 1024] {
        let mut n = random.odd(bits);
        let (a, b) = (random.below(&n), random.below(&n));
        let expected = reference::multiply(&a, &b, &n);
        secret(&mut n);
        let modulus = Modulus::new(&n).expect("odd");
        let mut result = vec![0; n.len()];
        Twin::default().multiply(&mut [Multiply { modulus: &modulus, a: &a, b: &b, result: &mut result, c: None }]);
        reveal(&mut result);
        assert_eq!(result, expected);
    }
}

/// The constants beside a modulus are as secret as it is; fails if [`mark_modulus`] does not reach them.
fn modulus() {
    let mut random = Words(10);
    let n = random.odd(512);
    let (a, b) = (random.below(&n), random.below(&n));
    let mut result = vec![0; 8];
    let modulus = Modulus::new(&n).expect("odd");
    mark_modulus(&modulus);
    public_of_others(modulus.words());
    Twin::default().multiply(&mut [Multiply { modulus: &modulus, a: &a, b: &b, result: &mut result, c: None }]);
    reveal(&mut result);
    assert_eq!(result, reference::multiply(&a, &b, &n));
}

/// The arithmetic without vectors. What libcrypto does with numbers is an exception; what is done around it is not.
fn libcrypto() {
    let mut random = Words(11);
    let n = random.odd(512);
    let (a, b) = (random.below(&n), random.below(&n));
    let expected = [reference::multiply(&a, &b, &n), reference::power(&a, &b, &n)];
    let modulus = Modulus::new(&n).expect("odd");
    let arithmetic = Marking::new(Libcrypto);
    let mut results = [vec![0; 8], vec![0; 8]];
    let [product, power] = &mut results;
    arithmetic.multiply(&mut [Multiply { modulus: &modulus, a: &a, b: &b, result: product, c: None }]);
    arithmetic.power_secret(&mut [Power { modulus: &modulus, base: &a, exponent: &b, result: power }]);
    for (mut result, expected) in results.into_iter().zip(expected) {
        reveal(&mut result);
        assert_eq!(result, expected);
    }
}
