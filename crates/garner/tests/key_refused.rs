// SPDX-License-Identifier: Apache-2.0
//! Keys that must be refused, each with the field at fault and without a digit of key material.

mod key_support;

use garner::Error;
use garner::key::{PrivateKey, PublicKey};
use key_support::*;
use openssl::bn::{BigNum, BigNumContext};
use std::sync::LazyLock;

static P: LazyLock<Vec<u8>> = LazyLock::new(|| prime(640, &number(65537)).to_vec());
static Q: LazyLock<Vec<u8>> = LazyLock::new(|| prime(512, &number(65537)).to_vec());

fn key() -> Parts {
    let big = |bytes: &[u8]| BigNum::from_slice(bytes).unwrap();
    Parts::new(big(&P), big(&Q), number(65537))
}

/// The key after `change` is refused for `field` with `reason`, as components, as PKCS#1 and as PKCS#8.
#[track_caller]
fn refused(field: &str, reason: &str, change: impl Fn(&mut Parts)) {
    let mut parts = key();
    change(&mut parts);
    for result in [parts.read(), PrivateKey::from_der(&parts.pkcs1()), PrivateKey::from_der(&pkcs8(&parts.pkcs1()))] {
        let (at, text) = refusal(result);
        assert_eq!(at, field, "{text}");
        assert_eq!(text, format!("{reason} (field \"{field}\"); the key was refused"));
        assert_free_of_secrets(&text, &parts);
        assert_free_of_secrets(&text, &key());
    }
}

fn add(a: &BigNum, b: u32) -> BigNum {
    a + &number(b)
}

#[test]
fn the_unchanged_key_is_accepted() {
    key().read().unwrap().check_primes().unwrap();
    PrivateKey::from_der(&pkcs8(&key().pkcs1())).unwrap();
}

#[test]
fn sizes_outside_512_to_8192_bits_are_refused() {
    let small = Parts::generate(256, 255, number(65537));
    assert_eq!(small.n.num_bits(), 511);
    let (field, text) = refusal(small.read());
    assert_eq!((field, text.contains("511 bits, fewer than 512")), ("modulus", true), "{text}");
    Parts::generate(256, 256, number(65537)).read().unwrap();
    let large = |bits| {
        let mut n = BigNum::new().unwrap();
        n.set_bit(bits - 1).unwrap();
        n.set_bit(0).unwrap();
        PublicKey::from_n_e(&n.to_vec(), &[1, 0, 1])
    };
    assert_eq!(large(8192).unwrap().bits(), 8192);
    let text = large(8193).unwrap_err().to_string();
    assert!(text.contains("8193 bits, more than 8192"), "{text}");
    let text = large(80_000).unwrap_err().to_string();
    assert!(text.contains("80000 bits"), "{text}");
}

#[test]
fn wrong_moduli_are_refused() {
    refused("modulus", "modulus is even", |key| key.n = add(&key.n, 1));
    refused("modulus", "prime1 x prime2 is not the modulus", |key| key.n = add(&key.n, 2));
    refused("modulus", "modulus has 0 bits, fewer than 512", |key| key.n = number(0));
    refused("modulus", "modulus has 17 bits, fewer than 512", |key| key.n = number(65537));
}

#[test]
fn wrong_public_exponents_are_refused() {
    refused("publicExponent", "publicExponent is even", |key| key.e = number(65536));
    refused("publicExponent", "publicExponent is even", |key| key.e = number(0));
    refused("publicExponent", "publicExponent is 1", |key| key.e = number(1));
    refused("publicExponent", "publicExponent has 257 bits, more than 256", |key| {
        key.e = number(1);
        key.e.set_bit(256).unwrap();
    });
    let none = "publicExponent matches none of privateExponent, exponent1 and exponent2";
    refused("publicExponent", none, |key| key.e = number(65539));
    refused("publicExponent", none, |key| key.e = number(3));
}

