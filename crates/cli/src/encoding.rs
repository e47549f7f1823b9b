// SPDX-License-Identifier: Apache-2.0
//! How signatures and other short binary things are written in files and lines.

use crate::failure::Failure;
use crate::files::Input;
use clap::ValueEnum;
use data_encoding::{BASE64, HEXLOWER, HEXLOWER_PERMISSIVE};

/// An encoding of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Encoding {
    /// The bytes themselves, as OpenSSL writes them
    Binary,
    /// Hexadecimal digits and a newline
    Hex,
    /// Base64 (RFC 4648) and a newline
    Base64,
}

impl Encoding {
    /// Whether a terminal is no place for it.
    pub fn is_binary(self) -> bool {
        self == Encoding::Binary
    }

    /// Appends the encoding of `bytes`, its newline included.
    pub fn append(self, bytes: &[u8], text: &mut Vec<u8>) {
        match self {
            Encoding::Binary => text.extend_from_slice(bytes),
            Encoding::Hex => text.extend_from_slice(HEXLOWER.encode(bytes).as_bytes()),
            Encoding::Base64 => text.extend_from_slice(BASE64.encode(bytes).as_bytes()),
        }
        if !self.is_binary() {
            text.push(b'\n');
        }
    }

    /// Length of the encoding of `size` bytes, its newline included.
    pub fn length(self, size: usize) -> usize {
        match self {
            Encoding::Binary => size,
            Encoding::Hex => HEXLOWER.encode_len(size) + 1,
            Encoding::Base64 => BASE64.encode_len(size) + 1,
        }
    }

    /// The bytes of a file of at most `longest`. One that is malformed is no good signature or ciphertext, whoever made it.
    pub fn read(self, input: Input, longest: usize) -> Result<Vec<u8>, Failure> {
        let name = input.name().to_owned();
        let too_long = || Failure::Check(format!("{name}: is longer than {longest} bytes"));
        let text = input.read_within(longest)?.ok_or_else(too_long)?;
        self.decode(&text).map_err(|reason| Failure::Check(format!("{name}: {reason}")))
    }

    /// The bytes again. White space in and around the text forms does not matter.
    pub fn decode(self, text: &[u8]) -> Result<Vec<u8>, String> {
        let plain = || -> Vec<u8> { text.iter().copied().filter(|byte| !byte.is_ascii_whitespace()).collect() };
        match self {
            Encoding::Binary => Ok(text.to_vec()),
            Encoding::Hex => hex(&plain()),
            Encoding::Base64 => BASE64.decode(&plain()).map_err(|error| format!("is not base64: {error}")),
        }
    }
}

/// Bytes from hexadecimal digits of either case.
pub fn hex(digits: &[u8]) -> Result<Vec<u8>, String> {
    HEXLOWER_PERMISSIVE.decode(digits).map_err(|error| format!("is not hexadecimal: {error}"))
}

/// As [`hex`], for options.
pub fn hex_option(name: &str, digits: &str) -> Result<Vec<u8>, Failure> {
    hex(digits.as_bytes()).map_err(|reason| Failure::Usage(format!("{name}: {reason}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_encoding_is_as_long_as_it_says_and_comes_back() {
        for size in [0, 1, 2, 3, 64, 127, 128, 256] {
            let bytes: Vec<u8> = (0..size).map(|i| i as u8 ^ 0x5a).collect();
            for encoding in [Encoding::Binary, Encoding::Hex, Encoding::Base64] {
                let mut text = Vec::new();
                encoding.append(&bytes, &mut text);
                assert_eq!(text.len(), encoding.length(size), "{encoding:?}");
                assert_eq!(encoding.decode(&text).unwrap(), bytes);
            }
        }
        assert!(Encoding::Hex.decode(b"abc").is_err());
        assert!(Encoding::Base64.decode(b"!").is_err());
    }
}
