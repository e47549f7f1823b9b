// SPDX-License-Identifier: Apache-2.0
//! How signatures stand in one file: one after the other, or a line each, with or without names.

use super::digests::escape;
use crate::encoding::Encoding;

/// The form of the file.
#[derive(Clone, Copy)]
pub struct Records {
    pub encoding: Encoding,
    /// Whether each signature is followed by two spaces and its item's name.
    pub names: bool,
}

impl Records {
    /// Appends the record of a signature.
    pub fn append(self, signature: &[u8], name: &[u8], text: &mut Vec<u8>) {
        if !self.names {
            return self.encoding.append(signature, text);
        }
        let (escaped, name) = escape(name);
        if escaped {
            text.push(b'\\');
        }
        self.encoding.append(signature, text);
        text.pop(); // The newline comes after the name.
        text.extend_from_slice(b"  ");
        text.extend_from_slice(&name);
        text.push(b'\n');
    }

    /// Length of the record of a signature of `size` bytes.
    pub fn length(self, size: usize, name: &[u8]) -> usize {
        let mut length = self.encoding.length(size);
        if self.names {
            let (escaped, name) = escape(name);
            length += usize::from(escaped) + 2 + name.len();
        }
        length
    }

    /// The signature of a record, if it is one for this name. White space at the end of a line does not matter.
    pub fn signature(self, record: &[u8], name: &[u8]) -> Option<Vec<u8>> {
        if !self.names {
            return self.encoding.decode(record).ok();
        }
        let (escaped, name) = escape(name);
        let record = record.strip_suffix(b"\n").unwrap_or(record).strip_suffix(&name[..])?.strip_suffix(b"  ")?;
        let text = if escaped { record.strip_prefix(b"\\")? } else { record };
        self.encoding.decode(text).ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_record_is_as_long_as_it_says_and_comes_back_for_its_own_name_only() {
        for (encoding, names) in [(Encoding::Hex, true), (Encoding::Base64, true), (Encoding::Binary, false)] {
            let records = Records { encoding, names };
            for name in ["a", "a b", "\\", "line\nbreak"] {
                let mut text = Vec::new();
                records.append(&[7; 64], name.as_bytes(), &mut text);
                assert_eq!(text.len(), records.length(64, name.as_bytes()), "{name:?}");
                assert_eq!(records.signature(&text, name.as_bytes()).unwrap(), [7; 64]);
                assert_eq!(records.signature(&text, b"another").is_none(), names);
            }
        }
    }
}
