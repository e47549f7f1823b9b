//! RSA keys: parsed once, validated, secrets zeroised on drop.

mod blinding;

pub(crate) use blinding::BlindingPair;

use crate::arithmetic::Modulus;
use crate::secret::SecretWords;
use blinding::BlindingPool;
use std::sync::Arc;

/// An RSA public key.
#[derive(Debug)]
pub struct PublicKey {
    modulus: Modulus,
    exponent: Vec<u64>,
}

/// An RSA private key in CRT form; `p > q`.
///
/// All parts are validated on construction; `Debug` shows the public size only.
pub struct PrivateKey {
    public: Arc<PublicKey>,
    p: Modulus,
    q: Modulus,
    dp: SecretWords,
    dq: SecretWords,
    q_inverse: SecretWords,
    blinding: BlindingPool,
}

impl PublicKey {
    /// The modulus n.
    pub fn modulus(&self) -> &Modulus {
        &self.modulus
    }

    /// The public exponent e, little-endian words without leading zeros.
    pub fn exponent(&self) -> &[u64] {
        &self.exponent
    }

    /// Modulus length in bits.
    pub fn bits(&self) -> usize {
        self.modulus.bits()
    }

    /// Modulus length in bytes: the length of every input and output.
    pub fn size(&self) -> usize {
        self.modulus.bits().div_ceil(8)
    }
}

impl PrivateKey {
    /// The public half.
    pub fn public(&self) -> &Arc<PublicKey> {
        &self.public
    }

    /// The larger prime.
    pub(crate) fn p(&self) -> &Modulus {
        &self.p
    }

    /// The smaller prime.
    pub(crate) fn q(&self) -> &Modulus {
        &self.q
    }

    /// d mod (p - 1), as many words as p.
    pub(crate) fn dp(&self) -> &[u64] {
        &self.dp
    }

    /// d mod (q - 1), as many words as q.
    pub(crate) fn dq(&self) -> &[u64] {
        &self.dq
    }

    /// q^-1 mod p, as many words as p.
    pub(crate) fn q_inverse(&self) -> &[u64] {
        &self.q_inverse
    }

    /// The blinding pairs waiting for this key's next operations.
    pub(crate) fn blinding(&self) -> &BlindingPool {
        &self.blinding
    }
}

impl std::fmt::Debug for PrivateKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "PrivateKey({} bits)", self.public.bits())
    }
}
