// SPDX-License-Identifier: Apache-2.0
//! The numbers of a private key as libcrypto has them, before anything is known of them.

use crate::arithmetic::libcrypto::SecretBigNum;
use openssl::bn::BigNumRef;
use openssl::error::ErrorStack;

/// The numbers of a private key, unchecked.
pub(crate) struct Numbers {
    pub n: SecretBigNum,
    pub e: SecretBigNum,
    pub d: SecretBigNum,
    pub p: SecretBigNum,
    pub q: SecretBigNum,
    pub dp: SecretBigNum,
    pub dq: SecretBigNum,
    pub q_inverse: SecretBigNum,
}

/// `number - 1`.
pub(super) fn less_1(number: &BigNumRef) -> SecretBigNum {
    let mut result = SecretBigNum::new();
    let one = computed(openssl::bn::BigNum::from_u32(1));
    computed(result.checked_sub(number, &one));
    result
}

/// The result of libcrypto arithmetic that can only fail for want of memory.
///
/// # Panics
/// When there is none, as any allocation does.
pub(super) fn computed<T>(result: Result<T, ErrorStack>) -> T {
    result.expect("memory for libcrypto's arithmetic")
}
