// SPDX-License-Identifier: Apache-2.0
//! MGF1, the mask generation function of PSS and OAEP (RFC 8017 appendix B.2.1): the digests of a seed with a counter.

use super::Hash;
use crate::digest::Seeded;
use crate::error::{Error, Result};
use openssl::error::ErrorStack;

/// Exclusive-ors a mask onto data.
///
/// Shapes   seed: any length; data: any length up to 2^32 digests, the mask as long.
/// Cost     one digest for each `hash.digest_len()` bytes of data; time and addresses depend on lengths only. The mask
/// is cleared.
/// Source   RFC 8017 B.2.1.
///
/// # Errors
/// [`Error::Argument`] when libcrypto cannot compute the hash (by how it was built or configured); [`Error::Memory`].
pub fn mask(hash: Hash, seed: &[u8], data: &mut [u8]) -> Result<()> {
    let digest = hash.message_digest()?;
    let refused = |errors: ErrorStack| Error::refused(&errors, hash.name());
    let mut seeded = Seeded::new(digest, seed).map_err(refused)?;
    for (counter, block) in (0u32..).zip(data.chunks_mut(hash.digest_len())) {
        let mask = seeded.digest(&counter.to_be_bytes()).map_err(refused)?;
        for (byte, mask) in block.iter_mut().zip(mask.iter()) {
            *byte ^= mask;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_digests_of_seed_and_counter_cut_to_length() {
        for hash in Hash::ALL {
            for length in [0, 1, hash.digest_len(), hash.digest_len() + 1, 1000] {
                let mut data = vec![0x33; length];
                mask(hash, b"seed", &mut data).unwrap();
                let digests =
                    (0u8..50).flat_map(|i| hash.digest(&[b"seed", &[0, 0, 0, i][..]].concat()).unwrap().to_vec());
                let expected: Vec<u8> = digests.take(length).map(|byte| byte ^ 0x33).collect();
                assert_eq!(data, expected, "{}", hash.name());
            }
        }
    }
}
