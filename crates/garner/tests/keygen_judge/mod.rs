// SPDX-License-Identifier: Apache-2.0
//! Judges keys by libcrypto alone, from what they were encoded to.

use garner::key::PrivateKey;
use openssl::bn::{BigNum, BigNumContext};
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sign::{Signer, Verifier};

/// The key as libcrypto reads it.
pub fn read(key: &PrivateKey) -> Rsa<Private> {
    Rsa::private_key_from_der(&key.to_pkcs1_der()).unwrap()
}

/// FIPS 186-5, A.1.1 and A.1.3, but for the least length and exponent; primality by libcrypto; CRT; a signature.
pub fn assert_fips(rsa: &Rsa<Private>, bits: usize) {
    let bits = bits as i32;
    let mut context = BigNumContext::new().unwrap();
    let (n, e, d) = (rsa.n(), rsa.e(), rsa.d());
    let (p, q) = (rsa.p().unwrap(), rsa.q().unwrap());
    assert_eq!(n.num_bits(), bits);
    let one = BigNum::from_u32(1).unwrap();
    let less_1 = |number: &openssl::bn::BigNumRef| {
        let mut result = BigNum::new().unwrap();
        result.checked_sub(number, &one).unwrap();
        result
    };
    let (p_less_1, q_less_1) = (less_1(p), less_1(q));

    let mut bound = BigNum::new().unwrap();
    bound.set_bit(bits - 1).unwrap();
    for (prime, less_1) in [(p, &p_less_1), (q, &q_less_1)] {
        assert_eq!(prime.num_bits(), bits / 2);
        assert!(prime.is_prime(64, &mut context).unwrap(), "prime by libcrypto");
        let mut square = BigNum::new().unwrap();
        square.sqr(prime, &mut context).unwrap();
        assert!(square > bound, "at least sqrt(2) 2^(nlen/2 - 1)");
        let mut divisor = BigNum::new().unwrap();
        divisor.gcd(less_1, e, &mut context).unwrap();
        assert_eq!(divisor, one, "coprime to e");
        assert_eq!(prime.mod_word(4).unwrap(), 3);
    }

    let (mut distance, mut least) = (BigNum::new().unwrap(), BigNum::new().unwrap());
    distance.checked_sub(p, q).unwrap();
    assert!(!distance.is_negative(), "the larger prime first");
    least.set_bit(bits / 2 - 100).unwrap();
    assert!(distance > least, "|p - q| > 2^(nlen/2 - 100)");

    let mut product = BigNum::new().unwrap();
    product.checked_mul(p, q, &mut context).unwrap();
    assert_eq!(product, n.to_owned().unwrap());

    let (mut totient, mut divisor, mut multiple) =
        (BigNum::new().unwrap(), BigNum::new().unwrap(), BigNum::new().unwrap());
    totient.checked_mul(&p_less_1, &q_less_1, &mut context).unwrap();
    divisor.gcd(&p_less_1, &q_less_1, &mut context).unwrap();
    multiple.checked_div(&totient, &divisor, &mut context).unwrap();
    let mut inverse = BigNum::new().unwrap();
    inverse.mod_inverse(e, &multiple, &mut context).unwrap();
    assert_eq!(inverse, d.to_owned().unwrap(), "d = e^-1 mod lcm(p - 1, q - 1)");
    let mut half = BigNum::new().unwrap();
    half.set_bit(bits / 2).unwrap();
    assert!(inverse > half, "d > 2^(nlen/2)");

    for (less_1, part) in [(&p_less_1, rsa.dmp1().unwrap()), (&q_less_1, rsa.dmq1().unwrap())] {
        let mut residue = BigNum::new().unwrap();
        residue.nnmod(d, less_1, &mut context).unwrap();
        assert_eq!(residue, part.to_owned().unwrap());
    }
    inverse.mod_inverse(q, p, &mut context).unwrap();
    assert_eq!(inverse, rsa.iqmp().unwrap().to_owned().unwrap());

    let pair = PKey::from_rsa(rsa.clone()).unwrap();
    let mut signer = Signer::new(MessageDigest::sha256(), &pair).unwrap();
    let signature = signer.sign_oneshot_to_vec(b"garner").unwrap();
    let mut verifier = Verifier::new(MessageDigest::sha256(), &pair).unwrap();
    assert!(verifier.verify_oneshot(&signature, b"garner").unwrap());
}
