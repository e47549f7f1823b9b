// SPDX-License-Identifier: Apache-2.0
//! Powers of two modulo a secret odd number, in constant time: the constants that the vector kernels need of a modulus.
//!
//! Called by [`super::Modulus`], for every prime candidate of key generation among others; calls nothing. Works on 64-bit
//! words, w of them, in Montgomery's form of its own: 2^j stands for itself as 2^(64 w + j) mod n.

use crate::words::{
    WORD_BITS, add_assign, add_masked, inverse_of_odd, multiply_add, power_of_two, shift_right, sub_assign, words_for,
};
use garner_kernels::{LIMB_BITS, doubles};
use zeroize::Zeroizing;

/// Powers of two up to this are doubled up to; beyond, a squaring costs less.
const DOUBLED_BITS: u32 = 5;

/// Bits of five limbs.
const BLOCK_BITS: usize = doubles::BLOCK * LIMB_BITS;

/// Words that hold as many bits.
pub const INVERSE_WORDS: usize = words_for(BLOCK_BITS);

/// R mod n, R² mod n and R² · 2^(−`radix_bits` / 2) mod n into `to`, one after the other, for R = 2^`radix_bits`. Returns
/// −n^−1 mod 2^64.
///
/// Shapes   n: odd, of exactly `bits` bits, w words, the last of which is not zero; to: 3 w words; radix_bits: even,
/// above `bits`.
/// Cost     about eight multiplications and some tens of doublings; time depends on lengths only.
/// Source   Montgomery 1985; multiplication word by word as in Koç, Acar, Kaliski 1996 (FIOS).
pub fn of_radix(n: &[u64], bits: usize, radix_bits: usize, to: &mut [u64]) -> u64 {
    let mut field = Field::new(n);
    let (to_r, rest) = to.split_at_mut(n.len());
    let (to_square, to_shifted) = rest.split_at_mut(n.len());
    let whole = WORD_BITS * n.len();
    // The highest power below n.
    let mut one = Zeroizing::new(vec![0; n.len()]);
    one[(bits - 1) / WORD_BITS] = 1 << ((bits - 1) % WORD_BITS);
    if radix_bits < whole {
        to_r.copy_from_slice(&one);
        (bits - 1..radix_bits).for_each(|_| field.double(to_r));
    }
    (bits - 1..whole).for_each(|_| field.double(&mut one));
    if radix_bits >= whole {
        field.power_of_two(&one, radix_bits - whole, to_r);
    }
    // Each multiplication by 2^(radix_bits / 2) adds as much to the exponent.
    let mut half = Zeroizing::new(vec![0; n.len()]);
    field.power_of_two(&one, radix_bits / 2, &mut half);
    field.multiply(to_r, &half);
    to_shifted.copy_from_slice(&field.product[..n.len()]);
    field.multiply(to_shifted, &half);
    to_square.copy_from_slice(&field.product[..n.len()]);
    field.negative_inverse
}

/// 2^(−260) mod n into `to`, and −n^−1 mod 2^260 into `inverse`: what a reduction by blocks of five limbs needs.
///
/// Shapes   n: odd, w words; to: w words; negative_inverse: −n^−1 mod 2^64.
/// Cost     5 w multiplications of words and some 100; time depends on w only.
/// Source   Newton's iteration; Orup 1995: v n + 1 is a multiple of 2^260, for v the `inverse`.
pub fn of_block(n: &[u64], negative_inverse: u64, to: &mut [u64], inverse: &mut [u64; INVERSE_WORDS]) {
    let mut low = Zeroizing::new([0; INVERSE_WORDS]);
    low.iter_mut().zip(n).for_each(|(low, word)| *low = *word);
    *inverse = [0; INVERSE_WORDS];
    inverse[0] = negative_inverse;
    // v (n v + 2) is right to twice as many bits as v.
    for _ in 0..(INVERSE_WORDS as u32).next_power_of_two().ilog2() {
        let [mut factor, mut product] = [(); 2].map(|()| Zeroizing::new([0; INVERSE_WORDS]));
        factor[0] = 2;
        multiply_add(&mut *factor, &*low, inverse);
        multiply_add(&mut *product, &*factor, inverse);
        inverse.copy_from_slice(&*product);
    }
    inverse[INVERSE_WORDS - 1] &= (1 << (BLOCK_BITS % WORD_BITS)) - 1;
    let mut product = Zeroizing::new(vec![0; n.len() + INVERSE_WORDS]);
    multiply_add(&mut product, inverse, n);
    // The bits below are all ones, so that with one more nothing else changes.
    shift_right(&product, BLOCK_BITS, to);
    let mut one = Zeroizing::new(vec![0; n.len()]);
    one[0] = 1;
    add_assign(to, &one);
}

