// SPDX-License-Identifier: Apache-2.0
//! Finding the key among the blocks of a PEM file (RFC 7468). Called by `parse`, and by front ends that know other contents;
//! decoding is `pem-rfc7468`'s.

use crate::error::{Error, Result};
use pkcs8::der::pem::Decoder;
use zeroize::Zeroizing;

const BEGIN: &[u8] = b"-----BEGIN ";
const DASHES: &[u8] = b"-----";

/// Whether `bytes` holds the beginning of a PEM block.
pub(super) fn is_pem(bytes: &[u8]) -> bool {
    find(bytes, BEGIN).is_some()
}

/// One block: its label and its text from BEGIN to END, both included.
struct Block<'a> {
    label: &'a str,
    text: &'a [u8],
}

/// Decodes the one block whose label is among `labels`; other blocks and text are passed over.
///
/// # Errors
/// [`Error::Encoding`] when there is no such block or more than one, or it cannot be decoded.
pub fn decode(pem: &[u8], labels: &[&str]) -> Result<Zeroizing<Vec<u8>>> {
    let blocks = blocks(pem)?;
    let mut wanted = blocks.iter().filter(|block| labels.contains(&block.label));
    let Some(block) = wanted.next() else {
        return Err(Error::Encoding(explain_absence(&blocks, labels)));
    };
    if wanted.next().is_some() {
        return Err(Error::Encoding(format!("the PEM file holds more than one {}", block.label)));
    }
    decode_block(block)
}

/// Whether the file has a block whose label is among `labels`.
pub(super) fn contains(pem: &[u8], labels: &[&str]) -> bool {
    blocks(pem).is_ok_and(|blocks| blocks.iter().any(|block| labels.contains(&block.label)))
}

fn decode_block(block: &Block<'_>) -> Result<Zeroizing<Vec<u8>>> {
    if find(block.text, b"Proc-Type:").is_some() {
        return Err(Error::Encoding(
            "PEM encryption by header (Proc-Type, DEK-Info) is not supported; \
             convert the file with: openssl pkcs8 -topk8 -v2 aes-256-cbc"
                .into(),
        ));
    }
    let fault = |_| Error::Encoding(format!("the PEM block {} is damaged", block.label));
    let text = without_blanks(block.text);
    let mut decoder = Decoder::new_detect_wrap(&text).map_err(fault)?;
    // Of the right length from the start: a vector that grew would leave copies of the key behind.
    let mut der = Zeroizing::new(vec![0; decoder.remaining_len()]);
    decoder.decode(&mut der).map_err(fault)?;
    if !decoder.is_finished() {
        return Err(fault(pkcs8::der::pem::Error::Length));
    }
    Ok(der)
}

/// The text without white space at the ends of lines and without empty lines: RFC 7468, section 2, asks parsers to pass over
/// them, and copying and pasting leaves them.
fn without_blanks(text: &[u8]) -> Zeroizing<Vec<u8>> {
    let mut clean = Zeroizing::new(Vec::with_capacity(text.len() + 1));
    for line in text.split(|&byte| byte == b'\n').map(<[u8]>::trim_ascii_end).filter(|line| !line.is_empty()) {
        clean.extend_from_slice(line);
        clean.push(b'\n');
    }
    clean
}

fn blocks(pem: &[u8]) -> Result<Vec<Block<'_>>> {
    let mut blocks = Vec::new();
    let mut rest = pem;
    while let Some(start) = find_line(rest, BEGIN, |_| true) {
        let text = &rest[start..];
        let label = &text[BEGIN.len()..];
        let label = find(label, DASHES)
            .filter(|&end| ends_line(&label[end + DASHES.len()..]))
            .and_then(|end| std::str::from_utf8(&label[..end]).ok())
            .filter(|label| label.len() <= 64 && label.bytes().all(|c| c.is_ascii_graphic() || c == b' '))
            .ok_or_else(|| Error::Encoding("a PEM block has no proper label".into()))?;
        let end_line = format!("-----END {label}-----");
        let end = find_line(text, end_line.as_bytes(), ends_line)
            .ok_or_else(|| Error::Encoding("a PEM block does not end: the file is truncated or damaged".into()))?;
        let (text, after) = text.split_at(end + end_line.len());
        blocks.push(Block { label, text });
        rest = after;
    }
    Ok(blocks)
}

/// What to say when no block has a wanted label.
fn explain_absence(blocks: &[Block<'_>], labels: &[&str]) -> String {
    let has = |label| blocks.iter().any(|block| block.label == label);
    if blocks.is_empty() {
        "the file holds no PEM block".into()
    } else if has("OPENSSH PRIVATE KEY") {
        "OpenSSH's own key format is not supported; convert the file with: ssh-keygen -p -m PKCS8".into()
    } else if has("EC PRIVATE KEY") || has("DSA PRIVATE KEY") {
        "the PEM file holds a key that is not RSA".into()
    } else if !labels.contains(&"PUBLIC KEY") && (has("PUBLIC KEY") || has("RSA PUBLIC KEY")) {
        "the PEM file holds a public key only; a private key is needed".into()
    } else {
        format!("the PEM file holds none of: {}", labels.join(", "))
    }
}

/// Where a line begins with `pattern` and `goes_on` is content with what follows.
fn find_line(text: &[u8], pattern: &[u8], goes_on: impl Fn(&[u8]) -> bool) -> Option<usize> {
    let starts = text.iter().enumerate().filter(|&(_, &byte)| byte == b'\n').map(|(at, _)| at + 1);
    std::iter::once(0).chain(starts).find(|&at| text[at..].strip_prefix(pattern).is_some_and(&goes_on))
}

/// Whether nothing but blanks is left of the line.
fn ends_line(text: &[u8]) -> bool {
    text.split(|&byte| byte == b'\n').next().is_none_or(|rest| rest.trim_ascii().is_empty())
}

fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    text.windows(pattern.len()).position(|window| window == pattern)
}
