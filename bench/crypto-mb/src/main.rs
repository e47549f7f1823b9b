// SPDX-License-Identifier: Apache-2.0
//! Intel's crypto_mb behind standard input and output, so that `garner speed --peer` measures it in turn with Garner.
//!
//! `garner-bench-crypto-mb [LIBRARY]`, a libcrypto_mb.so. Each turn of a caller is one call with eight messages of one key.
//! The library neither blinds nor checks its results, and has RSA of 1,024 to 4,096 bits with e = 65537. The last eight
//! signatures of each caller are verified by libcrypto after every round.

mod library;

use library::{CryptoMb, Key, LANES};
use openssl::hash::MessageDigest;
use openssl::pkey::PKey;
use openssl::sign::Verifier;
use peer::round::{self, Round, Worker};
use peer::{Peer, first, serve};
use std::array;
use std::env;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

/// DER of DigestInfo for SHA-256, up to the digest (RFC 8017, section 9.2).
const DIGEST_INFO: [u8; 19] =
    [0x30, 0x31, 0x30, 0x0d, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02, 0x01, 0x05, 0x00, 0x04, 0x20];

/// EMSA-PKCS1-v1_5 of a message's SHA-256.
fn encoded(message: &[u8], length: usize) -> Vec<u8> {
    let mut encoded = vec![0xff; length];
    encoded[..2].copy_from_slice(&[0, 1]);
    let (_, end) = encoded.split_at_mut(length - 52);
    end[0] = 0;
    end[1..20].copy_from_slice(&DIGEST_INFO);
    end[20..].copy_from_slice(&openssl::sha::sha256(message));
    encoded
}

/// What all callers use.
struct Shared {
    library: Arc<CryptoMb>,
    key: Key,
}

/// One caller that signs: eight new messages every time.
struct Signing {
    shared: Arc<Shared>,
    caller: usize,
    count: u64,
    signatures: [Vec<u8>; LANES],
}

impl Signing {
    fn message(&self, lane: usize) -> Vec<u8> {
        format!("crypto-mb: caller {}, turn {}, message {lane}", self.caller, self.count).into_bytes()
    }

    fn signed(&mut self) -> Result<(), String> {
        let length = self.shared.key.bytes();
        let inputs = array::from_fn(|lane| encoded(&self.message(lane), length));
        self.shared.key.private(&self.shared.library, &inputs, &mut self.signatures)
    }
}

impl Worker for Signing {
    fn turn(&mut self) -> Result<u64, String> {
        self.count += 1;
        self.signed()?;
        Ok(LANES as u64)
    }
}

/// One caller that verifies the same eight signatures.
struct Verifying {
    shared: Arc<Shared>,
    messages: [Vec<u8>; LANES],
    signatures: [Vec<u8>; LANES],
    opened: [Vec<u8>; LANES],
}

impl Worker for Verifying {
    fn turn(&mut self) -> Result<u64, String> {
        let Shared { library, key } = &*self.shared;
        key.public(library, &self.signatures, &mut self.opened)?;
        let right = self.opened.iter().zip(&self.messages).all(|(opened, m)| *opened == encoded(m, key.bytes()));
        if right { Ok(LANES as u64) } else { Err("a right signature does not verify".into()) }
    }
}

/// The library, and the callers of one key.
struct Callers {
    library: Arc<CryptoMb>,
    key: Option<(PKey<openssl::pkey::Private>, Arc<Shared>)>,
    signing: Vec<Signing>,
    verifying: Vec<Verifying>,
}

impl Peer for Callers {
    fn version(&self) -> String {
        self.library.version().to_owned()
    }

    fn key(&mut self, der: &[u8]) -> Result<usize, String> {
        let private = PKey::private_key_from_der(der).map_err(|error| error.to_string())?;
        let key = Key::new(&private.rsa().map_err(|error| error.to_string())?)?;
        let bits = key.bits();
        let shared = Arc::new(Shared { library: Arc::clone(&self.library), key });
        (self.signing, self.verifying) = (Vec::new(), Vec::new());
        self.key = Some((private, shared));
        Ok(bits)
    }

    fn round(&mut self, operation: &str, window: Duration, callers: usize) -> Result<Round, String> {
        let (private, shared) = self.key.as_ref().ok_or("no key yet")?;
        let make = |caller| {
            let signatures = array::from_fn(|_| vec![0; shared.key.bytes()]);
            let mut signing = Signing { shared: Arc::clone(shared), caller, count: 0, signatures };
            signing.signed().map(|()| signing)
        };
        match operation {
            "sign" => {
                let workers = first(&mut self.signing, callers, make)?;
                let round = round::run(workers, window)?;
                for worker in workers {
                    for lane in 0..LANES {
                        let verified = Verifier::new(MessageDigest::sha256(), private).and_then(|mut verifier| {
                            verifier.verify_oneshot(&worker.signatures[lane], &worker.message(lane))
                        });
                        if !verified.map_err(|error| error.to_string())? {
                            return Err("a wrong signature".into());
                        }
                    }
                }
                Ok(round)
            }
            "verify" => {
                let make = |caller| {
                    let signing = make(caller)?;
                    let (messages, opened) = (array::from_fn(|lane| signing.message(lane)), signing.signatures.clone());
                    Ok(Verifying { shared: signing.shared, messages, signatures: signing.signatures, opened })
                };
                round::run(first(&mut self.verifying, callers, make)?, window)
            }
            _ => Err(format!("crypto_mb has no {operation}")),
        }
    }
}

fn main() -> ExitCode {
    let path = env::args_os().nth(1).unwrap_or_else(|| "libcrypto_mb.so".into());
    let served = CryptoMb::load(&path).and_then(|library| {
        let mut callers = Callers { library: Arc::new(library), key: None, signing: Vec::new(), verifying: Vec::new() };
        serve(&mut callers).map_err(|error| error.to_string())
    });
    match served {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("garner-bench-crypto-mb: {error}");
            ExitCode::FAILURE
        }
    }
}