#[test]
fn wrong_primes_are_refused() {
    let product = "prime1 x prime2 is not the modulus";
    refused("prime1", product, |key| key.p = add(&key.p, 2));
    refused("prime2", product, |key| key.q = add(&key.q, 2));
    refused("prime1", product, |key| key.p = add(&key.q, 2));
    refused("prime1", "prime1 is even", |key| key.p = add(&key.p, 1));
    refused("prime2", "prime2 is even", |key| key.q = add(&key.q, 1));
    refused("prime1", "prime1 is 1", |key| key.p = number(1));
    refused("prime2", "prime2 is 1", |key| key.q = number(1));
    refused("prime1", "prime1 is zero", |key| key.p = number(0));
    refused("prime2", "prime2 is zero", |key| key.q = number(0));
    refused("prime2", "prime2 equals prime1", |key| key.q = key.p.to_owned().unwrap());
    refused("prime1", "prime1 is not below the modulus", |key| key.p.set_bit(1152).unwrap());
    // p = n, q = 1 is the one way to have the product right and the primes wrong.
    refused("prime1", "prime1 is not below the modulus", |key| (key.p, key.q) = (key.n.to_owned().unwrap(), number(1)));
}

#[test]
fn a_square_modulus_is_refused() {
    let p = prime(512, &number(65537));
    let mut parts = Parts::generate(512, 512, number(65537));
    parts.d = number(3);
    (parts.n, parts.q, parts.p) = (&p * &p, p.to_owned().unwrap(), p);
    let (field, text) = refusal(parts.read());
    assert_eq!(field, "prime2");
    assert!(text.contains("prime2 equals prime1"), "{text}");
}

#[test]
fn wrong_private_exponents_are_refused() {
    let d = "publicExponent x privateExponent is not 1 modulo the least common multiple of prime1 - 1 and prime2 - 1";
    refused("privateExponent", d, |key| key.d = add(&key.d, 1));
    refused("privateExponent", d, |key| key.d = number(1));
    refused("privateExponent", "privateExponent is zero", |key| key.d = number(0));
    refused("privateExponent", "privateExponent is not below the modulus", |key| {
        // d + lcm k, the first such above n: consistent, but not reduced.
        let lcm = lcm(&sub(&key.p, 1), &sub(&key.q, 1));
        while key.d < key.n {
            key.d = &key.d + &lcm;
        }
    });
    refused("privateExponent", "privateExponent is not below the modulus", |key| key.d.set_bit(1152).unwrap());
    // Right modulo p - 1 only, and modulo q - 1 only.
    refused("privateExponent", d, |key| key.d = &key.dp + &sub(&key.p, 1));
    refused("privateExponent", d, |key| key.d = &key.dq + &sub(&key.q, 1));
    let first = "publicExponent x exponent1 is not 1 modulo prime1 - 1";
    refused("exponent1", first, |key| key.dp = add(&key.dp, 1));
    refused("exponent1", first, |key| std::mem::swap(&mut key.dp, &mut key.dq));
    refused("exponent1", "exponent1 is zero", |key| key.dp = number(0));
    refused("exponent1", "exponent1 is not below prime1 - 1", |key| key.dp = &key.dp + &sub(&key.p, 1));
    let second = "publicExponent x exponent2 is not 1 modulo prime2 - 1";
    refused("exponent2", second, |key| key.dq = add(&key.dq, 1));
    refused("exponent2", "exponent2 is zero", |key| key.dq = number(0));
    refused("exponent2", "exponent2 is not below prime2 - 1", |key| key.dq = &key.dq + &sub(&key.q, 1));
}

