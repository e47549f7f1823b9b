//! The kernels against their interpreted twins, field operations against libcrypto's numbers, and the three
//! implementations of [`Arithmetic`] against each other.

#![allow(clippy::needless_range_loop, reason = "a lane's number is the index of several things")]

use super::class::{CLASSES, Class, DOUBLE_PAIRS, DOUBLE_QUADS, DOUBLES, Folded, HEADROOM_BITS, PAIRS, QUADS, Shape};
use super::field::Field;
use super::kernels::{self, Assembly, At, Interpreted, InterpretedDoubles, InterpretedVex, Kernel, Kernels};
use super::workspace::{Layout, Workspace};
use super::*;
use crate::arithmetic::libcrypto::Libcrypto;
use garner_kernels::{LIMB_BITS, Lanes, constants, scan};
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

/// All that this processor has.
fn available() -> impl Iterator<Item = Assembly> {
    [Assembly::new(), Assembly::avx_ifma_on_avx512(), Assembly::avx_ifma(), Assembly::avx2()].into_iter().flatten()
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

/// What AVX-IFMA will run: interpreted, and with another encoding of its multiply-adds.
#[test]
fn every_kernel_for_avx_ifma_does_what_the_program_does() {
    let mut random = Random(0x1234_5678_9abc_def1);
    // The block of constants first, where nothing else writes to what is spilled behind it.
    let (rows, at) = (500, [constants::ROWS, 44, 51, 0, 58, 65]);
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
                field.want(wanted);
                field.window(a);
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

/// The classes whose kernels these are, folded ones included.
fn classes_of(kernels: &impl Kernels) -> Vec<&'static Class> {
    match kernels.classes() {
        doubles if std::ptr::eq(doubles, &DOUBLES) => {
            doubles.iter().chain(&DOUBLE_PAIRS).chain(&DOUBLE_QUADS).collect()
        }
        classes => classes.iter().chain(&PAIRS).chain(&QUADS).collect(),
    }
}

fn write(field: &mut Field<'_, impl Kernels>, place: usize, job: usize, value: &BigNum) {
    let (rows, lanes) = (field.rows(), field.limbs() / field.rows());
    for i in 0..field.limbs() {
        let mut limb = BigNum::new().unwrap();
        limb.rshift(value, (i * LIMB_BITS) as i32).unwrap();
        // Fails where the limb is 0 and has no bits to cut off.
        let _ = limb.mask_bits(LIMB_BITS as i32);
        field.number(place)[i % rows][job * lanes + i / rows] = words(&limb, 1)[0];
    }
}

fn read(field: &mut Field<'_, impl Kernels>, place: usize, job: usize) -> BigNum {
    let (rows, lanes) = (field.rows(), field.limbs() / field.rows());
    let mut value = BigNum::new().unwrap();
    for i in (0..field.limbs()).rev() {
        let limb = field.number(place)[i % rows][job * lanes + i / rows];
        assert!(limb < 1 << LIMB_BITS, "limbs are carried");
        let mut shifted = BigNum::new().unwrap();
        shifted.lshift(&value, LIMB_BITS as i32).unwrap();
        value.checked_add(&shifted, &number(&[limb])).unwrap();
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
fn field_operations_are_right(kernels: &impl Kernels, lanes: usize, chain: usize) {
    let mut random = Random(0x0123_4567_89ab_cdef);
    for class in classes_of(kernels) {
        // In 256-bit registers four lanes are in use.
        let jobs = lanes / class.lanes();
        let moduli = moduli(class, &mut random);
        for moduli in moduli.chunks(jobs) {
            field_operations_are_right_for(kernels, class, moduli, &mut random, chain);
        }
    }
}

fn field_operations_are_right_for(
    kernels: &impl Kernels,
    class: &'static Class,
    moduli: &[Modulus],
    random: &mut Random,
    chain: usize,
) {
    let jobs = moduli.len();
    let layout = Layout::of(class);
    let mut workspace = Workspace::new(layout.with_table);
    let mut field = Field::new(kernels, class, workspace.rows());
    power::load_moduli(&mut field, moduli.iter());
    let mut check = Check { moduli, context: BigNumContext::new().unwrap() };
    let radix = class.limbs * LIMB_BITS;
    let excess = class.excess() as u32;
    let [a, b, r] = layout.scratch;
    let shifted = layout.power;

    // Values as `n · factor + term`: 0, 1, n − 1, n, 2n − 1, 4n − 1, 8n − 1, and a random one.
    let cases: [(u32, i32); 8] = [(0, 0), (0, 1), (1, -1), (1, 0), (2, -1), (4, -1), (8, -1), (0, 2)];
    for (i, case) in cases.iter().enumerate() {
        let mut values = Vec::new();
        for job in 0..jobs {
            let value = |(factor, term): (u32, i32), random: &mut Random| {
                let mut value = check.modulus(job);
                match term {
                    2 => value.copy_from_slice(&number(&random.number(moduli[job].bits())).to_vec()).unwrap(),
                    _ => {
                        value.mul_word(factor).unwrap();
                        if term < 0 { value.sub_word(1).unwrap() } else { value.add_word(term as u32).unwrap() }
                    }
                }
                value
            };
            let x = value(*case, random);
            let y = value(cases[(i + job) % cases.len()], random);
            write(&mut field, a, job, &x);
            write(&mut field, b, job, &y);
            values.push((x, y));
        }
        field.square(r, a);
        for job in 0..jobs {
            let mut product = BigNum::new().unwrap();
            product.sqr(&values[job].0, &mut check.context).unwrap();
            let wanted = check.shifted(job, &product, radix);
            check.same(job, &read(&mut field, r, job), &wanted, 1 + excess, "square");
        }
        field.half_reduce(shifted, a);
        field.set_entry(0, a, shifted);
        field.copy(r, b);
        field.window(r);
        for job in 0..jobs {
            let mut power = values[job].1.to_owned().unwrap();
            let mut product = BigNum::new().unwrap();
            for _ in 0..4 {
                product.sqr(&power, &mut check.context).unwrap();
                power = check.shifted(job, &product, radix);
            }
            product.checked_mul(&values[job].0, &power, &mut check.context).unwrap();
            let wanted = check.shifted(job, &product, radix);
            check.same(job, &read(&mut field, r, job), &wanted, 5 + 2 * excess, "window");
        }
        field.multiply(r, a, b);
        for job in 0..jobs {
            let mut product = BigNum::new().unwrap();
            product.checked_mul(&values[job].0, &values[job].1, &mut check.context).unwrap();
            let wanted = check.shifted(job, &product, radix);
            check.same(job, &read(&mut field, r, job), &wanted, 1 + excess, "multiply");
            let wanted = check.shifted(job, &values[job].0, radix / 2);
            check.same(job, &read(&mut field, shifted, job), &wanted, 4 + excess, "half reduce");
        }
        let [factor, factor_shifted] = [layout.one, layout.selection];
        field.copy(factor, a);
        field.copy(factor_shifted, shifted);
        [factor, factor_shifted].into_iter().for_each(|place| field.prepare(place));
        field.half_multiply(r, factor, factor_shifted, b);
        for job in 0..jobs {
            let mut product = BigNum::new().unwrap();
            product.checked_mul(&values[job].0, &values[job].1, &mut check.context).unwrap();
            let wanted = check.shifted(job, &product, radix);
            check.same(job, &read(&mut field, r, job), &wanted, 5 + 2 * excess, "half multiply");
        }
        field.add(r, a, b);
        for job in 0..jobs {
            let mut sum = BigNum::new().unwrap();
            sum.checked_add(&values[job].0, &values[job].1).unwrap();
            assert_eq!(read(&mut field, r, job), sum, "add");
        }
        field.copy(b, a);
        field.canonical(r, b, 1);
        for job in 0..jobs {
            let (n, mut wanted) = (check.modulus(job), values[job].0.to_owned().unwrap());
            for _ in 0..excess {
                let mut difference = BigNum::new().unwrap();
                difference.checked_sub(&wanted, &n).unwrap();
                wanted = if difference.is_negative() { wanted } else { difference };
            }
            assert_eq!(read(&mut field, r, job), wanted, "canonical");
        }
        field.leave(r, a);
        for job in 0..jobs {
            let wanted = check.shifted(job, &values[job].0, radix);
            check.same(job, &read(&mut field, r, job), &wanted, 1, "leave");
        }
    }

    // Everything below 2^(52·N), as a raw base may be.
    for job in 0..jobs {
        let mut all_ones = BigNum::new().unwrap();
        all_ones.set_bit(radix as i32).unwrap();
        all_ones.sub_word(1).unwrap();
        write(&mut field, a, job, &all_ones);
    }
    let [whole, whole_shifted] = layout.to_montgomery;
    field.half_multiply(r, whole, whole_shifted, a);
    for job in 0..jobs {
        let mut wanted = BigNum::new().unwrap();
        wanted.lshift(&read(&mut field, a, job), radix as i32).unwrap();
        check.same(job, &read(&mut field, r, job), &wanted, 2 + excess, "all-ones limbs to Montgomery form");
    }
    field.multiply(b, r, a);
    for job in 0..jobs {
        let mut product = BigNum::new().unwrap();
        product.sqr(&read(&mut field, a, job), &mut check.context).unwrap();
        check.same(job, &read(&mut field, b, job), &product, 2 + 2 * excess, "all-ones limbs multiplied");
    }

    // A chain, each result the next operand.
    let mut wanted: Vec<BigNum> = (0..jobs).map(|job| read(&mut field, r, job)).collect();
    field.half_reduce(shifted, r);
    field.copy(b, r);
    field.copy(a, r);
    let factors: Vec<BigNum> = (0..jobs).map(|job| read(&mut field, a, job)).collect();
    field.copy(layout.one, a);
    [layout.one, shifted].into_iter().for_each(|place| field.prepare(place));
    for step in 0..chain {
        match step % 3 {
            0 => field.square(b, b),
            1 => field.half_multiply(b, layout.one, shifted, b),
            _ => field.multiply(b, b, a),
        }
        for job in 0..jobs {
            let factor = if step % 3 == 0 { &wanted[job] } else { &factors[job] };
            let mut product = BigNum::new().unwrap();
            product.checked_mul(&wanted[job], factor, &mut check.context).unwrap();
            wanted[job] = check.shifted(job, &product, radix);
        }
    }
    for job in 0..jobs {
        check.same(job, &read(&mut field, b, job), &wanted[job], 2 + 2 * excess, "chain");
    }
}

#[test]
fn field_operations_in_assembly_are_right_and_stay_in_bounds() {
    if let Some(assembly) = assembly() {
        field_operations_are_right(&assembly, 8, 200);
        field_operations_are_right(&assembly.for_lanes(4), 4, 20);
    }
    if let Some(assembly) = Assembly::avx_ifma_on_avx512() {
        field_operations_are_right(&assembly, 4, 6);
    }
    match Assembly::avx2() {
        Some(assembly) => field_operations_are_right(&assembly, 4, 200),
        None => println!("double precision is not tested: this processor has no AVX2 and FMA"),
    }
}

#[test]
fn field_operations_on_the_twin_are_right() {
    field_operations_are_right(&Interpreted, 8, 6);
    field_operations_are_right(&InterpretedDoubles, 4, 6);
}

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
                field.want(wanted);
                if round % 2 == 0 {
                    field.scan();
                } else {
                    field.window(from);
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
    check(&InterpretedDoubles);
    available().for_each(|assembly| check(&assembly));
}

/// Counts the multiply-adds of what it runs.
struct Counting(Cell<usize>);

impl Kernels for Counting {
    fn name(&self) -> &'static str {
        "counting"
    }

    fn run(&self, kernel: &Kernel, _: &mut [Lanes], _: At) {
        self.0.set(self.0.get() + kernel.multiply_adds);
    }

    fn for_lanes(&self, _: usize) -> Counting {
        unreachable!("a count is taken of whole passes")
    }

    fn lanes(&self) -> usize {
        8
    }

    fn halves_are_faster(&self) -> bool {
        unreachable!("a count is taken of whole passes")
    }
}

#[test]
fn no_operation_needs_more_multiply_adds_than_its_contract_says() {
    let classes = classes_of(&Interpreted).into_iter().chain(classes_of(&InterpretedDoubles));
    for class in classes {
        let (n, m) = (class.limbs, class.rows());
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
            Shape::Folded(Folded { square: Some(_), .. }) => 2 * (m * m + m),
            Shape::Folded(_) => 2 * n * m,
            Shape::Doubles(_) => class.lanes() * (m * m + m),
        };
        let reduction = |digits: usize| match class.shape {
            Shape::Doubles(_) => 2 * (digits * m + if class.lanes() == 1 { 7 } else { 15 }),
            // No first limb is left out.
            Shape::Folded(_) => digits * (2 * m + 1),
            _ => 2 * digits * n,
        };
        field.square(r, a);
        assert_eq!(counting.0.take(), square + reduction(n));
        field.window(r);
        assert_eq!(counting.0.take(), 4 * (square + reduction(n)) + 2 * n * m + reduction(n / 2));
        field.multiply(r, a, b);
        assert_eq!(counting.0.take(), 2 * n * m + reduction(n));
        field.half_multiply(r, a, shifted, b);
        assert_eq!(counting.0.take(), 2 * n * m + reduction(n / 2));
        field.half_reduce(r, a);
        assert_eq!(counting.0.take(), reduction(n / 2));
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
        for class in classes_of(kernels) {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.without_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let (bits, jobs) = (class.limbs * LIMB_BITS, class.jobs());
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
fn carries_run_through_lanes_of_ones() {
    fn check(kernels: &impl Kernels) {
        let ones: Vec<u64> = vec![u64::MAX; 80];
        for class in PAIRS.iter().chain(&QUADS) {
            let layout = Layout::of(class);
            let mut workspace = Workspace::new(layout.without_table);
            let mut field = Field::new(kernels, class, workspace.rows());
            let [a, b, r] = layout.scratch;
            let bits = class.limbs * LIMB_BITS;
            // All ones below `high`, and one, or as much as the lowest limb holds, at `low`.
            for (high, low) in (1..class.limbs).flat_map(|high| (0..high).map(move |low| (high * LIMB_BITS, low))) {
                for term in [1, (1 << LIMB_BITS) - 1] {
                    let (mut x, mut y) = (BigNum::new().unwrap(), BigNum::new().unwrap());
                    x.lshift(&number(&ones), 0).unwrap();
                    x.mask_bits(high as i32).unwrap();
                    y.lshift(&number(&[term]), (low * LIMB_BITS) as i32).unwrap();
                    write(&mut field, a, 0, &x);
                    write(&mut field, b, 0, &y);
                    field.add(r, a, b);
                    let mut sum = BigNum::new().unwrap();
                    sum.checked_add(&x, &y).unwrap();
                    assert_eq!(read(&mut field, r, 0), sum, "{bits} bits: ones below {high}, {term} at limb {low}");
                }
            }
        }
    }
    check(&Interpreted);
    if let Some(assembly) = assembly() {
        check(&assembly.for_lanes(4));
    }
}

#[test]
fn carries_run_through_lanes_of_ones_in_double_precision() {
    fn check(kernels: &impl Kernels, limbs: usize) {
        let classes = DOUBLE_PAIRS.iter().chain(&DOUBLE_QUADS).filter(|class| class.limbs <= limbs);
        for class in classes {
            let radix = class.limbs * LIMB_BITS;
            let (one, mut shift) = (BigNum::from_u32(1).unwrap(), BigNum::new().unwrap());
            shift.lshift(&one, (radix - LIMB_BITS) as i32).unwrap();
            // The product's high half is all ones below `high`; the reduction adds about `n`, whose limbs are zero but
            // the first and one at `low`.
            for (high, low) in (1..class.limbs).flat_map(|high| (0..high).map(move |low| (high, low))) {
                let (mut ones, mut n) = (BigNum::new().unwrap(), BigNum::new().unwrap());
                ones.set_bit(((high + 1) * LIMB_BITS) as i32).unwrap();
                ones.sub_word(1).unwrap();
                n.lshift(&one, (low * LIMB_BITS + 1) as i32).unwrap();
                n.add_word(1).unwrap();
                let modulus = [Modulus::new(&words(&n, n.num_bits() as usize / 64 + 1)).unwrap()];
                let layout = Layout::of(class);
                let mut workspace = Workspace::new(layout.without_table);
                let mut field = Field::new(kernels, class, workspace.rows());
                power::load_moduli(&mut field, modulus.iter());
                let [a, b, r] = layout.scratch;
                write(&mut field, a, 0, &ones);
                write(&mut field, b, 0, &shift);
                field.multiply(r, a, b);
                let mut check = Check { moduli: &modulus, context: BigNumContext::new().unwrap() };
                let mut product = BigNum::new().unwrap();
                product.checked_mul(&ones, &shift, &mut check.context).unwrap();
                let wanted = check.shifted(0, &product, radix);
                let (mut left, mut right) = (BigNum::new().unwrap(), BigNum::new().unwrap());
                left.nnmod(&read(&mut field, r, 0), &n, &mut check.context).unwrap();
                right.nnmod(&wanted, &n, &mut check.context).unwrap();
                assert_eq!(left, right, "{:?}: ones below {high}, one at limb {low}", class.numbers());
            }
        }
    }
    check(&InterpretedDoubles, 20);
    match Assembly::avx2() {
        Some(assembly) => check(&assembly, 80),
        None => println!("double precision is not tested in assembly: this processor has no AVX2 and FMA"),
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
