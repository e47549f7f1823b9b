// SPDX-License-Identifier: Apache-2.0
//! The implementations of [`Arithmetic`] against each other.

use super::kernels::Rows;
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use proptest::prelude::*;

/// One job, owned.
#[derive(Debug, Clone)]
struct Job {
    modulus: Vec<u64>,
    base: Vec<u64>,
    exponent: Vec<u64>,
}

fn powers(arithmetic: &dyn Arithmetic, jobs: &[Job], secret: bool) -> Vec<Vec<u64>> {
    let moduli: Vec<Modulus> = jobs.iter().map(|job| Modulus::new(&job.modulus).unwrap()).collect();
    let mut results: Vec<Vec<u64>> = moduli.iter().map(|modulus| vec![u64::MAX; modulus.words().len()]).collect();
    let mut powers: Vec<Power<'_>> = jobs
        .iter()
        .zip(&moduli)
        .zip(&mut results)
        .map(|((job, modulus), result)| Power { modulus, base: &job.base, exponent: &job.exponent, result })
        .collect();
    match secret {
        true => arithmetic.power_secret(&mut powers),
        false => arithmetic.power_public(&mut powers),
    }
    results
}

fn products(arithmetic: &dyn Arithmetic, jobs: &[Job]) -> Vec<Vec<u64>> {
    let moduli: Vec<Modulus> = jobs.iter().map(|job| Modulus::new(&job.modulus).unwrap()).collect();
    let mut context = BigNumContext::new().unwrap();
    let mut reduced = |value: &[u64], modulus: &Modulus| {
        let mut residue = BigNum::new().unwrap();
        residue.nnmod(&number(value), &number(modulus.words()), &mut context).unwrap();
        words(&residue, modulus.words().len())
    };
    // The first factor is whatever fits the modulus's bits.
    let first = |value: &[u64], modulus: &Modulus| {
        let mut a = value.to_vec();
        a.resize(modulus.words().len(), u64::MAX);
        *a.last_mut().unwrap() &= u64::MAX >> ((64 - modulus.bits() % 64) % 64);
        a
    };
    let factors: Vec<[Vec<u64>; 3]> = jobs
        .iter()
        .zip(&moduli)
        .map(|(job, n)| [first(&job.base, n), reduced(&job.exponent, n), reduced(&job.base, n)])
        .collect();
    let mut results: Vec<Vec<u64>> = moduli.iter().map(|modulus| vec![u64::MAX; modulus.words().len()]).collect();
    let numbered = moduli.iter().zip(&factors).zip(&mut results).enumerate();
    let mut jobs: Vec<Multiply<'_>> = numbered
        .map(|(i, ((modulus, [a, b, c]), result))| {
            // Every second has a third factor, and one alone now and then.
            let c = (i + modulus.bits()).is_multiple_of(2).then_some(c.as_slice());
            Multiply { modulus, a, b, c, result }
        })
        .collect();
    arithmetic.multiply(&mut jobs);
    results
}

/// Numbers of exactly so many bits, of every shape: random, all ones, a single one.
fn shaped(bits: usize) -> impl Strategy<Value = Vec<u64>> {
    (any::<u64>(), 0..4u8).prop_map(move |(seed, shape)| {
        let mut words = Random(seed | 1).number(bits.max(1));
        match shape {
            0 => words.iter_mut().for_each(|word| *word = u64::MAX),
            1 => words.iter_mut().for_each(|word| *word = 0),
            _ => {}
        }
        let top = words.last_mut().unwrap();
        *top &= u64::MAX >> ((64 - bits % 64) % 64);
        *top |= 1 << ((bits + 63) % 64);
        words
    })
}

