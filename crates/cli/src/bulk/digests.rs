// SPDX-License-Identifier: Apache-2.0
//! Lines of lists of digests: what `sha256sum` and `openssl dgst` write, and digits alone.
//!
//! | line | written by |
//! |---|---|
//! | `DIGITS` | whoever writes only that |
//! | `DIGITS  NAME`, `DIGITS *NAME` | `sha256sum`, `openssl dgst -r` |
//! | `SHA256 (NAME) = DIGITS` | `sha256sum --tag`, BSD's `sha256` |
//! | `SHA2-256(NAME)= DIGITS`, `(stdin)= DIGITS` | `openssl dgst` |
//!
//! `sha256sum` begins a line with a backslash when it escapes a backslash, newline or carriage return in the name.

use crate::digest;
use garner::padding::Hash;

/// The digest of a line, and its name; an empty one where it has none.
pub fn parse(hash: Hash, line: &[u8]) -> Result<(Vec<u8>, Vec<u8>), String> {
    let (escaped, line) = match line.strip_prefix(b"\\") {
        Some(rest) => (true, rest),
        None => (false, line),
    };
    // Digits first: the name after them may look like anything, a tagged line too.
    let (digits, name) = match (plain(line), tagged(line)) {
        ((digits, name), _) if digest::parse(hash, digits).is_ok() => (digits, name),
        (_, Some((algorithm, name, digits))) => {
            check_algorithm(hash, algorithm)?;
            (digits, name)
        }
        (plain, None) => plain,
    };
    let name = if escaped { unescape(name)? } else { name.to_vec() };
    Ok((digest::parse(hash, digits)?, name))
}

/// `ALGORITHM (NAME) = DIGITS`, where white space around the parentheses does not matter.
fn tagged(line: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let line = line.trim_ascii_end();
    let open = line.iter().position(|&byte| byte == b'(')?;
    let equals = line.iter().rposition(|&byte| byte == b'=')?;
    let algorithm = line[..open].trim_ascii_end();
    let name = line.get(open + 1..equals)?.trim_ascii_end().strip_suffix(b")")?;
    // One word: else it is a line of another kind, and its own error says more.
    algorithm.iter().all(|byte| byte.is_ascii_graphic()).then(|| (algorithm, name, line[equals + 1..].trim_ascii()))
}

/// `DIGITS`, white space, and a name after a space or an asterisk.
fn plain(line: &[u8]) -> (&[u8], &[u8]) {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
    let (digits, rest) = line.split_at(end);
    let name = match rest {
        [b' ', b' ' | b'*', name @ ..] => name,
        // Of no known writer.
        other => other.trim_ascii_start(),
    };
    (digits, name)
}

/// Refuses a digest of another hash: that of the same length would be signed as what it is not.
fn check_algorithm(hash: Hash, algorithm: &[u8]) -> Result<(), String> {
    // OpenSSL 1.1.1 names none when it reads standard input.
    if algorithm.is_empty() {
        return Ok(());
    }
    let name = String::from_utf8_lossy(algorithm);
    match Hash::from_name(&name) {
        Ok(named) if named == hash => Ok(()),
        _ => Err(format!("digest: is of {name}, not of {}; --hash names the hash that made it", hash.name())),
    }
}

/// The name that `sha256sum` escaped.
fn unescape(name: &[u8]) -> Result<Vec<u8>, String> {
    let mut bytes = name.iter();
    let mut plain = Vec::with_capacity(name.len());
    while let Some(&byte) = bytes.next() {
        plain.push(match byte {
            b'\\' => match bytes.next() {
                Some(b'\\') => b'\\',
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                _ => return Err("name: has a backslash that escapes nothing".into()),
            },
            byte => byte,
        });
    }
    Ok(plain)
}

/// The name as `sha256sum` escapes it, and whether there was anything to escape.
pub fn escape(name: &[u8]) -> (bool, Vec<u8>) {
    let mut text = Vec::with_capacity(name.len());
    for &byte in name {
        match byte {
            b'\\' => text.extend(b"\\\\"),
            b'\n' => text.extend(b"\\n"),
            b'\r' => text.extend(b"\\r"),
            byte => text.push(byte),
        }
    }
    (text.len() > name.len(), text)
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIGITS: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

    fn name(line: &str) -> Result<Vec<u8>, String> {
        let (digest, name) = parse(Hash::Sha256, line.replace("DIGITS", DIGITS).as_bytes())?;
        assert_eq!(digest[..3], [0, 0x11, 0x22], "{line}");
        Ok(name)
    }

    #[test]
    fn every_form_of_line_gives_its_digest_and_its_name() {
        let cases = [
            ("DIGITS", ""),
            ("DIGITS\r", ""),
            ("DIGITS  a b", "a b"),
            ("DIGITS *a", "a"),
            ("DIGITS   a", " a"),
            ("DIGITS  a (b) = c", "a (b) = c"),
            ("DIGITS  (b) = c", "(b) = c"),
            ("\\DIGITS  a\\nb\\\\c\\rd", "a\nb\\c\rd"),
            ("DIGITS  a\\nb", "a\\nb"),
            ("SHA256 (a (b) = c) = DIGITS", "a (b) = c"),
            ("\\SHA256 (a\\nb) = DIGITS", "a\nb"),
            ("SHA2-256(a)= DIGITS", "a"),
            ("SHA256(a)= DIGITS\r", "a"),
            ("(stdin)= DIGITS", "stdin"),
        ];
        for (line, expected) in cases {
            assert_eq!(name(line).unwrap(), expected.as_bytes(), "{line}");
        }
        assert!(name("SHA2-512(a)= DIGITS").unwrap_err().contains("is of SHA2-512, not of SHA-256"));
        assert!(name("SHA3-256 (a) = DIGITS").unwrap_err().contains("is of SHA3-256"));
        assert!(name("\\DIGITS  a\\x").unwrap_err().contains("escapes nothing"));
        assert!(name("DIGIT  a").unwrap_err().contains("not hexadecimal"));
    }

    #[test]
    fn an_escaped_name_comes_back() {
        for plain in ["a", "", "\\", "a\nb\r\\n"] {
            let (escaped, text) = escape(plain.as_bytes());
            assert_eq!(escaped, plain.contains(['\\', '\n', '\r']));
            assert_eq!(unescape(&text).unwrap(), plain.as_bytes());
        }
    }
}
