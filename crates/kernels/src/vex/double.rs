// SPDX-License-Identifier: Apache-2.0
//! Arithmetic of double precision on whole numbers, rounded toward zero, as bits: for the interpreter, without a branch on
//! a value.

const MANTISSA_BITS: u32 = 52;
const BIAS: i32 = 1023;

/// `a * b + c`, for whole numbers of which |a|, |b| are below 2^53 and |c| below 2^106.
pub(super) fn fused(a: u64, b: u64, c: u64) -> u64 {
    to_bits(whole(a).wrapping_mul(whole(b)).wrapping_add(whole(c)))
}

/// `a - b`, for whole numbers below 2^106.
pub(super) fn subtract(a: u64, b: u64) -> u64 {
    to_bits(whole(a).wrapping_sub(whole(b)))
}

/// The whole number that the bits stand for.
fn whole(bits: u64) -> i128 {
    let exponent = (bits >> MANTISSA_BITS) as i32 & 0x7ff;
    let normal = i128::from(exponent != 0);
    let mantissa = i128::from(bits & ((1 << MANTISSA_BITS) - 1)) | normal << MANTISSA_BITS;
    let shift = exponent - BIAS - MANTISSA_BITS as i32;
    let left = shift.clamp(0, 127) as u32;
    let right = (-shift).clamp(0, 127) as u32;
    let magnitude = mantissa << left >> right;
    let sign = -i128::from(bits >> 63);
    (magnitude ^ sign) - sign
}

/// The bits of the number, rounded toward zero.
fn to_bits(number: i128) -> u64 {
    let sign = number >> 127;
    let magnitude = ((number ^ sign) - sign) as u128;
    let zeros = magnitude.leading_zeros();
    // The highest bit goes to bit 127, and from there down to where a mantissa has it.
    let mantissa = (magnitude << (zeros & 127)) >> (127 - MANTISSA_BITS);
    let exponent = (127 - zeros as i32 + BIAS) as u64;
    let nonzero = u64::from(magnitude != 0).wrapping_neg();
    let bits = (exponent << MANTISSA_BITS) + (mantissa as u64 & ((1 << MANTISSA_BITS) - 1));
    (bits & nonzero) | (sign as u64 & 1) << 63
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn exact_results_are_those_of_the_processor() {
        let numbers = [0.0, 1.0, 3.0, -5.0, 2f64.powi(51) + 7.0, 2f64.powi(52) - 1.0, 2f64.powi(52)];
        for a in numbers {
            assert_eq!(to_bits(whole(a.to_bits())), a.to_bits());
            for b in numbers {
                assert_eq!(f64::from_bits(subtract(a.to_bits(), b.to_bits())), a - b);
                let high = 2f64.powi(104);
                let product = i128::from(a as i64) * i128::from(b as i64);
                let sum = whole(fused(a.to_bits(), b.to_bits(), high.to_bits()));
                let exact = product + (1 << 104);
                // Toward zero: the bits that a double has no room for are dropped.
                let dropped = 128 - exact.leading_zeros() - 53;
                assert_eq!(sum, exact >> dropped << dropped);
            }
        }
    }
}
