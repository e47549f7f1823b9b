// SPDX-License-Identifier: Apache-2.0
//! Keys on the GPU: none is mistaken for another, and their numbers are right.

use super::*;
use openssl::bn::BigNumContext;

#[test]
fn keys_that_differ_in_their_public_exponents_alone_do_not_share_a_record() {
    let device = gpu(512);
    let rsa = Rsa::generate(1024).unwrap();
    let first = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    // d = e^-1 mod lcm(p - 1, q - 1) for another e.
    let mut context = BigNumContext::new().unwrap();
    let (p, q) = (rsa.p().unwrap(), rsa.q().unwrap());
    let less_1 = |number: &openssl::bn::BigNumRef| {
        let mut number = number.to_owned().unwrap();
        number.sub_word(1).unwrap();
        number
    };
    let (p_1, q_1) = (less_1(p), less_1(q));
    let mut phi = BigNum::new().unwrap();
    phi.checked_mul(&p_1, &q_1, &mut context).unwrap();
    let [mut d, mut dp, mut dq] = [(); 3].map(|()| BigNum::new().unwrap());
    let e = (65_539..).step_by(2).map(|e| BigNum::from_u32(e).unwrap());
    let e = e.into_iter().find(|e| d.mod_inverse(e, &phi, &mut context).is_ok()).unwrap();
    dp.nnmod(&d, &p_1, &mut context).unwrap();
    dq.nnmod(&d, &q_1, &mut context).unwrap();
    let copy = |number: &openssl::bn::BigNumRef| number.to_owned().unwrap();
    let iqmp = copy(rsa.iqmp().unwrap());
    let other = Rsa::from_private_components(copy(rsa.n()), e, d, copy(p), copy(q), dp, dq, iqmp).unwrap();
    let second = Arc::new(PrivateKey::from_der(&other.private_key_to_der().unwrap()).unwrap());
    operate(&device, &[first, second], 4);
}

#[test]
fn a_key_with_its_primes_in_the_other_order_is_right_where_its_record_is_there_already() {
    let rsa = Rsa::generate(1024).unwrap();
    let copy = |number: Option<&openssl::bn::BigNumRef>| number.unwrap().to_owned().unwrap();
    let (p, q) = (copy(rsa.p()), copy(rsa.q()));
    let mut inverse = BigNum::new().unwrap();
    inverse.mod_inverse(&p, &q, &mut BigNumContext::new().unwrap()).unwrap();
    let [n, e, d] = [rsa.n(), rsa.e(), rsa.d()].map(|number| copy(Some(number)));
    let exchanged = Rsa::from_private_components(n, e, d, q, p, copy(rsa.dmq1()), copy(rsa.dmp1()), inverse).unwrap();
    let device = gpu(512);
    for rsa in [rsa, exchanged] {
        let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
        operate(&device, &[key], LANES + 1);
    }
}

#[test]
fn keys_that_take_turns_do_not_get_each_others_results() {
    let device = gpu(512);
    let (first, second) = (key(1024), key(1024));
    for key in [&first, &second, &first] {
        operate(&device, std::slice::from_ref(key), 2);
    }
}

#[test]
fn numbers_modulo_which_r_is_not_one_subtraction_away() {
    let mut context = BigNumContext::new().unwrap();
    for bits in [512_i32, 511, 300] {
        let mut number = BigNum::new().unwrap();
        number.rand(bits, openssl::bn::MsbOption::ONE, true).unwrap();
        let bytes = number.to_vec_padded((bits + 63) / 64 * 8).unwrap();
        let words: Vec<u64> = bytes.rchunks(8).map(|chunk| u64::from_be_bytes(chunk.try_into().unwrap())).collect();
        let mut r = BigNum::new().unwrap();
        r.set_bit(512).unwrap();
        let mut expected = BigNum::new().unwrap();
        expected.nnmod(&r, &number, &mut context).unwrap();
        let remainder = record::remainder_of_r(&words, 16);
        let remainder: Vec<u8> = remainder.iter().rev().flat_map(|word| word.to_be_bytes()).collect();
        assert!(BigNum::from_slice(&remainder).unwrap() == expected, "{bits} bits");
    }
}