#[test]
fn wrong_coefficients_are_refused() {
    let wrong = "coefficient x prime2 is not 1 modulo prime1";
    refused("coefficient", wrong, |key| key.q_inverse = add(&key.q_inverse, 1));
    refused("coefficient", wrong, |key| key.q_inverse = inverse(&key.p, &key.q));
    refused("coefficient", "coefficient is zero", |key| key.q_inverse = number(0));
    refused("coefficient", "coefficient is not below prime1", |key| key.q_inverse = &key.q_inverse + &key.p);
    // A key that has the coefficient of the other order of its primes.
    refused("coefficient", wrong, |key| {
        let coefficient = key.q_inverse.to_owned().unwrap();
        *key = key.swapped();
        key.q_inverse = coefficient;
    });
}

#[test]
fn composite_primes_are_caught_by_the_pairwise_test() {
    let e = number(65537);
    let composite = || loop {
        let product = &prime(260, &e) * &prime(260, &e);
        let mut gcd = BigNum::new().unwrap();
        gcd.gcd(&sub(&product, 1), &e, &mut BigNumContext::new().unwrap()).unwrap();
        if gcd == number(1) {
            return product;
        }
    };
    // Every CRT part is consistent with the composite: arithmetic alone finds nothing wrong.
    let parts = Parts::new(composite(), prime(512, &e), number(65537));
    let (field, text) = refusal(parts.read());
    assert_eq!(field, "prime1");
    assert!(text.contains("prime1 is not prime: a trial operation gave a wrong result"), "{text}");
    let parts = Parts::new(prime(600, &e), composite(), number(65537));
    assert_eq!(refusal(parts.read()).0, "prime2");
}

#[test]
fn carmichael_primes_pass_loading_as_documented_and_fail_check_primes() {
    // Chernick's (6k + 1)(12k + 1)(18k + 1).
    let mut context = BigNumContext::new().unwrap();
    let one = number(1);
    let mut k = BigNum::new().unwrap();
    k.rand(90, openssl::bn::MsbOption::TWO_ONES, false).unwrap();
    let carmichael = loop {
        k.add_word(1).unwrap();
        let factors = [6, 12, 18].map(|i| &(&k * &number(i)) + &one);
        if factors.iter().all(|factor| factor.is_prime_fasttest(0, &mut context, true).unwrap()) {
            break &(&factors[0] * &factors[1]) * &factors[2];
        }
    };
    let e = number(65537);
    let key = Parts::new(prime(400, &e), carmichael, e).read().expect("consistent, and the trial operation succeeds");
    let Err(Error::Key { field, reason }) = key.check_primes() else { panic!("a composite passed") };
    assert_eq!((field, &*reason), ("prime2", "prime2 is not prime"));
}

/// The PKCS#1 structure with `change` made to its list of nine encoded fields (version first).
fn structure(change: impl FnOnce(&mut Vec<Vec<u8>>)) -> Vec<u8> {
    let mut fields = vec![integer(&[0])];
    fields.extend(key().bytes().iter().map(|bytes| unsigned(bytes)));
    change(&mut fields);
    tlv(0x30, &fields.concat())
}

const FIELDS: [&str; 9] = [
    "version",
    "modulus",
    "publicExponent",
    "privateExponent",
    "prime1",
    "prime2",
    "exponent1",
    "exponent2",
    "coefficient",
];

#[test]
fn multi_prime_and_unknown_versions_are_refused_by_name() {
    let other = tlv(0x30, &tlv(0x30, &[integer(&[7]), integer(&[1]), integer(&[1])].concat()));
    let multi = structure(|fields| {
        fields[0] = integer(&[1]);
        fields.push(other.clone());
    });
    for der in [multi.clone(), pkcs8(&multi), structure(|fields| fields[0] = integer(&[1]))] {
        let (field, text) = refusal(PrivateKey::from_der(&der));
        assert_eq!(field, "version");
        assert!(text.contains("multi-prime keys (version 1) are not supported"), "{text}");
    }
    let (field, text) = refusal(PrivateKey::from_der(&structure(|fields| fields.push(other))));
    assert_eq!(field, "otherPrimeInfos", "{text}");
    for version in [&[2][..], &[0xff], &[1, 0]] {
        let (field, text) = refusal(PrivateKey::from_der(&structure(|fields| fields[0] = integer(version))));
        assert_eq!(field, "version");
        assert!(text.contains("version is not two-prime (0)"), "{text}");
    }
}

