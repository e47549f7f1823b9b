// SPDX-License-Identifier: Apache-2.0
//! Carries that run through lanes of ones, from one to another.

use super::*;

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
