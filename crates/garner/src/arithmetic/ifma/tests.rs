//! The kernels against their interpreted twins, field operations against libcrypto's numbers, and the three
//! implementations of [`Arithmetic`] against each other.

#![allow(clippy::needless_range_loop, reason = "a lane's number is the index of several things")]

use super::class::{CLASSES, Class, HEADROOM_BITS, Shape};
use super::field::Field;
use super::kernels::{self, Assembly, At, Interpreted, Kernel, Kernels};
use super::workspace::{Layout, Workspace};
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use garner_kernels::{LIMB_BITS, Lanes, scan};
use openssl::bn::{BigNum, BigNumContext};
use proptest::prelude::*;
use std::cell::Cell;

/// The assembly, or a printed reason why a test leaves it out.
fn assembly() -> Option<Assembly> {
    let assembly = Assembly::new();
    if assembly.is_none() {
        println!("the assembly is not tested: this processor has no AVX-512 IFMA");
    }
    assembly
}

/// xorshift64*, for test data that is the same in every run.
struct Random(u64);

impl Random {
    fn word(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn words(&mut self, count: usize) -> Vec<u64> {
        (0..count).map(|_| self.word()).collect()
    }

    /// A number of exactly `bits` bits.
    fn number(&mut self, bits: usize) -> Vec<u64> {
        let mut words = self.words(bits.div_ceil(64));
        let top = words.last_mut().unwrap();
        *top = (*top | 1 << 63) >> ((64 - bits % 64) % 64);
        words
    }

    /// An odd number of exactly `bits` bits.
    fn modulus(&mut self, bits: usize) -> Vec<u64> {
        let mut words = self.number(bits);
        words[0] |= 1;
        words
    }
}

fn number(words: &[u64]) -> BigNum {
    let bytes: Vec<u8> = words.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
    BigNum::from_slice(&bytes).unwrap()
}

fn words(number: &BigNum, count: usize) -> Vec<u64> {
    let bytes = number.to_vec_padded(8 * count as i32).unwrap();
    bytes.rchunks(8).map(|word| u64::from_be_bytes(word.try_into().unwrap())).collect()
}

#[test]
fn every_kernel_does_in_assembly_what_its_twin_does() {
    let Some(assembly) = assembly() else { return };
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for kernel in kernels::ALL {
        for round in 0..4 {
            // No kernel's path depends on data, so any rows will do, even ones that break its contract.
            let rows = 400;
            let mut place = 0;
            let mut next = || {
                place += 7;
                place
            };
            let at: At = std::array::from_fn(|_| next());
            let mut workspace = [Workspace::new(rows), Workspace::new(rows), Workspace::new(rows)];
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
            assembly.for_lanes(4).run(kernel, narrow.rows(), at);
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

/// Moduli for a class: its longest and shortest, all ones, just above a power of two, and random ones.
fn moduli(class: &Class, random: &mut Random) -> Vec<Modulus> {
    let longest = (class.limbs * LIMB_BITS - HEADROOM_BITS).min(Modulus::MAX_BITS);
    let shorter = CLASSES.iter().rev().find(|other| other.limbs < class.limbs);
    let shortest = shorter.map_or(2, |other| other.limbs * LIMB_BITS - HEADROOM_BITS + 1);
    let mut ones = vec![u64::MAX; longest.div_ceil(64)];
    *ones.last_mut().unwrap() >>= (64 - longest % 64) % 64;
    let mut power = vec![0; longest.div_ceil(64)];
    power[0] = 1;
    power[(longest - 1) / 64] |= 1 << ((longest - 1) % 64);
    let mut all = vec![ones, power, random.modulus(shortest)];
    (3..8).for_each(|_| all.push(random.modulus(longest)));
    all.iter().map(|words| Modulus::new(words).unwrap()).collect()
}

fn write(field: &mut Field<'_, impl Kernels>, place: usize, lane: usize, value: &BigNum) {
    for (i, row) in field.number(place).iter_mut().enumerate() {
        let mut limb = BigNum::new().unwrap();
        limb.rshift(value, (i * LIMB_BITS) as i32).unwrap();
        // Fails where the limb is 0 and has no bits to cut off.
        let _ = limb.mask_bits(LIMB_BITS as i32);
        row[lane] = words(&limb, 1)[0];
    }
}

fn read(field: &mut Field<'_, impl Kernels>, place: usize, lane: usize) -> BigNum {
    let mut value = BigNum::new().unwrap();
    for row in field.number(place).iter().rev() {
        assert!(row[lane] < 1 << LIMB_BITS, "limbs are carried");
        let mut shifted = BigNum::new().unwrap();
        shifted.lshift(&value, LIMB_BITS as i32).unwrap();
        value.checked_add(&shifted, &number(&[row[lane]])).unwrap();
    }
    value
}

struct Check<'a> {
    moduli: &'a [Modulus],
    context: BigNumContext,
}

impl Check<'_> {
    fn modulus(&self, lane: usize) -> BigNum {
        number(self.moduli[lane].words())
    }

    /// `value · 2^(−bits) mod n`
    fn shifted(&mut self, lane: usize, value: &BigNum, bits: usize) -> BigNum {
        let n = self.modulus(lane);
        let (mut power, mut inverse, mut result) =
            (BigNum::new().unwrap(), BigNum::new().unwrap(), BigNum::new().unwrap());
        power.set_bit(bits as i32).unwrap();
        inverse.mod_inverse(&power, &n, &mut self.context).unwrap();
        result.mod_mul(value, &inverse, &n, &mut self.context).unwrap();
        result
    }

    /// `value` is `wanted` modulo n and below `multiple · n`.
    fn same(&mut self, lane: usize, value: &BigNum, wanted: &BigNum, multiple: u32, what: &str) {
        let n = self.modulus(lane);
        let (mut left, mut right) = (BigNum::new().unwrap(), BigNum::new().unwrap());
        left.nnmod(value, &n, &mut self.context).unwrap();
        right.nnmod(wanted, &n, &mut self.context).unwrap();
        assert_eq!(left, right, "{what}, lane {lane}");
        let mut bound = n;
        bound.mul_word(multiple).unwrap();
        assert!(*value < bound, "{what}, lane {lane}: not below {multiple} n");
    }
}

/// Runs every field operation for every class on values at the edges, a chain of 200 included.
fn field_operations_are_right(kernels: &impl Kernels, chain: usize) {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for class in &CLASSES {
        let moduli = moduli(class, &mut random);
        let layout = Layout::of(class);
        let mut workspace = Workspace::new(layout.with_table);
        let mut field = Field::new(kernels, class, workspace.rows());
        power::load_moduli(&mut field, moduli.iter());
        let mut check = Check { moduli: &moduli, context: BigNumContext::new().unwrap() };
        let radix = class.limbs * LIMB_BITS;
        let [a, b, r] = layout.scratch;
        let shifted = layout.power;

        // Values as `n · factor + term`: 0, 1, n − 1, n, 2n − 1, 4n − 1, and a random one.
        let cases: [(u32, i32); 7] = [(0, 0), (0, 1), (1, -1), (1, 0), (2, -1), (4, -1), (0, 2)];
        for (i, case) in cases.iter().enumerate() {
            let mut values = Vec::new();
            for lane in 0..8 {
                let value = |(factor, term): (u32, i32), random: &mut Random| {
                    let mut value = check.modulus(lane);
                    match term {
                        2 => value.copy_from_slice(&number(&random.number(moduli[lane].bits())).to_vec()).unwrap(),
                        _ => {
                            value.mul_word(factor).unwrap();
                            if term < 0 { value.sub_word(1).unwrap() } else { value.add_word(term as u32).unwrap() }
                        }
                    }
                    value
                };
                let x = value(*case, &mut random);
                let y = value(cases[(i + lane) % cases.len()], &mut random);
                write(&mut field, a, lane, &x);
                write(&mut field, b, lane, &y);
                values.push((x, y));
            }
            field.square(r, a);
            for lane in 0..8 {
                let mut product = BigNum::new().unwrap();
                product.sqr(&values[lane].0, &mut check.context).unwrap();
                let wanted = check.shifted(lane, &product, radix);
                check.same(lane, &read(&mut field, r, lane), &wanted, 2, "square");
            }
            for quarter in 0..4 {
                field.copy(r, a);
                field.square_and_scan(r, r, quarter);
                for lane in 0..8 {
                    let mut product = BigNum::new().unwrap();
                    product.sqr(&values[lane].0, &mut check.context).unwrap();
                    let wanted = check.shifted(lane, &product, radix);
                    check.same(lane, &read(&mut field, r, lane), &wanted, 2, "square and scan");
                }
            }
            field.multiply(r, a, b);
            field.half_reduce(shifted, a);
            for lane in 0..8 {
                let mut product = BigNum::new().unwrap();
                product.checked_mul(&values[lane].0, &values[lane].1, &mut check.context).unwrap();
                let wanted = check.shifted(lane, &product, radix);
                check.same(lane, &read(&mut field, r, lane), &wanted, 2, "multiply");
                let wanted = check.shifted(lane, &values[lane].0, radix / 2);
                check.same(lane, &read(&mut field, shifted, lane), &wanted, 5, "half reduce");
            }
            field.half_multiply(r, a, shifted, b);
            for lane in 0..8 {
                let mut product = BigNum::new().unwrap();
                product.checked_mul(&values[lane].0, &values[lane].1, &mut check.context).unwrap();
                let wanted = check.shifted(lane, &product, radix);
                check.same(lane, &read(&mut field, r, lane), &wanted, 7, "half multiply");
            }
            field.add(r, a, b);
            for lane in 0..8 {
                let mut sum = BigNum::new().unwrap();
                sum.checked_add(&values[lane].0, &values[lane].1).unwrap();
                assert_eq!(read(&mut field, r, lane), sum, "add");
            }
            field.subtract_modulus(r, a);
            for lane in 0..8 {
                let (n, value) = (check.modulus(lane), &values[lane].0);
                let mut wanted = BigNum::new().unwrap();
                if *value < n {
                    wanted.checked_add(value, &BigNum::new().unwrap()).unwrap()
                } else {
                    wanted.checked_sub(value, &n).unwrap()
                }
                assert_eq!(read(&mut field, r, lane), wanted, "subtract modulus");
            }
            field.leave(r, a);
            for lane in 0..8 {
                let wanted = check.shifted(lane, &values[lane].0, radix);
                check.same(lane, &read(&mut field, r, lane), &wanted, 1, "leave");
            }
        }

        // Everything below 2^(52·N), as a raw base may be.
        for lane in 0..8 {
            let mut all_ones = BigNum::new().unwrap();
            all_ones.set_bit(radix as i32).unwrap();
            all_ones.sub_word(1).unwrap();
            write(&mut field, a, lane, &all_ones);
        }
        let [whole, whole_shifted] = layout.to_montgomery;
        field.half_multiply(r, whole, whole_shifted, a);
        for lane in 0..8 {
            let mut wanted = BigNum::new().unwrap();
            wanted.lshift(&read(&mut field, a, lane), radix as i32).unwrap();
            check.same(lane, &read(&mut field, r, lane), &wanted, 3, "all-ones limbs to Montgomery form");
        }
        field.multiply(b, r, a);
        for lane in 0..8 {
            let mut product = BigNum::new().unwrap();
            product.sqr(&read(&mut field, a, lane), &mut check.context).unwrap();
            check.same(lane, &read(&mut field, b, lane), &product, 4, "all-ones limbs multiplied");
        }

        // A chain, each result the next operand.
        let mut wanted: Vec<BigNum> = (0..8).map(|lane| read(&mut field, r, lane)).collect();
        field.half_reduce(shifted, r);
        field.copy(b, r);
        field.copy(a, r);
        let factors: Vec<BigNum> = (0..8).map(|lane| read(&mut field, a, lane)).collect();
        for step in 0..chain {
            match step % 3 {
                0 => field.square(b, b),
                1 => field.half_multiply(b, a, shifted, b),
                _ => field.multiply(b, b, a),
            }
            for lane in 0..8 {
                let factor = if step % 3 == 0 { &wanted[lane] } else { &factors[lane] };
                let mut product = BigNum::new().unwrap();
                product.checked_mul(&wanted[lane], factor, &mut check.context).unwrap();
                wanted[lane] = check.shifted(lane, &product, radix);
            }
        }
        for lane in 0..8 {
            check.same(lane, &read(&mut field, b, lane), &wanted[lane], 4, "chain");
        }
    }
}

#[test]
fn field_operations_in_assembly_are_right_and_stay_in_bounds() {
    if let Some(assembly) = assembly() {
        field_operations_are_right(&assembly, 200);
    }
}

#[test]
fn field_operations_on_the_twin_are_right() {
    field_operations_are_right(&Interpreted, 6);
}

#[test]
fn a_scan_selects_each_lanes_entry_alone_or_fused() {
    fn check(kernels: &impl Kernels) {
        let mut random = Random(77);
        for class in &CLASSES {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.with_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let (limbs, [from, shifted, _]) = (class.limbs, layout.scratch);
            let mut entries = Vec::new();
            for entry in 0..scan::ENTRIES {
                let rows: Vec<Lanes> = (0..2 * limbs).map(|_| std::array::from_fn(|_| random.word())).collect();
                field.number(from).copy_from_slice(&rows[..limbs]);
                field.number(shifted).copy_from_slice(&rows[limbs..]);
                field.set_entry(entry, from, shifted);
                entries.push(rows);
            }
            for round in 0..4 {
                let wanted: Lanes = std::array::from_fn(|lane| (5 * lane as u64 + 3 * round) % 16);
                field.want(wanted);
                if round % 2 == 0 {
                    field.scan();
                } else {
                    (0..4).for_each(|quarter| field.square_and_scan(from, from, quarter));
                }
                for limb in 0..2 * limbs {
                    let selected = field.memory[layout.selection + limb];
                    let right: Lanes = std::array::from_fn(|lane| entries[wanted[lane] as usize][limb][lane]);
                    assert_eq!(selected, right, "limb {limb} of {limbs}, round {round}");
                }
            }
        }
    }
    check(&Interpreted);
    if let Some(assembly) = assembly() {
        check(&assembly);
    }
}

/// Counts the multiply-adds of what it runs.
struct Counting(Cell<usize>);

impl Kernels for Counting {
    fn run(&self, kernel: &Kernel, _: &mut [Lanes], _: At) {
        self.0.set(self.0.get() + kernel.multiply_adds);
    }

    fn for_lanes(&self, _: usize) -> Counting {
        unreachable!("a count is taken of whole passes")
    }
}

#[test]
fn no_operation_needs_more_multiply_adds_than_its_contract_says() {
    for class in &CLASSES {
        let n = class.limbs;
        let layout = Layout::of(class);
        let counting = Counting(Cell::new(0));
        let mut workspace = Workspace::new(layout.with_table);
        let mut field = Field::new(&counting, class, workspace.rows());
        let [a, b, r] = layout.scratch;
        let shifted = layout.power;
        // Composed squares need a block's square for each block and for each pair of blocks.
        let square = match class.shape {
            Shape::Direct(_) => n * n + n,
            Shape::Blocks { blocks, count, .. } => {
                count * (count + 1) / 2 * (blocks.limbs * blocks.limbs + blocks.limbs)
            }
        };
        field.square(r, a);
        assert_eq!(counting.0.take(), square + 2 * n * n);
        field.square_and_scan(r, a, 0);
        assert_eq!(counting.0.take(), square + 2 * n * n);
        field.multiply(r, a, b);
        assert_eq!(counting.0.take(), 4 * n * n);
        field.half_multiply(r, a, shifted, b);
        assert_eq!(counting.0.take(), 3 * n * n);
        field.half_reduce(r, a);
        assert_eq!(counting.0.take(), n * n);
    }
}

#[test]
#[should_panic(expected = "would leave its memory")]
fn a_kernel_that_would_leave_its_memory_is_refused() {
    let Some(assembly) = assembly() else { panic!("square_20 would leave its memory") };
    let mut workspace = Workspace::new(64);
    assembly.run(&kernels::SQUARE_20, workspace.rows(), [0, 20, 45, 0, 0, 0]);
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
        for class in &CLASSES {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.without_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let bits = class.limbs * LIMB_BITS;
            let values: Vec<Vec<u64>> = (0..8).map(|lane| random.number(bits - 17 * lane)).collect();
            for first in [0, 1, 64, 100, bits - 1, bits, bits + 64] {
                field.load(layout.modulus, first, |lane| &values[lane]);
                field.unload(layout.modulus);
                for lane in 0..8 {
                    let mut wanted = BigNum::new().unwrap();
                    wanted.rshift(&number(&values[lane]), first as i32).unwrap();
                    assert_eq!(number(field.lane(lane)), wanted, "bits from {first} of {bits}");
                    assert!(field.number(layout.modulus).iter().all(|row| row[lane] < 1 << LIMB_BITS));
                }
            }
        }
    }
    check(&Interpreted);
    if let Some(assembly) = assembly() {
        check(&assembly);
    }
}

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
    let factors: Vec<[Vec<u64>; 2]> =
        jobs.iter().zip(&moduli).map(|(job, n)| [reduced(&job.base, n), reduced(&job.exponent, n)]).collect();
    let mut results: Vec<Vec<u64>> = moduli.iter().map(|modulus| vec![u64::MAX; modulus.words().len()]).collect();
    let mut jobs: Vec<Multiply<'_>> = moduli
        .iter()
        .zip(&factors)
        .zip(&mut results)
        .map(|((modulus, [a, b]), result)| Multiply { modulus, a, b, result })
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
        if let Some(ifma) = Ifma::new() {
            prop_assert_eq!(powers(&ifma, &jobs, true), powers(&Libcrypto, &jobs, true));
            prop_assert_eq!(powers(&ifma, &jobs, false), powers(&Libcrypto, &jobs, false));
            prop_assert_eq!(products(&ifma, &jobs), products(&Libcrypto, &jobs));
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 6, ..ProptestConfig::default() })]

    #[test]
    fn the_twin_and_libcrypto_agree(jobs in proptest::collection::vec(job(1100, 1), 1..10)) {
        prop_assert_eq!(powers(&Twin::default(), &jobs, true), powers(&Libcrypto, &jobs, true));
        prop_assert_eq!(powers(&Twin::default(), &jobs, false), powers(&Libcrypto, &jobs, false));
        prop_assert_eq!(products(&Twin::default(), &jobs), products(&Libcrypto, &jobs));
    }
}

#[test]
fn rsa_sized_exponents_come_out_right() {
    let Some(ifma) = Ifma::new() else {
        assembly();
        return;
    };
    let mut random = Random(11);
    for bits in [512, 1024, 1536, 2048] {
        let jobs: Vec<Job> = (0..9)
            .map(|_| Job {
                modulus: random.modulus(bits),
                base: random.words(2 * bits / 64),
                exponent: random.words(bits / 64),
            })
            .collect();
        assert_eq!(powers(&ifma, &jobs, true), powers(&Libcrypto, &jobs, true));
        let public: Vec<Job> = jobs.into_iter().map(|job| Job { exponent: vec![65537, 0], ..job }).collect();
        assert_eq!(powers(&ifma, &public, false), powers(&Libcrypto, &public, false));
    }
}
