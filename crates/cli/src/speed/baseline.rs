// SPDX-License-Identifier: Apache-2.0
//! The system's libcrypto as the yardstick, in this process, and as the judge of Garner's signatures.
//!
//! Callers each have their own copy of the key, as in `openssl speed`, so that none waits for another's lock; keys are
//! precomputed and blinding is on, which is libcrypto's default.

use super::arguments::Shape;
use super::keys::{Keys, PowerCase, Powers, Signed, digest, message};
use super::measure::{Side, Threads};
use super::round::Worker;
use crate::failure::{Failure, Of};
use crate::machine::short_version;
use openssl::bn::{BigNum, BigNumContext};
use openssl::error::ErrorStack;
use openssl::md::Md;
use openssl::pkey::{HasPublic, PKey, PKeyRef, Private, Public};
use openssl::pkey_ctx::PkeyCtx;
use openssl::rsa::{Padding, Rsa};
use std::sync::Arc;

/// The library's name and version.
fn name() -> String {
    short_version(openssl::version::version())
}

/// Verifies Garner's signatures.
pub struct Verifier(PKey<Public>);

impl Verifier {
    /// With the public half of `keys`.
    pub fn new(keys: &Keys) -> Result<Verifier, Failure> {
        let der = keys.openssl()?.public_key_to_der().of("OpenSSL")?;
        Ok(Verifier(PKey::public_key_from_der(&der).of("OpenSSL")?))
    }

    /// The first message whose signature is wrong.
    pub fn refused<'a>(&self, signed: &'a [(String, impl AsRef<[u8]>)]) -> Result<Option<&'a str>, Failure> {
        let mut context = verify_context(&self.0).of("OpenSSL")?;
        // A signature that is no number below the modulus is an error to libcrypto, and as wrong.
        let refused = |(message, signature): &&(String, _)| {
            !context.verify(&digest(message), AsRef::<[u8]>::as_ref(signature)).unwrap_or(false)
        };
        Ok(signed.iter().find(refused).map(|(message, _)| message.as_str()))
    }
}

fn verify_context<T: HasPublic>(key: &PKeyRef<T>) -> Result<PkeyCtx<T>, ErrorStack> {
    let mut context = PkeyCtx::new(key)?;
    context.verify_init()?;
    context.set_rsa_padding(Padding::PKCS1)?;
    context.set_signature_md(Md::sha256())?;
    Ok(context)
}

struct Signing {
    context: PkeyCtx<Private>,
    bits: u32,
    caller: usize,
    next: u64,
    signature: Vec<u8>,
}

impl Worker for Signing {
    fn turn(&mut self) -> Result<u64, String> {
        let digest = digest(&message(self.bits, self.caller, self.next));
        self.next += 1;
        self.context.sign(&digest, Some(&mut self.signature)).map_err(|error| error.to_string())?;
        Ok(1)
    }
}

/// Callers that sign.
pub fn signing(keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let worker = |caller| -> Result<Signing, Failure> {
        let key = keys.openssl()?;
        let context = || -> Result<PkeyCtx<Private>, ErrorStack> {
            let mut context = PkeyCtx::new(&key)?;
            context.sign_init()?;
            context.set_rsa_padding(Padding::PKCS1)?;
            context.set_signature_md(Md::sha256())?;
            Ok(context)
        };
        let signature = vec![0; key.size()];
        Ok(Signing { context: context().of("OpenSSL")?, bits: keys.bits(), caller, next: 0, signature })
    };
    threads((0..shape.callers).map(worker).collect::<Result<_, _>>()?)
}

struct Verifying {
    context: PkeyCtx<Private>,
    signatures: Arc<Vec<Signed>>,
    next: usize,
}

impl Worker for Verifying {
    fn turn(&mut self) -> Result<u64, String> {
        let signed = &self.signatures[self.next % self.signatures.len()];
        self.next += 1;
        match self.context.verify(&digest(&signed.message), &signed.signature) {
            Ok(true) => Ok(1),
            Ok(false) => Err("refuses its own signature".into()),
            Err(error) => Err(error.to_string()),
        }
    }
}

/// Callers that verify.
pub fn verifying(keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let signatures = Arc::new(keys.signatures()?);
    let worker = |caller| -> Result<Verifying, Failure> {
        let key = keys.openssl()?;
        let context = verify_context(&key).of("OpenSSL")?;
        Ok(Verifying { context, signatures: Arc::clone(&signatures), next: caller })
    };
    threads((0..shape.callers).map(worker).collect::<Result<_, _>>()?)
}

struct Recovering {
    key: Rsa<Private>,
    signatures: Arc<Vec<Signed>>,
    next: usize,
    recovered: Vec<u8>,
}

impl Worker for Recovering {
    fn turn(&mut self) -> Result<u64, String> {
        let signed = &self.signatures[self.next % self.signatures.len()];
        self.next += 1;
        let recovered = self.key.public_encrypt(&signed.signature, &mut self.recovered, Padding::NONE);
        recovered.map(|_| 1).map_err(|error| error.to_string())
    }
}

/// Callers that do public operations.
pub fn public(keys: &Keys, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let signatures = Arc::new(keys.signatures()?);
    let worker = |caller| -> Result<Recovering, Failure> {
        let key = keys.openssl()?.rsa().of("OpenSSL")?;
        let recovered = vec![0; key.size() as usize];
        Ok(Recovering { key, signatures: Arc::clone(&signatures), next: caller, recovered })
    };
    threads((0..shape.callers).map(worker).collect::<Result<_, _>>()?)
}

/// `BN_mod_exp` over an exponent marked secret: libcrypto's constant-time path.
struct Exponentiating {
    modulus: BigNum,
    /// Bases and exponents.
    powers: Vec<(BigNum, BigNum)>,
    context: BigNumContext,
    result: BigNum,
    next: usize,
}

impl Worker for Exponentiating {
    fn turn(&mut self) -> Result<u64, String> {
        let (base, exponent) = &self.powers[self.next % self.powers.len()];
        self.next += 1;
        self.result.mod_exp(base, exponent, &self.modulus, &mut self.context).map_err(|error| error.to_string())?;
        Ok(1)
    }
}

/// Callers that raise numbers to powers.
pub fn exponentiation(powers: &Powers, shape: Shape) -> Result<Box<dyn Side>, Failure> {
    let worker = |caller| -> Result<Exponentiating, Failure> {
        let numbers = || -> Result<Vec<(BigNum, BigNum)>, ErrorStack> {
            let pair = |case: &PowerCase| {
                let mut exponent = BigNum::from_slice(&case.exponent)?;
                exponent.set_const_time();
                Ok((BigNum::from_slice(&case.base)?, exponent))
            };
            powers.powers.iter().map(pair).collect()
        };
        Ok(Exponentiating {
            modulus: powers.openssl()?,
            powers: numbers().of("OpenSSL")?,
            context: BigNumContext::new().of("OpenSSL")?,
            result: BigNum::new().of("OpenSSL")?,
            next: caller,
        })
    };
    threads((0..shape.callers).map(worker).collect::<Result<_, _>>()?)
}

/// These workers as a side of their own.
pub fn threads<W: Worker + 'static>(workers: Vec<W>) -> Result<Box<dyn Side>, Failure> {
    Ok(Box::new(Threads { name: name(), workers, check: |_| Ok(0) }))
}