/// 2^(−`exponent`) mod n into `to`.
///
/// Shapes   n: odd, of exactly `bits` bits, w words; to: w words; exponent: at most 64 w, and at least 64 w − 2 (bits − 1).
/// Cost     one multiplication; time depends on lengths only.
pub fn negative(n: &[u64], bits: usize, exponent: usize, to: &mut [u64]) {
    let mut field = Field::new(n);
    // Montgomery's multiplication of two powers of two, both below n, takes 64 w off the sum of their exponents.
    let sum = WORD_BITS * n.len() - exponent;
    let factor = |exponent: usize| {
        assert!(exponent < bits, "2^{exponent} is below the modulus");
        power_of_two(exponent, n.len())
    };
    field.multiply(&factor(sum / 2), &factor(sum - sum / 2));
    to.copy_from_slice(&field.product[..n.len()]);
}

/// Whether `product = a * b mod n`, for numbers of w words below the odd n: by this arithmetic, which shares nothing with the
/// kernels and takes no lock.
pub fn is_product(n: &[u64], a: &[u64], b: &[u64], product: &[u64]) -> bool {
    let mut one = vec![0; n.len()];
    one[0] = 1;
    let [mut left, mut right] = [Field::new(n), Field::new(n)];
    left.multiply(a, b);
    right.multiply(product, &one);
    left.product[..n.len()] == right.product[..n.len()]
}

/// Arithmetic modulo n.
struct Field<'a> {
    n: &'a [u64],
    /// −n^−1 mod 2^64
    negative_inverse: u64,
    /// The last product, and a word for its carry.
    product: Zeroizing<Vec<u64>>,
}

