// SPDX-License-Identifier: Apache-2.0
//! What a caller asks for: one modular exponentiation in one of three roles, operands held as words.

use crate::arithmetic::Modulus;
use crate::error::{Error, Result};
use crate::key::{PrivateKey, PublicKey};
use crate::secret::{Wiped, released};
use crate::words::{self, words_for};
use std::fmt;
use std::sync::Arc;

/// An answer: the result as big-endian bytes, as many as the modulus has. Zeroised on drop.
pub type Output = Wiped<u8>;

/// Little-endian words of a secret.
pub(crate) type Words = Wiped<u64>;

/// Longest exponent of [`Operation::exponentiation`], in bytes.
const MAX_EXPONENT: usize = Modulus::MAX_BITS / 8;

/// One operation, ready to be run by a [`Gatherer`](super::Gatherer).
pub struct Operation {
    pub(crate) work: Work,
    /// Below the modulus, as many words as the modulus.
    pub(crate) input: Words,
}

/// What is done to the input.
pub(crate) enum Work {
    /// `input^d mod n`, blinded and checked.
    Private(Arc<PrivateKey>),
    /// `input^e mod n`.
    Public(Arc<PublicKey>),
    /// `input^exponent mod modulus`; nothing can check it.
    Exponentiation { modulus: Arc<Modulus>, exponent: Words },
}

impl Operation {
    /// Whether a wrong result is the fault of who computed it. Not with a private key whose primes are composite.
    pub(crate) fn proves_faults(&self) -> bool {
        match &self.work {
            Work::Private(key) => key.has_primes(),
            Work::Public(_) | Work::Exponentiation { .. } => true,
        }
    }

    /// The private operation `input^d mod n`: blinded, split by the CRT, checked by `s^e = m` before it is released.
    ///
    /// `input` is big-endian, of any length, its value below n.
    ///
    /// # Errors
    /// [`Error::Argument`] when `input` is not below the modulus.
    pub fn private(key: &Arc<PrivateKey>, input: &[u8]) -> Result<Operation> {
        let input = below("input", key.public().modulus(), input)?;
        Ok(Operation { work: Work::Private(Arc::clone(key)), input })
    }

    /// The public operation `input^e mod n`.
    ///
    /// `input` is big-endian, of any length, its value below n.
    ///
    /// # Errors
    /// [`Error::Argument`] when `input` is not below the modulus.
    pub fn public(key: &Arc<PublicKey>, input: &[u8]) -> Result<Operation> {
        let input = below("input", key.modulus(), input)?;
        Ok(Operation { work: Work::Public(Arc::clone(key)), input })
    }

    /// The exponentiation `base^exponent mod modulus` with a secret exponent.
    ///
    /// `base` and `exponent` are big-endian; `base` is below the modulus, `exponent` 1 to 1,024 bytes long. The time
    /// depends on the exponent's length, never on its value. Without a public exponent nothing can check the result
    /// but that it is below the modulus: whoever needs more compares two.
    ///
    /// # Errors
    /// [`Error::Argument`] when `base` is not below the modulus, or `exponent` is empty or too long.
    pub fn exponentiation(modulus: &Arc<Modulus>, base: &[u8], exponent: &[u8]) -> Result<Operation> {
        if exponent.is_empty() || exponent.len() > MAX_EXPONENT {
            let reason = format!("has {} bytes, not 1 to {MAX_EXPONENT}", exponent.len());
            return Err(Error::argument("exponent", reason));
        }
        let input = below("base", modulus, base)?;
        let mut power = Wiped::from(vec![0; exponent.len().div_ceil(8)]);
        words::from_be_bytes(exponent, &mut power).expect("as many words as bytes need");
        Ok(Operation { work: Work::Exponentiation { modulus: Arc::clone(modulus), exponent: power }, input })
    }

    /// The modulus of the result.
    pub(crate) fn modulus(&self) -> &Modulus {
        match &self.work {
            Work::Private(key) => key.public().modulus(),
            Work::Public(key) => key.modulus(),
            Work::Exponentiation { modulus, .. } => modulus,
        }
    }

    /// Words of the result: as many as the modulus has.
    pub(crate) fn output_words(&self) -> usize {
        words_for(self.modulus().bits())
    }

    /// The result as the caller gets it.
    pub(crate) fn to_bytes(&self, output: &[u64]) -> Output {
        let mut bytes = Wiped::from(vec![0; self.modulus().bits().div_ceil(8)]);
        words::to_be_bytes(output, &mut bytes);
        bytes
    }
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let role = match &self.work {
            Work::Private(_) => "private",
            Work::Public(_) => "public",
            Work::Exponentiation { .. } => "exponentiation",
        };
        write!(f, "Operation({role}, {} bits)", self.modulus().bits())
    }
}

/// `bytes` as words of `modulus`'s length, refused unless below it. Only the refusal tells anything of the value.
fn below(name: &'static str, modulus: &Modulus, bytes: &[u8]) -> Result<Words> {
    let mut number = Wiped::from(vec![0; words_for(modulus.bits())]);
    let fits = words::low_from_be_bytes(bytes, &mut number);
    if !released(fits & words::less(&number, modulus.words())) {
        return Err(Error::argument(name, "is not below the modulus"));
    }
    Ok(number)
}