#[test]
fn negative_padded_and_non_integer_fields_are_refused_by_field() {
    for (i, name) in FIELDS.iter().enumerate().skip(1) {
        let with = |der: Vec<u8>| {
            let (field, text) = refusal(PrivateKey::from_der(&structure(|fields| fields[i] = der)));
            assert_eq!(field, *name, "{text}");
            assert_free_of_secrets(&text, &key());
            text
        };
        assert!(with(integer(&[0x80, 1])).contains("is negative"));
        assert!(with(integer(&[0xff])).contains("is negative"));
        assert!(with(integer(&[0, 0, 1])).contains("is not encoded as DER requires"));
        assert!(with(integer(&[])).contains("is not encoded as DER requires"));
        if i >= 3 {
            assert!(with(tlv(4, &[1])).contains("is not an INTEGER"));
        }
    }
    for (i, name) in ["modulus", "publicExponent"].into_iter().enumerate() {
        let mut fields = [unsigned(&key().n.to_vec()), unsigned(&[3])];
        fields[i] = integer(&[0xff]);
        let error = PublicKey::from_der(&tlv(0x30, &fields.concat())).unwrap_err();
        assert!(matches!(&error, Error::Key { field, .. } if *field == name), "{error}");
    }
}

#[test]
fn missing_fields_are_refused_by_field() {
    for (i, field) in FIELDS.iter().enumerate().skip(3) {
        let (at, text) = refusal(PrivateKey::from_der(&structure(|fields| fields.truncate(i))));
        assert_eq!(at, *field, "{text}");
        assert!(text.contains("is missing"), "{text}");
    }
    let modulus_alone = tlv(0x30, &unsigned(&key().n.to_vec()));
    assert!(matches!(PublicKey::from_der(&modulus_alone), Err(Error::Encoding(_))));
}

#[test]
fn trailing_data_is_refused() {
    let der = key().pkcs1();
    let long = |der: &[u8]| PrivateKey::from_der(&[der, &[0]].concat()).unwrap_err().to_string();
    assert!(long(&der).contains("there is data after the end"));
    assert!(long(&pkcs8(&der)).contains("there is data after the end"));
    let inside = PrivateKey::from_der(&pkcs8(&[&der[..], &[0]].concat())).unwrap_err().to_string();
    assert!(inside.contains("there is data after the end"), "{inside}");
    let (field, _) = refusal(PrivateKey::from_der(&structure(|fields| fields.push(vec![5, 0]))));
    assert_eq!(field, "otherPrimeInfos");
}

#[test]
fn short_and_zero_filled_keys_are_refused() {
    let zero = |der: &mut Vec<u8>| *der = integer(&[0]);
    for (i, name) in FIELDS.iter().enumerate().skip(6) {
        let (field, text) = refusal(PrivateKey::from_der(&structure(|fields| {
            fields[4..].iter_mut().for_each(zero);
            fields[i] = integer(&[5]);
        })));
        assert_eq!(field, *name);
        assert!(text.contains("prime1 and prime2 are zero, but"), "{text}");
    }
    assert_eq!(refusal(PrivateKey::from_der(&structure(|fields| zero(&mut fields[4])))).0, "prime1");
    assert_eq!(refusal(PrivateKey::from_der(&structure(|fields| zero(&mut fields[5])))).0, "prime2");
}

