// SPDX-License-Identifier: Apache-2.0
//! Keys of unusual but valid shape: primes in either order and of unequal length, no CRT parts, any e, any d.

mod key_support;

use garner::gather::{Gatherer, Operation};
use garner::key::{PrivateKey, PublicKey};
use key_support::*;
use openssl::bn::BigNum;
use openssl::rsa::Rsa;
use std::sync::Arc;

/// The key as it was written back, once OpenSSL has found it consistent.
fn checked(key: &PrivateKey) -> Vec<u8> {
    let der = key.to_pkcs1_der().to_vec();
    assert!(Rsa::private_key_from_der(&der).unwrap().check_key().unwrap());
    key.check_primes().unwrap();
    der
}

#[test]
fn primes_in_the_other_order_are_swapped_with_all_their_parts() {
    let larger_first = Parts::generate(520, 504, number(65537));
    let smaller_first = larger_first.swapped();
    assert!(smaller_first.p < smaller_first.q);
    assert_ne!(smaller_first.pkcs1(), larger_first.pkcs1());
    for key in [
        smaller_first.read().unwrap(),
        PrivateKey::from_der(&smaller_first.pkcs1()).unwrap(),
        PrivateKey::from_der(&larger_first.pkcs1()).unwrap(),
    ] {
        assert_eq!(checked(&key), larger_first.pkcs1());
    }
}

#[test]
fn primes_of_equal_length_are_ordered_by_value() {
    let parts = Parts::generate(512, 512, number(65537));
    let ordered = if parts.p > parts.q { parts.pkcs1() } else { parts.swapped().pkcs1() };
    assert_eq!(checked(&parts.read().unwrap()), ordered);
    assert_eq!(checked(&parts.swapped().read().unwrap()), ordered);
}

#[test]
fn unbalanced_primes_are_accepted() {
    for (p, q) in [(1100, 948), (1500, 548), (448, 64), (510, 4), (511, 3)] {
        let parts = Parts::generate(p, q, number(65537));
        assert_eq!(checked(&parts.read().unwrap()), parts.pkcs1(), "{p} and {q} bits");
        assert_eq!(checked(&parts.swapped().read().unwrap()), parts.pkcs1(), "{p} and {q} bits, swapped");
        let [n, e, d, ..] = parts.bytes();
        assert_eq!(checked(&PrivateKey::from_n_e_d(&n, &e, &d).unwrap()), parts.pkcs1(), "{p} and {q} bits, n e d");
    }
}

#[test]
fn prime_so_small_that_blinding_factors_meet_it_spoils_no_signature_of_its_batch() {
    let gatherer = Gatherer::global().unwrap();
    let keys = [(509, 3), (512, 512)].map(|(p, q)| Arc::new(Parts::generate(p, q, number(65537)).read().unwrap()));
    // A random r is a multiple of 5 or 7 once in five or seven times, and has no inverse then.
    let operations = || (0..200).map(|i| Operation::private(&keys[i % 2], &[i as u8]).unwrap()).collect();
    for (i, answer) in gatherer.run_batch(operations()).into_iter().enumerate() {
        let verified = Operation::public(keys[i % 2].public(), &answer.unwrap()).unwrap();
        assert_eq!(gatherer.run(verified).unwrap().last(), Some(&(i as u8)));
    }
}

#[test]
fn public_exponents_from_3_to_256_bits_are_accepted() {
    let mut long = BigNum::new().unwrap();
    long.rand(256, openssl::bn::MsbOption::ONE, true).unwrap();
    let mut longest = BigNum::new().unwrap();
    longest.set_bit(256).unwrap();
    for e in [number(3), number(17), number(65537), prime(256, &number(1)), long, sub(&longest, 1)] {
        let parts = Parts::generate(530, 500, e);
        let key = parts.read().unwrap();
        assert_eq!(checked(&key), parts.pkcs1());
        let e = parts.e.to_vec();
        assert_eq!(key.public().exponent().len(), e.len().div_ceil(8));
        let public = PublicKey::from_n_e(&parts.n.to_vec(), &e).unwrap();
        assert_eq!(public.to_der(), key.public().to_der());
        assert_eq!(PublicKey::from_der(&public.to_der()).unwrap().exponent(), key.public().exponent());
    }
}

#[test]
fn sizes_that_are_no_multiple_of_a_word_or_byte_are_accepted() {
    for (p, q) in [(257, 256), (321, 319), (513, 500), (600, 477)] {
        let parts = Parts::generate(p, q, number(65537));
        let key = parts.read().unwrap();
        assert_eq!((key.public().bits() as i32, key.public().size() as i32), (parts.n.num_bits(), parts.n.num_bytes()));
        assert_eq!(checked(&key), parts.pkcs1());
    }
}