fn job(max_bits: usize, max_exponent: usize) -> impl Strategy<Value = Job> {
    // Small sizes often, and those about the ends of the classes.
    let ends: Vec<usize> =
        CLASSES.iter().map(|class| (class.limbs * LIMB_BITS - HEADROOM_BITS).min(max_bits)).collect();
    let bits = prop_oneof![2..=max_bits, 2..=max_bits.min(600), proptest::sample::select(ends)];
    (bits, 0..3usize, 0..=max_exponent).prop_flat_map(move |(bits, extra, exponent)| {
        let base = (1..=bits * (extra + 1), any::<bool>()).prop_flat_map(|(bits, empty)| {
            shaped(bits).prop_map(move |base| if empty && bits < 64 { vec![] } else { base })
        });
        let exponent = proptest::collection::vec(prop_oneof![any::<u64>(), Just(0), Just(1), Just(65537)], exponent);
        (shaped(bits), base, exponent).prop_map(|(mut modulus, base, exponent)| {
            modulus[0] |= 1;
            Job { modulus, base, exponent }
        })
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn assembly_and_libcrypto_agree(jobs in proptest::collection::vec(job(8192, 3), 1..40)) {
        for native in available().map(Vectors) {
            prop_assert_eq!(powers(&native, &jobs, true), powers(&Libcrypto, &jobs, true));
            prop_assert_eq!(powers(&native, &jobs, false), powers(&Libcrypto, &jobs, false));
            prop_assert_eq!(products(&native, &jobs), products(&Libcrypto, &jobs));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn the_twins_and_libcrypto_agree(jobs in proptest::collection::vec(job(1100, 1), 1..10)) {
        prop_assert_eq!(powers(&DoublesTwin::default(), &jobs, true), powers(&Libcrypto, &jobs, true));
        prop_assert_eq!(powers(&DoublesTwin::default(), &jobs, false), powers(&Libcrypto, &jobs, false));
        prop_assert_eq!(products(&DoublesTwin::default(), &jobs), products(&Libcrypto, &jobs));
        prop_assert_eq!(powers(&TwoRowsTwin::default(), &jobs, true), powers(&Libcrypto, &jobs, true));
        prop_assert_eq!(powers(&TwoRowsTwin::default(), &jobs, false), powers(&Libcrypto, &jobs, false));
        prop_assert_eq!(products(&TwoRowsTwin::default(), &jobs), products(&Libcrypto, &jobs));
        prop_assert_eq!(powers(&Twin::default(), &jobs, true), powers(&Libcrypto, &jobs, true));
        prop_assert_eq!(powers(&Twin::default(), &jobs, false), powers(&Libcrypto, &jobs, false));
        prop_assert_eq!(products(&Twin::default(), &jobs), products(&Libcrypto, &jobs));
    }
}

#[test]
fn rsa_sized_exponents_come_out_right() {
    let mut random = Random(11);
    for (native, bits) in
        Native::available().iter().flat_map(|native| [512, 1024, 1536, 2048].map(|bits| (native, bits)))
    {
        let jobs: Vec<Job> = (0..9)
            .map(|_| Job {
                modulus: random.modulus(bits),
                base: random.words(2 * bits / 64),
                exponent: random.words(bits / 64),
            })
            .collect();
        assert_eq!(powers(native, &jobs, true), powers(&Libcrypto, &jobs, true));
        let public: Vec<Job> = jobs.into_iter().map(|job| Job { exponent: vec![65537, 0], ..job }).collect();
        assert_eq!(powers(native, &public, false), powers(&Libcrypto, &public, false));
    }
}

#[test]
fn passes_in_turn_come_out_right() {
    let mut random = Random(33);
    // Two passes twice, and a few over; exponents of none to eight words, so that some end long before others.
    let job = |i: usize, random: &mut Random| {
        let mut modulus = random.modulus([514, 513, 512, 480, 66][i % 5]);
        if i.is_multiple_of(7) {
            modulus.iter_mut().for_each(|word| *word = u64::MAX);
            *modulus.last_mut().unwrap() >>= 64 - [2, 1, 64, 32, 2][i % 5];
        }
        Job { base: random.words(16), exponent: random.words(i % 9), modulus }
    };
    for count in [16, 17, 35] {
        let jobs: Vec<Job> = (0..count).map(|i| job(i, &mut random)).collect();
        let wanted = powers(&Libcrypto, &jobs, true);
        let in_turn = Assembly::new().map(|assembly| assembly.by(Rows::Two));
        for assembly in available().chain(in_turn) {
            assert_eq!(powers(&Vectors(assembly), &jobs, true), wanted, "{count}");
        }
        if count == 17 {
            assert_eq!(powers(&TwoRowsTwin::default(), &jobs, true), wanted);
        }
    }
}

#[test]
fn one_number_alone_comes_out_right_at_every_length() {
    // What runs folded: one or two jobs of a length.
    let mut random = Random(21);
    let ends = PAIRS.iter().chain(&QUADS).map(|class| class.limbs * LIMB_BITS - HEADROOM_BITS);
    for bits in ends.flat_map(|end| [end - 300, end - 1, end]) {
        for (count, shape) in [(1, 0), (1, 1), (1, 2), (2, 2), (3, 2), (5, 2), (6, 2)] {
            let jobs: Vec<Job> = (0..count)
                .map(|_| {
                    let mut modulus = random.modulus(bits);
                    if shape < 2 {
                        // A single one, or all ones, as far as the length goes.
                        let (top, length) = (modulus.len() - 1, (bits - 1) % 64);
                        modulus.fill(if shape == 0 { 0 } else { u64::MAX });
                        modulus[top] = if shape == 0 { 1 << length } else { u64::MAX >> (63 - length) };
                        modulus[0] |= 1;
                    }
                    Job { base: random.words(2 * bits.div_ceil(64)), exponent: random.words(2), modulus }
                })
                .collect();
            let check = |arithmetic: &dyn Arithmetic| {
                assert_eq!(powers(arithmetic, &jobs, true), powers(&Libcrypto, &jobs, true), "{bits} bits, {count}");
                assert_eq!(products(arithmetic, &jobs), products(&Libcrypto, &jobs), "{bits} bits, {count}");
                let public: Vec<Job> = jobs.iter().map(|job| Job { exponent: vec![65537], ..job.clone() }).collect();
                let results = powers(arithmetic, &public, false);
                assert_eq!(results, powers(&Libcrypto, &public, false), "{bits} bits, {count}");
            };
            available().for_each(|assembly| check(&Vectors(assembly)));
            if bits < 1100 && count < 3 {
                check(&Twin::default());
            }
        }
    }
}
