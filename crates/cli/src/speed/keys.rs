// SPDX-License-Identifier: Apache-2.0
//! What the measured systems work on: a key, messages, signatures and numbers, all made anew by libcrypto.

use crate::failure::{Failure, Of};
use garner::arithmetic::Modulus;
use garner::key::PrivateKey;
use garner::words;
use openssl::bn::{BigNum, BigNumContext, MsbOption};
use openssl::error::ErrorStack;
use openssl::hash::MessageDigest;
use openssl::pkey::{PKey, Private};
use openssl::rsa::Rsa;
use openssl::sha::Sha256;
use openssl::sign::Signer;
use std::sync::Arc;

/// Signatures to verify, and exponentiations to do, again and again.
const PREPARED: usize = 64;

/// One RSA key, as Garner and as libcrypto have it.
pub struct Keys {
    bits: u32,
    der: Vec<u8>,
    garner: Arc<PrivateKey>,
    openssl: PKey<Private>,
}

impl Keys {
    /// A new key by libcrypto's generator.
    pub fn generate(bits: u32) -> Result<Keys, Failure> {
        let subject = format!("RSA-{bits}");
        let rsa = Rsa::generate(bits).of(&subject)?;
        let der = rsa.private_key_to_der().of(&subject)?;
        let garner = PrivateKey::from_der(&der).of(&subject)?;
        Ok(Keys { bits, der, garner: Arc::new(garner), openssl: PKey::from_rsa(rsa).of(&subject)? })
    }

    /// Modulus length in bits.
    pub fn bits(&self) -> u32 {
        self.bits
    }

    /// The private key in PKCS#1 DER.
    pub fn der(&self) -> &[u8] {
        &self.der
    }

    /// The key for Garner.
    pub fn garner(&self) -> &Arc<PrivateKey> {
        &self.garner
    }

    /// A copy of its own of the key for libcrypto.
    pub fn openssl(&self) -> Result<PKey<Private>, Failure> {
        PKey::private_key_from_der(&self.der).of("OpenSSL")
    }

    /// Messages with their signatures, by libcrypto.
    pub fn signatures(&self) -> Result<Vec<Signed>, Failure> {
        let signed = |count| -> Result<Signed, ErrorStack> {
            let message = message(self.bits, usize::MAX, count);
            let mut signer = Signer::new(MessageDigest::sha256(), &self.openssl)?;
            let signature = signer.sign_oneshot_to_vec(message.as_bytes())?;
            Ok(Signed { message, signature })
        };
        (0..PREPARED as u64).map(signed).collect::<Result<_, _>>().of("OpenSSL")
    }

    /// Random exponentiations modulo a random odd number, with the answers by libcrypto.
    pub fn powers(&self) -> Result<Powers, Failure> {
        Powers::random(self.bits).of("OpenSSL")
    }
}

/// A message and its signature.
#[derive(Clone)]
pub struct Signed {
    pub message: String,
    pub signature: Vec<u8>,
}

/// Exponentiations with one modulus and exponents as long.
pub struct Powers {
    modulus: BigNum,
    pub powers: Vec<PowerCase>,
}

/// `base ^ exponent = result`, as many bytes each as the modulus.
pub struct PowerCase {
    pub base: Vec<u8>,
    pub exponent: Vec<u8>,
    pub result: Vec<u8>,
}

impl Powers {
    fn random(bits: u32) -> Result<Powers, ErrorStack> {
        let mut modulus = BigNum::new()?;
        modulus.rand(bits as i32, MsbOption::ONE, true)?;
        let size = bits.div_ceil(8) as i32;
        let mut context = BigNumContext::new()?;
        let powers = (0..PREPARED).map(|_| {
            let (mut base, mut exponent, mut result) = (BigNum::new()?, BigNum::new()?, BigNum::new()?);
            modulus.rand_range(&mut base)?;
            exponent.rand(bits as i32, MsbOption::ONE, false)?;
            exponent.set_const_time();
            result.mod_exp(&base, &exponent, &modulus, &mut context)?;
            Ok(PowerCase {
                base: base.to_vec_padded(size)?,
                exponent: exponent.to_vec_padded(size)?,
                result: result.to_vec_padded(size)?,
            })
        });
        let powers = powers.collect::<Result<_, ErrorStack>>()?;
        Ok(Powers { modulus, powers })
    }

    /// The modulus for Garner.
    pub fn garner(&self) -> Result<Arc<Modulus>, Failure> {
        let bytes = self.modulus.to_vec();
        let mut number = vec![0; bytes.len().div_ceil(8)];
        words::from_be_bytes(&bytes, &mut number).expect("as many words as bytes need");
        Ok(Arc::new(Modulus::new(&number).of("modulus")?))
    }

    /// The modulus for libcrypto.
    pub fn openssl(&self) -> Result<BigNum, Failure> {
        self.modulus.to_owned().of("OpenSSL")
    }
}

/// The text that `caller` signs as its `count`th: no two are alike.
pub fn message(bits: u32, caller: usize, count: u64) -> String {
    format!("garner speed: RSA-{bits}, caller {caller}, message {count}")
}

/// Its digest, computed alike for every system measured in this process.
pub fn digest(message: &str) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(message.as_bytes());
    hash.finish()
}