#[test]
fn the_largest_key_is_accepted() {
    // Known primes (RFC 3526), because a search for random ones of this size may take a minute.
    let (p, q) = (BigNum::get_rfc3526_prime_6144().unwrap(), BigNum::get_rfc3526_prime_2048().unwrap());
    let parts = Parts::new(p, q, number(65537));
    let key = parts.read().unwrap();
    assert_eq!((key.public().bits(), key.public().size()), (8192, 1024));
    assert_eq!(*key.to_pkcs1_der(), parts.pkcs1());
    assert_eq!(*parts.swapped().read().unwrap().to_pkcs1_der(), parts.pkcs1());
}

#[test]
fn d_may_be_reduced_modulo_phi_or_lambda_and_is_written_back_as_it_came() {
    let mut parts = Parts::generate(520, 504, number(65537));
    let (p1, q1) = (sub(&parts.p, 1), sub(&parts.q, 1));
    assert_eq!(checked(&parts.read().unwrap()), parts.pkcs1());
    let lcm = lcm(&p1, &q1);
    let lambda = &parts.d % &lcm;
    parts.d = lambda.to_owned().unwrap();
    assert_eq!(checked(&parts.read().unwrap()), parts.pkcs1());
    // Neither: the smallest plus one lcm.
    parts.d = &lambda + &lcm;
    if parts.d < parts.n {
        assert_eq!(checked(&parts.read().unwrap()), parts.pkcs1());
    }
}

#[test]
fn leading_zero_bytes_of_components_do_not_matter() {
    let parts = Parts::generate(520, 504, number(3));
    let padded = parts.bytes().map(|bytes| [&[0; 9][..], &bytes].concat());
    assert_eq!(checked(&from_bytes(&padded).unwrap()), parts.pkcs1());
}

#[test]
fn keys_of_n_e_d_alone_get_their_primes_back() {
    for e in [3, 17, 65537] {
        for _ in 0..8 {
            let mut parts = Parts::generate(300, 290, number(e));
            let [n, e, d, ..] = parts.bytes();
            assert_eq!(checked(&PrivateKey::from_n_e_d(&n, &e, &d).unwrap()), parts.pkcs1());
            let lcm = lcm(&sub(&parts.p, 1), &sub(&parts.q, 1));
            parts.d = &parts.d % &lcm;
            let key = PrivateKey::from_n_e_d(&n, &e, &parts.d.to_vec()).unwrap();
            assert_eq!(checked(&key), parts.pkcs1());
        }
    }
}

#[test]
fn pkcs1_with_zeros_for_the_primes_is_a_key_of_n_e_d() {
    let parts = Parts::generate(520, 504, number(65537));
    let [n, e, d, ..] = parts.bytes();
    let of = |d: &[u8]| {
        let mut fields = [integer(&[0]), unsigned(&n), unsigned(&e), unsigned(d)].concat();
        (0..5).for_each(|_| fields.extend(integer(&[0])));
        tlv(0x30, &fields)
    };
    let der = of(&d);
    for der in [pkcs8(&der), der] {
        assert_eq!(checked(&PrivateKey::read(&der, None).unwrap()), parts.pkcs1());
        let public = PublicKey::read(&der, None).unwrap();
        assert_eq!(public.modulus().words().len(), 16);
    }
    // Whoever asks a stranger for a public key does not look for primes, which may take as long as a hundred signatures.
    let wrong = of(&[7]);
    assert!(PrivateKey::read(&wrong, None).is_err());
    assert_eq!(PublicKey::read(&wrong, None).unwrap().to_der(), PublicKey::read(&of(&d), None).unwrap().to_der());
}

#[test]
fn rsa_encryption_without_parameters_is_accepted_and_with_others_refused() {
    let parts = Parts::generate(520, 504, number(65537));
    let with = |parameters: &[u8]| {
        let oid = [&[6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1], parameters].concat();
        PrivateKey::from_der(&tlv(0x30, &[integer(&[0]), tlv(0x30, &oid), tlv(4, &parts.pkcs1())].concat()))
    };
    assert_eq!(checked(&with(&[5, 0]).unwrap()), parts.pkcs1());
    assert_eq!(checked(&with(&[]).unwrap()), parts.pkcs1());
    assert_eq!(refusal(with(&[4, 0])).0, "privateKeyAlgorithm");
}
