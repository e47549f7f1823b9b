// SPDX-License-Identifier: Apache-2.0
//! Field operations against libcrypto's numbers, and their bounds.

use super::class::{Blocks, Composition, OneRowBlocks};
use super::kernels::{At, Kernel, Sequence};
use super::*;
use garner_kernels::Lanes;

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
        field.copy(layout.accumulator, b);
        field.window();
        for job in 0..jobs {
            let mut power = values[job].1.to_owned().unwrap();
            let mut product = BigNum::new().unwrap();
            for _ in 0..4 {
                product.sqr(&power, &mut check.context).unwrap();
                power = check.shifted(job, &product, radix);
            }
            product.checked_mul(&values[job].0, &power, &mut check.context).unwrap();
            let wanted = check.shifted(job, &product, radix);
            check.same(job, &read(&mut field, layout.accumulator, job), &wanted, 5 + 2 * excess, "window");
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
        for karatsuba in [false, true] {
            field_operations_are_right(&Forced { kernels: assembly, karatsuba }, 8, 20);
        }
    }
    if let Some(assembly) = Assembly::avx_ifma_on_avx512() {
        field_operations_are_right(&assembly, 4, 6);
    }
    if let Some(assembly) = assembly() {
        [Rows::One, Rows::Two].into_iter().for_each(|rows| field_operations_are_right(&assembly.by(rows), 8, 20));
    }
    match Assembly::avx2() {
        Some(assembly) => field_operations_are_right(&assembly, 4, 200),
        None => println!("double precision is not tested: this processor has no AVX2 and FMA"),
    }
}

#[test]
fn field_operations_on_the_twin_are_right() {
    field_operations_are_right(&Interpreted, 8, 6);
    field_operations_are_right(&Forced { kernels: Interpreted, karatsuba: false }, 8, 2);
    field_operations_are_right(&InterpretedDoubles, 4, 6);
    field_operations_are_right(&InterpretedTwoRows, 8, 20);
}

/// Products of blocks in one of the two ways, whichever is faster.
struct Forced<K> {
    kernels: K,
    karatsuba: bool,
}

impl<K: Kernels> Kernels for Forced<K> {
    fn name(&self) -> &'static str {
        self.kernels.name()
    }

    fn run(&self, kernel: &Kernel, memory: &mut [Lanes], at: At) {
        self.kernels.run(kernel, memory, at);
    }

    fn for_lanes(&self, lanes: usize) -> Self {
        Forced { kernels: self.kernels.for_lanes(lanes), ..*self }
    }

    fn lanes(&self) -> usize {
        self.kernels.lanes()
    }

    fn halves_are_faster(&self) -> bool {
        self.kernels.halves_are_faster()
    }

    fn composition(&self, blocks: &'static Blocks, _: &dyn Fn(Composition) -> Sequence) -> Composition {
        let OneRowBlocks { karatsuba, schoolbook, .. } = &blocks.one_row;
        Composition::OneRow(&blocks.one_row, if self.karatsuba { karatsuba } else { schoolbook })
    }
}