impl Field<'_> {
    fn new(n: &[u64]) -> Field<'_> {
        let negative_inverse = inverse_of_odd(n[0]).wrapping_neg();
        Field { n, negative_inverse, product: Zeroizing::new(vec![0; n.len() + 1]) }
    }

    /// `power = 2^exponent` in Montgomery's form, from `one` in it. The exponent is public.
    fn power_of_two(&mut self, one: &[u64], exponent: usize, power: &mut [u64]) {
        let below = (usize::BITS - exponent.leading_zeros()).saturating_sub(DOUBLED_BITS);
        power.copy_from_slice(one);
        (0..exponent >> below).for_each(|_| self.double(power));
        for bit in (0..below).rev() {
            self.multiply(power, power);
            power.copy_from_slice(&self.product[..power.len()]);
            if exponent >> bit & 1 == 1 {
                self.double(power);
            }
        }
    }

    /// `a = 2 a mod n`, for a below n.
    fn double(&self, a: &mut [u64]) {
        let mut carry = 0;
        for word in a.iter_mut() {
            (*word, carry) = (*word << 1 | carry, *word >> (WORD_BITS - 1));
        }
        self.reduce(a, carry);
    }

    /// `product = a b 2^(-64 w) mod n`, for a and b below n.
    fn multiply(&mut self, a: &[u64], b: &[u64]) {
        let Field { n, negative_inverse, .. } = *self;
        let last = n.len();
        let t = &mut self.product[..];
        t.fill(0);
        for &b in b {
            // t = (t + a b + m n) / 2^64, below 2 n.
            let sum = |a: u64, b: u64, more: u64, carry: u64| {
                let sum = u128::from(a) * u128::from(b) + u128::from(more) + u128::from(carry);
                (sum as u64, (sum >> WORD_BITS) as u64)
            };
            let (low, mut carry) = sum(a[0], b, t[0], 0);
            let m = low.wrapping_mul(negative_inverse);
            let (_, mut carry_m) = sum(m, n[0], low, 0);
            for i in 1..last {
                let low;
                (low, carry) = sum(a[i], b, t[i], carry);
                (t[i - 1], carry_m) = sum(m, n[i], low, carry_m);
            }
            (t[last - 1], t[last]) = sum(1, t[last], carry, carry_m);
        }
        let mut product = std::mem::take(&mut self.product);
        let carry = product[last];
        self.reduce(&mut product[..last], carry);
        self.product = product;
    }

    /// Subtracts n once from `carry` 2^(64 w) + `a`, which is below 2 n, unless it is below n.
    fn reduce(&self, a: &mut [u64], carry: u64) {
        let borrow = sub_assign(a, self.n);
        add_masked(a, self.n, (borrow & !carry).wrapping_neg());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::SecretBigNum;
    use crate::arithmetic::vectors::class::{CLASSES, HEADROOM_BITS};
    use openssl::bn::{BigNum, BigNumContext, MsbOption};

    #[test]
    fn powers_are_those_of_libcrypto_at_every_length() {
        let mut context = BigNumContext::new().unwrap();
        let lengths = (2..200).chain([255, 256, 257, 512, 514, 515, 1023, 1024, 1025, 1600, 2048, 4090, 8192]);
        for bits in lengths {
            let mut n = BigNum::new().unwrap();
            n.rand(bits, MsbOption::ONE, true).unwrap();
            for n in [n, all_ones(bits)] {
                let mut words = vec![0; (bits as usize).div_ceil(64)];
                crate::words::from_be_bytes(&n.to_vec(), &mut words).unwrap();
                for radix_bits in [(bits as usize + 2) & !1, 64 * words.len() + 18, (3 * bits as usize + 100) & !1] {
                    let mut found = vec![0; 3 * words.len()];
                    let inverse_of_word = of_radix(&words, bits as usize, radix_bits, &mut found);
                    assert_eq!(inverse_of_word.wrapping_mul(words[0]), u64::MAX, "{bits} bits");
                    let exponents = [radix_bits, 2 * radix_bits, 2 * radix_bits - radix_bits / 2];
                    let (mut reducer, mut inverse) = (vec![0; words.len()], [0; INVERSE_WORDS]);
                    of_block(&words, inverse_of_word, &mut reducer, &mut inverse);
                    check_block(&n, &reducer, &inverse, &mut context);
                    for (found, exponent) in found.chunks(words.len()).zip(exponents) {
                        let (mut two, mut expected) = (BigNum::new().unwrap(), BigNum::new().unwrap());
                        two.set_bit(exponent as i32).unwrap();
                        expected.nnmod(&two, &n, &mut context).unwrap();
                        assert_eq!(**SecretBigNum::from_words(found), *expected, "2^{exponent}, {bits} bits");
                    }
                }
            }
        }
    }

    #[test]
    fn negative_powers_are_those_of_libcrypto_at_every_length_that_is_composed() {
        let mut context = BigNumContext::new().unwrap();
        for class in CLASSES.iter().filter(|class| class.is_composed()) {
            let longest = class.limbs * LIMB_BITS - HEADROOM_BITS;
            let shorter =
                CLASSES.iter().rfind(|other| other.limbs < class.limbs).expect("a class that is not composed");
            let shortest = shorter.limbs * LIMB_BITS - HEADROOM_BITS + 1;
            for bits in [shortest, shortest + 1, (shortest + longest) / 2, longest] {
                let mut n = BigNum::new().unwrap();
                n.rand(bits as i32, MsbOption::ONE, true).unwrap();
                for n in [n, all_ones(bits as i32)] {
                    let mut words = vec![0; bits.div_ceil(64)];
                    crate::words::from_be_bytes(&n.to_vec(), &mut words).unwrap();
                    let exponent = class.limbs * LIMB_BITS / 2;
                    let mut found = vec![0; words.len()];
                    negative(&words, bits, exponent, &mut found);
                    let (mut two, mut expected) = (BigNum::new().unwrap(), BigNum::new().unwrap());
                    two.set_bit(exponent as i32).unwrap();
                    expected.mod_inverse(&two, &n, &mut context).unwrap();
                    assert_eq!(**SecretBigNum::from_words(&found), *expected, "2^-{exponent}, {bits} bits");
                }
            }
        }
    }

    /// `reducer · 2^260 = 1 mod n`, and `inverse · n = −1 mod 2^260`, both as short as they should be.
    fn check_block(n: &BigNum, reducer: &[u64], inverse: &[u64], context: &mut BigNumContext) {
        let (mut block, mut product) = (BigNum::new().unwrap(), BigNum::new().unwrap());
        block.set_bit(BLOCK_BITS as i32).unwrap();
        let [reducer, mut inverse] =
            [reducer, inverse].map(|words| SecretBigNum::from_words(words).to_owned().unwrap());
        assert!(reducer < *n && inverse < block, "{n}");
        product.mod_mul(&reducer, &block, n, context).unwrap();
        assert_eq!(product, BigNum::from_u32(1).unwrap(), "{n}");
        product.mod_mul(&inverse, n, &block, context).unwrap();
        inverse.checked_sub(&block, &BigNum::from_u32(1).unwrap()).unwrap();
        assert_eq!(product, inverse, "{n}");
    }

    fn all_ones(bits: i32) -> BigNum {
        let mut number = BigNum::new().unwrap();
        number.set_bit(bits).unwrap();
        number.sub_word(1).unwrap();
        number
    }
}
