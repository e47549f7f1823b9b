// SPDX-License-Identifier: Apache-2.0
//! What is asked of the daemon and what it answers. A message is a packet of a `SOCK_SEQPACKET` socket: the version in its first
//! byte, then a [`Request`] or a [`Response`] as postcard writes it.
//!
//! Requests carry all that is needed for them (key, operation, bytes), so that one may be sent again, to another daemon, too.
//! Several may be under way on a connection; answers come in any order and are told apart by `id`.

use crate::scheme::{EncryptionScheme, SignatureScheme};
use serde::{Deserialize, Serialize};
use std::fmt;
use zeroize::{Zeroize, Zeroizing};

/// The version of this protocol. A daemon refuses others by [`Refusal::Version`].
pub const VERSION: u8 = 1;

/// Longest message in bytes: a block of 1,024 bytes (8,192 bits) and a label of as many, with room around them.
pub const LONGEST: usize = 4096;

/// SHA-256 of a modulus, big-endian without leading zeros.
pub type Fingerprint = [u8; 32];

/// Which key is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum KeyName<'a> {
    /// The one with this modulus.
    Modulus(Fingerprint),
    /// The one that the daemon calls so.
    Named(&'a str),
}

/// What is to be done.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Work<'a> {
    /// Give the public key.
    Describe,
    /// Sign this digest.
    Sign {
        /// How.
        scheme: SignatureScheme,
        /// As long as the scheme's hash says.
        digest: &'a [u8],
    },
    /// Sign by PKCS#1 v1.5 without naming a hash, as TLS 1.1 did with MD5 and SHA-1 together.
    SignUnnamed {
        /// What the padding is put around.
        payload: &'a [u8],
    },
    /// Decrypt.
    Decrypt {
        /// How.
        #[serde(borrow)]
        scheme: EncryptionScheme<'a>,
        /// As long as the modulus.
        ciphertext: &'a [u8],
    },
    /// The private operation itself, input^d mod n. Refused unless the key's policy names it.
    Raw {
        /// Big-endian, below the modulus.
        input: &'a [u8],
    },
    /// Take this key, and use it for what comes on this connection until that ends. The packet has it with it, as
    /// [`sealed`](crate::sealed) writes it; the request's key is its modulus.
    Lend,
    /// Give names of keys that the client may use, one a line, in order: as many as there is room for of those after the request's
    /// key, which need not be one; nothing if there are no more.
    List,
}

/// A request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request<'a> {
    /// Chosen by the client; the answer carries it.
    pub id: u64,
    /// The key.
    #[serde(borrow)]
    pub key: KeyName<'a>,
    /// The work.
    #[serde(borrow)]
    pub work: Work<'a>,
}

/// Why there is no answer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Refusal {
    /// The message is none of this protocol.
    Malformed,
    /// The daemon speaks this version.
    Version(u8),
    /// There is no such key, or none that the client may know of.
    NoKey,
    /// The client may not do this with the key; what it would need.
    Forbidden(String),
    /// More requests a second than the client may send; or more connections than there may be.
    TooMany,
    /// An argument is out of its range.
    Argument {
        /// Its name.
        name: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The ciphertext does not decrypt.
    Verification,
    /// It could not be done: a device that fails, no memory, a daemon that is ending. Another try may succeed.
    Failed(String),
}

/// Lengths only: an input or a label may be a secret of the program's.
impl fmt::Debug for Work<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Work::Describe => formatter.write_str("Describe"),
            Work::Sign { scheme, digest } => write!(formatter, "Sign({scheme:?}, {} bytes)", digest.len()),
            Work::SignUnnamed { payload } => write!(formatter, "SignUnnamed({} bytes)", payload.len()),
            Work::Decrypt { scheme, ciphertext } => {
                write!(formatter, "Decrypt({}, {} bytes)", scheme.padding().name(), ciphertext.len())
            }
            Work::Raw { input } => write!(formatter, "Raw({} bytes)", input.len()),
            Work::Lend => formatter.write_str("Lend"),
            Work::List => formatter.write_str("List"),
        }
    }
}

/// An answer: the public key in DER, the signature, the message, the block, or nothing where a key was taken.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Response<'a> {
    /// That of the request; 0 where it could not be read.
    pub id: u64,
    /// The answer.
    #[serde(borrow)]
    pub answer: Result<&'a [u8], Refusal>,
}

/// Of an answer the length only: it may be a decrypted message.
impl fmt::Debug for Response<'_> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.answer {
            Ok(answer) => write!(formatter, "Response({}, {} bytes)", self.id, answer.len()),
            Err(refusal) => write!(formatter, "Response({}, {refusal:?})", self.id),
        }
    }
}

/// A message's bytes. May hold a decrypted message, and is wiped.
pub type Packet = Zeroizing<Vec<u8>>;

