// SPDX-License-Identifier: Apache-2.0
//! The options of `garner keygen`, and what they may be.

use crate::failure::Failure;
use crate::options::password::Password;
use clap::{Args, ValueEnum};
use garner::arithmetic::Arithmetic;
use garner::key::{Cipher, Encryption};
use garner::keygen::{Generator, Options};
use openssl::bn::BigNum;
use std::path::PathBuf;

const EXAMPLES: &str = "\
Examples:
  garner keygen --out key.pem                                        RSA-2048, PKCS#8, readable by its owner only
  garner keygen --bits 3072 --out key.pem --public-out public.pem
  garner keygen --bits 4096 --out key.pem --cipher aes-256-cbc       encrypted; asks for a password
  garner keygen --count 1000 --out keys/ --public-out keys/          keys/key-0001.pem, keys/key-0001.pub.pem, ...
  garner keygen --count 10 --out 'tenant-{}.pem' --format pkcs1      tenant-01.pem, ...

Keys are generated after FIPS 186-5 (A.1.3, random probable primes), many at once: a thousand cost far less than a
thousand times one. Each has made and verified a trial signature before it is written.

A folder whose name ends in / is made if it is not there, for its owner only. Numbers have as many digits as those of
the files that are there, else as many as the last.

The same command with --resume goes on after an interruption, also with another --count: keys that are there are kept,
and a public key that is not is written from its private one. Each key that is there must be one that this command would
have made: whole, of this length, exponent, form and encryption, closed to others, and with its own public key; if one is
not, it is named, and nothing is made. A public key whose private one is not there is refused, for that may be
elsewhere.";

/// Options of `garner keygen`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Length of the modulus in bits: a multiple of 128 from 2048 to 8192
    #[arg(long, default_value_t = 2048)]
    pub bits: usize,

    /// Public exponent, decimal or 0x hexadecimal: odd, from 65537, below 2^256
    #[arg(long, value_name = "E", default_value = "65537", value_parser = exponent)]
    exponent: Exponent,

    /// Also allow what FIPS 186-5 forbids: lengths from 512 bits, exponents from 3. For tests
    #[arg(long)]
    below_fips: bool,

    /// How many keys
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pub count: usize,

    /// File of the private key; of several, a folder (keys/) or a pattern in which {} is the number
    /// [default: standard output]
    #[arg(long, short, value_name = "FILE")]
    pub out: Option<PathBuf>,

    /// Also write the public key (SubjectPublicKeyInfo, PEM) to this file, folder or pattern
    #[arg(long, value_name = "FILE")]
    pub public_out: Option<PathBuf>,

    /// Structure of the private key
    #[arg(long, value_enum, default_value = "pkcs8")]
    pub format: Format,

    /// Write DER instead of PEM
    #[arg(long)]
    pub der: bool,

    /// Encrypt the private key (PKCS#8, PBES2 with PBKDF2 and HMAC-SHA-256)
    #[arg(long, value_enum, value_name = "CIPHER")]
    cipher: Option<CipherName>,

    /// Iterations of PBKDF2
    #[arg(long, value_name = "N", default_value_t = Encryption::ITERATIONS, requires = "cipher",
          value_parser = clap::value_parser!(u32).range(1..=10_000_000))]
    iterations: u32,

    #[command(flatten)]
    pub password: Password,

    /// Overwrite existing files
    #[arg(long)]
    pub force: bool,

    /// Keep the keys that are there, and make those that are missing
    #[arg(long, requires = "out", conflicts_with = "force")]
    pub resume: bool,

    /// Print what it came to as JSON
    #[arg(long, requires = "out")]
    pub json: bool,
}

/// A public exponent, big-endian.
#[derive(Debug, Clone)]
struct Exponent(Vec<u8>);

/// The structure of a private key file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// PrivateKeyInfo (RFC 5208), what openssl genpkey writes
    Pkcs8,
    /// RSAPrivateKey (RFC 8017), what openssl genrsa -traditional writes
    Pkcs1,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum CipherName {
    #[value(name = "aes-128-cbc")]
    Aes128,
    #[value(name = "aes-192-cbc")]
    Aes192,
    #[value(name = "aes-256-cbc")]
    Aes256,
}

impl Arguments {
    /// What is asked of the keys.
    pub fn options(&self) -> Options {
        Options { exponent: self.exponent.0.clone(), below_fips: self.below_fips }
    }

    /// Refuses what no key can have.
    pub fn check(&self, arithmetic: &dyn Arithmetic) -> Result<(), Failure> {
        let possible = |options: &Options| Generator::new(arithmetic, self.bits, 1, options).map(drop);
        let options = self.options();
        possible(&options).map_err(|error| {
            let failure = Failure::Usage(format!("--{error}"));
            match possible(&Options { below_fips: true, ..options }) {
                Ok(()) => failure.and("--below-fips allows it, for tests"),
                Err(_) => failure,
            }
        })
    }

    /// How the private keys are encrypted, if they are.
    pub fn encryption(&self) -> Option<Encryption> {
        let cipher = match self.cipher? {
            CipherName::Aes128 => Cipher::Aes128Cbc,
            CipherName::Aes192 => Cipher::Aes192Cbc,
            CipherName::Aes256 => Cipher::Aes256Cbc,
        };
        Some(Encryption { cipher, iterations: self.iterations })
    }

    /// The end of a private key's file name.
    pub fn extension(&self) -> &'static str {
        if self.der { "der" } else { "pem" }
    }
}

fn exponent(text: &str) -> Result<Exponent, String> {
    // libcrypto reads as many digits as there are and passes over the rest.
    let number = match text.strip_prefix("0x") {
        Some(digits) if digits.bytes().all(|c| c.is_ascii_hexdigit()) => BigNum::from_hex_str(digits).ok(),
        None if text.bytes().all(|c| c.is_ascii_digit()) => BigNum::from_dec_str(text).ok(),
        _ => None,
    };
    number.map(|number| Exponent(number.to_vec())).ok_or_else(|| "not a number".into())
}

fn count(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(count @ 1..=10_000_000) => Ok(count),
        _ => Err("from 1 to 10000000 keys".into()),
    }
}
