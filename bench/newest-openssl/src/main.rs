// SPDX-License-Identifier: Apache-2.0
//! The newest OpenSSL behind standard input and output, so that `garner speed --peer` measures it in turn with Garner.

mod libcrypto;

use libcrypto::{Decrypter, KeyMaker, Signer};
use peer::round::{self, Round, Worker};
use peer::{Peer, first, serve};
use std::io;
use std::time::Duration;

/// Signatures or ciphertexts that each caller goes through again and again.
const PREPARED: usize = 16;

/// One caller that signs: a new message every time.
struct Signing {
    signer: Signer,
    caller: usize,
    count: u64,
    signature: Vec<u8>,
}

impl Signing {
    fn message(&self) -> Vec<u8> {
        format!("newest-openssl: caller {}, message {}", self.caller, self.count).into_bytes()
    }
}

impl Worker for Signing {
    fn turn(&mut self) -> Result<u64, String> {
        self.count += 1;
        let message = self.message();
        self.signer.sign(&message, &mut self.signature)?;
        Ok(1)
    }
}

/// One caller that verifies.
struct Verifying {
    signer: Signer,
    signed: Vec<(Vec<u8>, Vec<u8>)>,
    next: usize,
}

impl Worker for Verifying {
    fn turn(&mut self) -> Result<u64, String> {
        let (message, signature) = &self.signed[self.next % self.signed.len()];
        self.next += 1;
        self.signer.verify(message, signature)?;
        Ok(1)
    }
}

/// One caller that decrypts.
struct Decrypting {
    decrypter: Decrypter,
    /// Messages and their ciphertexts.
    encrypted: Vec<(Vec<u8>, Vec<u8>)>,
    next: usize,
    message: Vec<u8>,
}

impl Worker for Decrypting {
    fn turn(&mut self) -> Result<u64, String> {
        let (message, ciphertext) = &self.encrypted[self.next % self.encrypted.len()];
        self.next += 1;
        let length = self.decrypter.decrypt(ciphertext, &mut self.message)?;
        if self.message[..length] == message[..] { Ok(1) } else { Err("decrypts to another message".into()) }
    }
}

/// One caller that makes keys.
struct Generating(KeyMaker);

impl Worker for Generating {
    fn turn(&mut self) -> Result<u64, String> {
        self.0.make().map(|()| 1)
    }
}

/// The callers of one key, kept from round to round: their keys stay precomputed.
#[derive(Default)]
struct Callers {
    der: Vec<u8>,
    signing: Vec<Signing>,
    verifying: Vec<Verifying>,
    decrypting: Vec<Decrypting>,
    generating: Vec<Generating>,
}

impl Callers {
    fn sign(&mut self, window: Duration, callers: usize) -> Result<Round, String> {
        let workers = first(&mut self.signing, callers, |caller| {
            let signer = Signer::new(&self.der)?;
            let signature = vec![0; signer.bits().div_ceil(8)];
            let mut signing = Signing { signer, caller, count: 0, signature };
            signing.turn()?;
            Ok(signing)
        })?;
        let round = round::run(workers, window)?;
        for worker in workers {
            let message = worker.message();
            worker.signer.verify(&message, &worker.signature).map_err(|error| format!("own signature: {error}"))?;
        }
        Ok(round)
    }

    fn verify(&mut self, window: Duration, callers: usize) -> Result<Round, String> {
        let workers = first(&mut self.verifying, callers, |caller| {
            let mut signer = Signer::new(&self.der)?;
            let mut signed = Vec::with_capacity(PREPARED);
            for count in 0..PREPARED {
                let message = format!("newest-openssl: caller {caller}, signature {count}").into_bytes();
                let mut signature = vec![0; signer.bits().div_ceil(8)];
                signer.sign(&message, &mut signature)?;
                signed.push((message, signature));
            }
            Ok(Verifying { signer, signed, next: 0 })
        })?;
        round::run(workers, window)
    }

    fn decrypt(&mut self, window: Duration, callers: usize) -> Result<Round, String> {
        let workers = first(&mut self.decrypting, callers, |caller| {
            let mut decrypter = Decrypter::new(&self.der)?;
            let encrypt = |count| -> Result<(Vec<u8>, Vec<u8>), String> {
                // Short enough for RSA-640, the shortest that OAEP with SHA-256 takes.
                let message = format!("{caller} {count}").into_bytes();
                let ciphertext = decrypter.encrypt(&message)?;
                Ok((message, ciphertext))
            };
            let encrypted = (0..PREPARED).map(encrypt).collect::<Result<Vec<_>, String>>()?;
            let message = vec![0; encrypted[0].1.len()];
            Ok(Decrypting { decrypter, encrypted, next: 0, message })
        })?;
        round::run(workers, window)
    }

    fn generate(&mut self, window: Duration, callers: usize) -> Result<Round, String> {
        let bits = Signer::new(&self.der)?.bits();
        round::run(first(&mut self.generating, callers, |_| KeyMaker::new(bits).map(Generating))?, window)
    }
}

impl Peer for Callers {
    fn version(&self) -> String {
        libcrypto::version()
    }

    fn key(&mut self, der: &[u8]) -> Result<usize, String> {
        let bits = Signer::new(der)?.bits();
        *self = Callers { der: der.to_vec(), ..Callers::default() };
        Ok(bits)
    }

    fn round(&mut self, operation: &str, window: Duration, callers: usize) -> Result<Round, String> {
        if self.der.is_empty() {
            return Err("no key yet".into());
        }
        match operation {
            "sign" => self.sign(window, callers),
            "verify" => self.verify(window, callers),
            "decrypt" => self.decrypt(window, callers),
            _ => self.generate(window, callers),
        }
    }
}

fn main() -> io::Result<()> {
    serve(&mut Callers::default())
}