/// The packet of a request or response; `None` if it is longer than [`LONGEST`].
pub fn encode(message: &impl Serialize) -> Option<Packet> {
    // As long as it gets, and no longer: wiping costs time for each byte.
    let length = 1 + postcard::experimental::serialized_size(message).ok()?;
    if length > LONGEST {
        return None;
    }
    let mut packet = Zeroizing::new(vec![0; length]);
    packet[0] = VERSION;
    postcard::to_slice(message, &mut packet[1..]).ok()?;
    Some(packet)
}

/// Room for one packet. What was received is wiped in the end, and never shown.
pub struct Buffer {
    bytes: [u8; LONGEST],
    used: usize,
}

impl Buffer {
    /// All of the room, for the system to write to.
    pub(crate) fn room(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    /// So many bytes of it were written.
    pub(crate) fn written(&mut self, length: usize) {
        self.used = self.used.max(length);
    }

    /// The packet of this length.
    pub fn packet(&self, length: usize) -> &[u8] {
        &self.bytes[..length]
    }
}

impl Default for Buffer {
    fn default() -> Buffer {
        Buffer { bytes: [0; LONGEST], used: 0 }
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Buffer").field("used", &self.used).finish_non_exhaustive()
    }
}

impl Drop for Buffer {
    fn drop(&mut self) {
        self.bytes[..self.used].zeroize();
    }
}

/// The request or response of a packet.
///
/// # Errors
/// [`Refusal::Version`] for another version, [`Refusal::Malformed`] for what is no such message, or more than it.
pub fn decode<'a, T: Deserialize<'a>>(packet: &'a [u8]) -> Result<T, Refusal> {
    match packet.split_first() {
        Some((&VERSION, rest)) => match postcard::take_from_bytes(rest) {
            Ok((message, [])) => Ok(message),
            _ => Err(Refusal::Malformed),
        },
        Some(_) => Err(Refusal::Version(VERSION)),
        None => Err(Refusal::Malformed),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use garner::padding::Hash;

    const REQUEST: Request<'static> = Request {
        id: 7,
        key: KeyName::Named("www"),
        work: Work::Decrypt {
            scheme: EncryptionScheme::Oaep { hash: Hash::Sha256, mgf1_hash: Hash::Sha1, label: b"label" },
            ciphertext: &[3; 256],
        },
    };

    #[test]
    fn a_message_comes_back_as_it_was() {
        let packet = encode(&REQUEST).unwrap();
        assert_eq!(decode(&packet), Ok(REQUEST));
        let refused = Response { id: 9, answer: Err(Refusal::Forbidden("to decrypt".to_owned())) };
        assert_eq!(decode(&encode(&refused).unwrap()), Ok(refused.clone()));
    }

    #[test]
    fn every_cut_and_every_change_of_a_message_is_refused_or_another_message() {
        let packet = encode(&REQUEST).unwrap();
        for length in 0..packet.len() {
            assert_eq!(decode::<Request<'_>>(&packet[..length]), Err(Refusal::Malformed), "{length} bytes");
        }
        for position in 0..packet.len() {
            for bit in 0..8 {
                let mut other = packet.to_vec();
                other[position] ^= 1 << bit;
                assert_ne!(decode(&other), Ok(REQUEST), "bit {bit} of byte {position}");
            }
        }
    }

    #[test]
    fn another_version_and_bytes_behind_a_message_are_refused() {
        let mut packet = encode(&REQUEST).unwrap();
        packet.push(0);
        assert_eq!(decode::<Request<'_>>(&packet), Err(Refusal::Malformed));
        packet[0] = 2;
        assert_eq!(decode::<Request<'_>>(&packet), Err(Refusal::Version(VERSION)));
    }

    #[test]
    fn a_message_too_long_is_none() {
        let work = Work::Raw { input: &[0; LONGEST] };
        assert_eq!(encode(&Request { id: 1, key: KeyName::Named("k"), work }), None);
    }

    #[test]
    fn requests_and_answers_show_lengths_only() {
        assert_eq!(format!("{REQUEST:?}"), "Request { id: 7, key: Named(\"www\"), work: Decrypt(oaep, 256 bytes) }");
        for (work, shown) in [
            (Work::Raw { input: &[241; 3] }, "Raw(3 bytes)"),
            (Work::SignUnnamed { payload: &[241; 36] }, "SignUnnamed(36 bytes)"),
            (Work::Sign { scheme: SignatureScheme::Pkcs1v15 { hash: Hash::Sha256 }, digest: &[241; 32] }, "Sign("),
        ] {
            let text = format!("{work:?}");
            assert!(text.starts_with(shown) && !text.contains("241"), "{text}");
        }
        assert_eq!(format!("{:?}", Response { id: 9, answer: Ok(&[241, 242]) }), "Response(9, 2 bytes)");
        let refused = Response { id: 9, answer: Err(Refusal::NoKey) };
        assert_eq!(format!("{refused:?}"), "Response(9, NoKey)");
    }

    #[test]
    fn a_buffer_shows_nothing_of_what_it_holds() {
        let mut buffer = Buffer::default();
        buffer.room()[..3].copy_from_slice(&[241, 242, 243]);
        buffer.written(3);
        assert_eq!(format!("{buffer:?}"), "Buffer { used: 3, .. }");
    }
}
