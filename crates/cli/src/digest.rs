// SPDX-License-Identifier: Apache-2.0
//! Digests of messages of any length, in pieces.

use crate::encoding::{Encoding, hex};
use crate::failure::{Failure, Of};
use crate::files::Input;
use clap::Args;
use garner::padding::Hash;
use openssl::hash::Hasher;
use std::io::{self, Read};
use std::path::PathBuf;

/// Longest file that holds a digest.
const LONGEST: usize = 4096;

/// What is signed or verified.
#[derive(Args, Debug)]
pub struct Message {
    /// The message [default: standard input]
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,

    /// The input is a digest, binary or in hexadecimal digits, and not the message
    #[arg(long)]
    digest: bool,
}

impl Message {
    /// Its digest, and what errors call it.
    pub fn digest(&self, hash: Hash) -> Result<(Vec<u8>, String), Failure> {
        let mut input = Input::open(self.file.as_deref(), "the message")?;
        let name = input.name().to_owned();
        if !self.digest {
            return Ok((of(hash, &mut input, &name)?, name));
        }
        let content = input.read_all(LONGEST)?;
        let length = hash.digest_len();
        // Digits of a shorter digest can be as many as the bytes of this one. No binary digest looks like that.
        let digits = content.iter().all(|byte| byte.is_ascii_hexdigit() || byte.is_ascii_whitespace());
        let binary = content.len() == length && !digits;
        let digest = if binary { Ok(content.to_vec()) } else { Encoding::Hex.decode(&content) };
        Ok((check(hash, digest).of(&name)?, name))
    }
}

/// The digest of all that `reader` gives.
pub fn of(hash: Hash, reader: &mut impl Read, name: &str) -> Result<Vec<u8>, Failure> {
    let mut hasher = Hasher::new(hash.message_digest().of(name)?).of(name)?;
    let mut buffer = vec![0; 64 << 10];
    loop {
        match reader.read(&mut buffer) {
            Ok(0) => return Ok(hasher.finish().of(name)?.to_vec()),
            Ok(length) => hasher.update(&buffer[..length]).of(name)?,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error).of(name),
        }
    }
}

/// A digest in hexadecimal digits.
pub fn parse(hash: Hash, digits: &[u8]) -> Result<Vec<u8>, String> {
    check(hash, hex(digits))
}

fn check(hash: Hash, digest: Result<Vec<u8>, String>) -> Result<Vec<u8>, String> {
    let digest = digest.map_err(|reason| format!("digest: {reason}"))?;
    let (is, should) = (digest.len(), hash.digest_len());
    if is == should {
        return Ok(digest);
    }
    Err(format!("digest: has {is} bytes, but {} gives {should}; --hash names the hash that made it", hash.name()))
}