#[test]
fn n_e_d_that_do_not_belong_together_are_refused() {
    let parts = key();
    let [n, e, d, ..] = parts.bytes();
    let with = |n: &[u8], e: &[u8], d: &[u8]| {
        let (field, text) = refusal(PrivateKey::from_n_e_d(n, e, d));
        assert_free_of_secrets(&text, &parts);
        (field, text)
    };
    assert_eq!(with(&n, &e, &add(&parts.d, 2).to_vec()).0, "privateExponent");
    assert_eq!(with(&n, &e, &add(&parts.d, 1).to_vec()).1.matches("even").count(), 1);
    assert_eq!(with(&n, &[3], &d).0, "privateExponent");
    assert_eq!(with(&n, &e, &[]).0, "privateExponent");
    assert_eq!(with(&n, &e, &n).0, "privateExponent");
    // Which of the two is at fault nobody can say: n + 2 is some number, prime now and then.
    let field = with(&add(&parts.n, 2).to_vec(), &e, &d).0;
    assert!(["privateExponent", "modulus"].contains(&field), "{field}");
    assert_eq!(with(&add(&parts.n, 1).to_vec(), &e, &d).0, "modulus");
    // Inverses of each other modulo anything.
    assert_eq!(with(&n, &[1], &[1]).0, "publicExponent");
}

/// A modulus with a factor so small that a random number shares it often: found that way, the factor and the rest
/// are taken for the primes, and none of the exponents fits them (e = 3 and d = 5 are no inverses modulo 7 - 1).
#[test]
fn what_is_said_of_n_e_d_is_the_same_however_a_factor_was_found() {
    let n = &number(7) * &prime(520, &number(65537));
    for _ in 0..50 {
        let (field, text) = refusal(PrivateKey::from_n_e_d(&n.to_vec(), &[3], &[5]));
        assert_eq!(field, "privateExponent", "{text}");
    }
}

#[test]
fn prime_square_and_three_prime_moduli_are_not_taken_for_two_primes() {
    let e = number(65537);
    let d = |order: &BigNum| inverse(&e, order).to_vec();
    let p = prime(520, &e);
    let (field, text) = refusal(PrivateKey::from_n_e_d(&p.to_vec(), &e.to_vec(), &d(&sub(&p, 1))));
    assert_eq!(field, "modulus");
    assert!(text.contains("is not the product of two primes"), "{text}");
    let order = &p * &sub(&p, 1);
    let (field, text) = refusal(PrivateKey::from_n_e_d(&(&p * &p).to_vec(), &e.to_vec(), &d(&order)));
    assert_eq!(field, "modulus");
    assert!(text.contains("is not the product of two primes"), "{text}");
    let (q, r) = (prime(300, &e), prime(280, &e));
    let n = &(&p * &q) * &r;
    let order = lcm(&lcm(&sub(&p, 1), &sub(&q, 1)), &sub(&r, 1));
    refusal(PrivateKey::from_n_e_d(&n.to_vec(), &e.to_vec(), &d(&order)));
}

/// As OpenSSL has it: a line is all of a boundary, or none.
#[test]
fn pem_boundaries_have_their_lines_for_themselves() {
    let pem = String::from_utf8(key().read().unwrap().public().to_pem().as_bytes().to_vec()).unwrap();
    let read = |text: String| PublicKey::from_pem(text.as_bytes());
    for good in [format!("a line before\n{pem}"), format!("{}  \r\n \n", pem.trim_end()), pem.replace('\n', "\r\n")] {
        read(good.clone()).unwrap_or_else(|error| panic!("{error}: {good}"));
    }
    let end = "-----END PUBLIC KEY-----";
    for (there, here) in [
        (end, "-----END PUBLIC KEY-----A"),
        (end, "-----END PUBLIC KEY------"),
        ("-----BEGIN", "x-----BEGIN"),
        ("-----BEGIN", " -----BEGIN"),
        ("KEY-----\nM", "KEY-----A\nM"),
    ] {
        assert!(pem.contains(there), "{there}");
        let text = pem.replacen(there, here, 1);
        assert!(read(text.clone()).is_err(), "{text}");
    }
}
