// SPDX-License-Identifier: Apache-2.0
//! Decoding of decrypted blocks: those that end alike must go all the same way.

use super::{Expected, SECRETS, Traced};
use crate::scenarios::Words;
use crate::trace::Case;
use garner::error::Result;
use garner::gather::Output;
use garner::padding::implicit_rejection::Rejection;
use garner::padding::{Hash, oaep, pkcs1v15_encryption};

/// Bytes of the modulus.
const SIZE: usize = 256;

const FUNCTIONS: oaep::Functions = oaep::Functions::of(Hash::Sha256);

type Decode = dyn Fn(&[u8]) -> Result<Output>;

struct Decoding {
    decode: Box<Decode>,
    blocks: [Vec<u8>; SECRETS],
    expected: [Result<Output>; SECRETS],
    secret: usize,
    /// The same memory for every secret.
    block: Vec<u8>,
    found: Option<Result<Output>>,
}

impl Case for Decoding {
    fn select(&mut self, secret: usize) {
        self.secret = secret;
        self.block.copy_from_slice(&self.blocks[secret]);
        self.found = None;
    }

    fn call(&mut self) {
        self.found = Some((self.decode)(&self.block));
    }

    fn verify(&mut self) -> bool {
        self.found.as_ref() == Some(&self.expected[self.secret])
    }
}

fn case(
    name: &'static str,
    decode: impl Fn(&[u8]) -> Result<Output> + 'static,
    blocks: [Vec<u8>; SECRETS],
    good: impl Fn(&Result<Output>) -> bool + 'static,
) -> Traced {
    Traced::new(format!("padding: {name}"), Expected::Equal, move || {
        let expected = std::array::from_fn(|i| decode(&blocks[i]));
        assert!(expected.iter().all(good), "{name}: blocks of the kind that is meant");
        let block = blocks[0].clone();
        Decoding { decode: Box::new(decode), blocks, expected, secret: 0, block, found: None }
    })
}

/// `00 02`, random bytes, `00` and a random message of so many bytes.
fn pkcs1(random: &mut Words, message: usize) -> Vec<u8> {
    let mut block = vec![0; SIZE];
    random.fill(&mut block);
    block[2..].iter_mut().for_each(|byte| *byte |= 1);
    block[..2].copy_from_slice(&[0, 2]);
    block[SIZE - message - 1] = 0;
    random.fill(&mut block[SIZE - message..]);
    block
}

/// An encoded random message of 40 bytes.
fn oaep(random: &mut Words) -> Vec<u8> {
    let (mut message, mut block) = (vec![0; 40], vec![0; SIZE]);
    random.fill(&mut message);
    oaep::encode(FUNCTIONS, b"", &message, &mut block).expect("room");
    block
}

/// `block` with one byte changed.
fn changed(mut block: Vec<u8>, at: usize, byte: u8) -> Vec<u8> {
    block[at] ^= byte;
    block
}

/// Blocks that fail by their type, first byte or length of padding, for want of a zero, and random ones.
fn badly_padded(random: &mut Words) -> [Vec<u8>; SECRETS] {
    let mut noise = vec![0xff; SIZE];
    random.fill(&mut noise[1..]);
    let mut unended = pkcs1(random, 30);
    unended[2..].iter_mut().for_each(|byte| *byte |= 1);
    [
        changed(pkcs1(random, 30), 0, 1),
        changed(pkcs1(random, 30), 1, 3),
        pkcs1(random, SIZE - 10),
        unended,
        vec![0; SIZE],
        noise,
    ]
}

pub fn all() -> Vec<Traced> {
    let mut random = Words(19);
    let rejection = Rejection::new(&[7; SIZE], &[8; SIZE]).expect("HMAC");
    let bad = badly_padded(&mut random);
    let length = rejection.decode(&bad[0]).expect("a message").len();
    // Where lengths agree, a well padded block and a badly padded one cannot be told apart.
    let mixed: [Vec<u8>; SECRETS] =
        std::array::from_fn(|i| if i % 2 == 0 { pkcs1(&mut random, length) } else { bad[i].clone() });
    let one_length = move |message: &Result<Output>| message.as_ref().is_ok_and(|message| message.len() == length);
    let sealed: [Vec<u8>; SECRETS] = std::array::from_fn(|_| oaep(&mut random));
    let broken: [Vec<u8>; SECRETS] = std::array::from_fn(|i| match i {
        // The first byte, seeds and data here and there (label hash, zeros, message), and nothing right at all.
        0 => changed(sealed[0].clone(), 0, 1),
        5 => bad[5].clone(),
        _ => changed(sealed[i].clone(), 60 * i, 0x10),
    });
    vec![
        case(
            "implicit rejection, well and badly padded blocks",
            move |block| rejection.decode(block),
            mixed,
            one_length,
        ),
        case("PKCS#1 v1.5, badly padded blocks", pkcs1v15_encryption::decode, bad, Result::is_err),
        case("OAEP, good blocks", |block| oaep::decode(FUNCTIONS, b"", block), sealed, Result::is_ok),
        case("OAEP, bad blocks", |block| oaep::decode(FUNCTIONS, b"", block), broken, Result::is_err),
    ]
}
