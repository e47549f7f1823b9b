// SPDX-License-Identifier: Apache-2.0
//! Twenty thousand damaged key files, the same on every run: whatever the damage, a refusal or the very same key.
//!
//! The mutations know the structure: they start from valid files of every kind; two in three strike the bytes of the
//! file, preferring tags and lengths, and one in three the content of a field, whose lengths are then made right
//! again, so that the damage gets past the decoder. The fuzzers in `fuzz/` look further; this runs with every test.

mod key_support;

use garner::Error;
use garner::key::{PrivateKey, PublicKey};
use key_support::{Parts, integer, number, openssl, pkcs8, tlv, unsigned};

const CASES: u64 = 20_000;

/// SplitMix64 (Steele, Lea, Flood 2014).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Where tags and lengths lie in the DER of a key, found by looking for what the structures begin with.
fn headers(file: &[u8]) -> Vec<usize> {
    let tags = [0x30, 0x02, 0x04, 0x03, 0x06, 0x05];
    (0..file.len().saturating_sub(1))
        .filter(|&i| tags.contains(&file[i]) && (file[i + 1] & 0x80 == 0 || (0x81..=0x82).contains(&file[i + 1])))
        .flat_map(|i| [i, i + 1, i + 2])
        .filter(|&i| i < file.len())
        .collect()
}

fn mutate(file: &mut Vec<u8>, headers: &[usize], random: &mut Random) {
    const TELLING: [u8; 12] = [0x00, 0x01, 0x02, 0x03, 0x04, 0x30, 0x7f, 0x80, 0x81, 0x82, 0x84, 0xff];
    if file.is_empty() {
        return;
    }
    let at = match random.below(2) {
        0 if !headers.is_empty() => headers[random.below(headers.len())].min(file.len() - 1),
        _ => random.below(file.len()),
    };
    let length = 1 + random.below((file.len() - at).min(80));
    match random.below(8) {
        0 => file[at] ^= 1 << random.below(8),
        1 => file[at] = TELLING[random.below(TELLING.len())],
        2 => file[at] = file[at].wrapping_add(if random.below(2) == 0 { 1 } else { 0xff }),
        3 => file.truncate(at),
        4 => drop(file.drain(at..at + length)),
        5 => {
            let copy = file[at..at + length].to_vec();
            let to = random.below(file.len());
            file.splice(to..to, copy);
        }
        6 => {
            let bytes = (0..random.below(9)).map(|_| random.next() as u8).collect::<Vec<_>>();
            file.splice(at..at, bytes);
        }
        _ => {
            let from = random.below(file.len() - length + 1);
            file.copy_within(from..from + length, at);
        }
    }
}

/// The content of a DER value of less than 65,536 bytes.
fn content(der: &[u8]) -> Vec<u8> {
    let header = if der[1] & 0x80 == 0 { 2 } else { 2 + usize::from(der[1] & 0x7f) };
    der[header..].to_vec()
}

#[test]
fn mutated_key_files_are_refused_or_give_the_same_key() {
    let parts = Parts::generate(280, 260, number(65537));
    let key = parts.read().unwrap();
    let pem = key.to_pkcs8_pem();
    let encrypt =
        |arguments: &str| openssl(&format!("pkcs8 -topk8 -v2 aes-128-cbc {arguments} -passout pass:x"), pem.as_bytes());
    let files = [
        key.to_pkcs1_der().to_vec(),
        key.to_pkcs8_der().to_vec(),
        key.to_pkcs1_pem().as_bytes().to_vec(),
        key.to_pkcs8_pem().as_bytes().to_vec(),
        key.public().to_der(),
        key.public().to_pem().into_bytes(),
        openssl("rsa -RSAPublicKey_out -outform DER", pem.as_bytes()),
        encrypt("-iter 1 -outform DER"),
        encrypt("-iter 1"),
        encrypt("-scrypt -scrypt_N 16 -scrypt_r 1 -scrypt_p 1 -outform DER"),
    ];
    let (private, public) = (key.to_pkcs1_der(), key.public().to_der());
    let headers = files.each_ref().map(|file| headers(file));
    let mut random = Random(0x6761_726e_6572);
    let (mut kept, mut refused) = (0, 0);
    let (mut by_field, fields) = (0, {
        let mut fields = vec![integer(&[0])[2..].to_vec()];
        fields.extend(parts.bytes().iter().map(|bytes| unsigned(bytes)).map(|der| content(&der)));
        fields
    });
    for case in 0..CASES {
        let file = if case % 3 == 0 {
            let mut fields = fields.clone();
            let at = random.below(fields.len());
            mutate(&mut fields[at], &[], &mut random);
            let pkcs1 = tlv(0x30, &fields.iter().map(|content| integer(content)).collect::<Vec<_>>().concat());
            if random.below(2) == 0 { pkcs1 } else { pkcs8(&pkcs1) }
        } else {
            let which = random.below(files.len());
            let mut file = files[which].clone();
            for _ in 0..1 + random.below(2) {
                mutate(&mut file, &headers[which], &mut random);
            }
            file
        };
        match PrivateKey::read(&file, Some(b"x")) {
            Ok(key) => {
                assert_eq!(*key.to_pkcs1_der(), *private);
                kept += 1;
            }
            Err(error) => {
                refused += 1;
                by_field += usize::from(matches!(error, Error::Key { .. }));
            }
        }
        // Nothing binds a public key's n to anything: another odd n of a legal size is another key.
        if let Ok(key) = PublicKey::read(&file, Some(b"x")) {
            assert!((512..=8192).contains(&key.bits()) && key.exponent()[0] & 1 == 1);
            assert_eq!(PublicKey::from_der(&key.to_der()).unwrap().to_der(), key.to_der());
            kept += usize::from(key.to_der() == public);
        }
    }
    let outcome = format!("{refused} refused, {by_field} of them by field; {kept} the same");
    println!("{outcome}");
    // All must happen, or the mutations are too weak or too strong to test anything.
    assert!(refused > CASES as usize / 2 && by_field > CASES as usize / 4 && kept > 100, "{outcome}");
}
