// SPDX-License-Identifier: Apache-2.0
//! What the key tests share: keys made from primes of any shape, and DER written independently of the library.

#![allow(dead_code)] // Each test file uses its part.

use garner::Error;
use garner::key::{Components, PrivateKey};
use openssl::bn::{BigNum, BigNumContext, BigNumRef};
use openssl::rsa::Rsa;
use std::io::Write;
use std::process::{Command, Stdio};

/// Numbers of a private key, right or wrong.
pub struct Parts {
    pub n: BigNum,
    pub e: BigNum,
    pub d: BigNum,
    pub p: BigNum,
    pub q: BigNum,
    pub dp: BigNum,
    pub dq: BigNum,
    pub q_inverse: BigNum,
}

pub fn number(value: u32) -> BigNum {
    BigNum::from_u32(value).unwrap()
}

pub fn sub(a: &BigNumRef, b: u32) -> BigNum {
    a - &number(b)
}

/// A prime of exactly `bits` bits, its two highest set, with `prime - 1` coprime to `e`.
pub fn prime(bits: i32, e: &BigNumRef) -> BigNum {
    let mut context = BigNumContext::new().unwrap();
    loop {
        let (mut prime, mut gcd) = (BigNum::new().unwrap(), BigNum::new().unwrap());
        prime.generate_prime(bits, false, None, None).unwrap();
        gcd.gcd(&sub(&prime, 1), e, &mut context).unwrap();
        if gcd == number(1) {
            return prime;
        }
    }
}

pub fn inverse(a: &BigNumRef, modulus: &BigNumRef) -> BigNum {
    let mut result = BigNum::new().unwrap();
    result.mod_inverse(a, modulus, &mut BigNumContext::new().unwrap()).unwrap();
    result
}

pub fn lcm(a: &BigNumRef, b: &BigNumRef) -> BigNum {
    let mut gcd = BigNum::new().unwrap();
    gcd.gcd(a, b, &mut BigNumContext::new().unwrap()).unwrap();
    &(a * b) / &gcd
}

impl Parts {
    /// The key of two "primes"; d is reduced modulo (p - 1)(q - 1) as OpenSSL's old keys are.
    pub fn new(p: BigNum, q: BigNum, e: BigNum) -> Parts {
        let (p1, q1) = (sub(&p, 1), sub(&q, 1));
        let d = inverse(&e, &(&p1 * &q1));
        let (dp, dq) = (&d % &p1, &d % &q1);
        Parts { n: &p * &q, e, d, dp, dq, q_inverse: inverse(&q, &p), p, q }
    }

    pub fn generate(p_bits: i32, q_bits: i32, e: BigNum) -> Parts {
        Parts::new(prime(p_bits, &e), prime(q_bits, &e), e)
    }

    /// With the primes the other way round, all parts following.
    pub fn swapped(&self) -> Parts {
        Parts::new(self.q.to_owned().unwrap(), self.p.to_owned().unwrap(), self.e.to_owned().unwrap())
    }

    pub fn of(rsa: &Rsa<openssl::pkey::Private>) -> Parts {
        let own = |number: Option<&BigNumRef>| number.unwrap().to_owned().unwrap();
        Parts {
            n: own(Some(rsa.n())),
            e: own(Some(rsa.e())),
            d: own(Some(rsa.d())),
            p: own(rsa.p()),
            q: own(rsa.q()),
            dp: own(rsa.dmp1()),
            dq: own(rsa.dmq1()),
            q_inverse: own(rsa.iqmp()),
        }
    }

    /// In PKCS#1's order.
    pub fn numbers(&self) -> [&BigNum; 8] {
        [&self.n, &self.e, &self.d, &self.p, &self.q, &self.dp, &self.dq, &self.q_inverse]
    }

    pub fn bytes(&self) -> [Vec<u8>; 8] {
        self.numbers().map(|number| number.to_vec())
    }

    pub fn read(&self) -> Result<PrivateKey, Error> {
        from_bytes(&self.bytes())
    }

    pub fn pkcs1(&self) -> Vec<u8> {
        let mut content = integer(&[0]);
        self.bytes().iter().for_each(|bytes| content.extend(unsigned(bytes)));
        tlv(0x30, &content)
    }
}

pub fn from_bytes(bytes: &[Vec<u8>; 8]) -> Result<PrivateKey, Error> {
    let [modulus, public_exponent, private_exponent, prime1, prime2, exponent1, exponent2, coefficient] = bytes;
    PrivateKey::from_components(&Components {
        modulus,
        public_exponent,
        private_exponent,
        prime1,
        prime2,
        exponent1,
        exponent2,
        coefficient,
    })
}

/// Any DER value.
pub fn tlv(tag: u8, content: &[u8]) -> Vec<u8> {
    let mut der = vec![tag];
    match content.len() {
        len @ 0..128 => der.push(len as u8),
        len => {
            let bytes = len.to_be_bytes();
            let start = bytes.iter().position(|&byte| byte != 0).unwrap();
            der.push(0x80 | (bytes.len() - start) as u8);
            der.extend(&bytes[start..]);
        }
    }
    der.extend(content);
    der
}

/// An INTEGER with exactly these content bytes.
pub fn integer(content: &[u8]) -> Vec<u8> {
    tlv(2, content)
}

/// A non-negative INTEGER.
pub fn unsigned(bytes: &[u8]) -> Vec<u8> {
    match bytes.first() {
        None => integer(&[0]),
        Some(first) if first & 0x80 != 0 => integer(&[&[0], bytes].concat()),
        Some(_) => integer(bytes),
    }
}

/// `PrivateKeyInfo` around a PKCS#1 key.
pub fn pkcs8(pkcs1: &[u8]) -> Vec<u8> {
    let rsa = [6, 9, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 1, 5, 0];
    tlv(0x30, &[integer(&[0]), tlv(0x30, &rsa), tlv(4, pkcs1)].concat())
}

/// Runs `openssl` with `arguments`, `input` on its standard input; its standard output.
pub fn openssl(arguments: &str, input: &[u8]) -> Vec<u8> {
    let mut child = Command::new("openssl")
        .args(arguments.split_whitespace())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the openssl command");
    child.stdin.take().unwrap().write_all(input).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "openssl {arguments}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}

/// That `text` holds no eight consecutive digits, decimal or hexadecimal, of any number of the key.
pub fn assert_free_of_secrets(text: &str, parts: &Parts) {
    let text = text.to_uppercase();
    for number in parts.numbers() {
        for digits in [number.to_dec_str().unwrap().to_string(), number.to_hex_str().unwrap().to_string()] {
            for window in digits.as_bytes().windows(8) {
                let window = std::str::from_utf8(window).unwrap();
                assert!(!text.contains(window), "{text:?} contains key material");
            }
        }
    }
}

/// The refusal of a key: field and whole text.
pub fn refusal(result: Result<PrivateKey, Error>) -> (&'static str, String) {
    match result {
        Err(error @ Error::Key { field, .. }) => (field, error.to_string()),
        other => panic!("{other:?} where the key should have been refused by field"),
    }
}
