//! The newest OpenSSL behind standard input and output, so that `garner speed --peer` measures it in turn with Garner.
//!
//! One line asks, one line answers ("ok …" or "error …"):
//!
//! | asked | answered |
//! |---|---|
//! | `version` | `ok OpenSSL 4.0.3` |
//! | `key HEX`, a private key in DER | `ok BITS` |
//! | `sign SECONDS CALLERS` | `ok OPERATIONS ELAPSED EACH P50 P99`, times in nanoseconds: until the last thread was done, until a thread was done on average, and the latencies' percentiles |
//! | `verify SECONDS CALLERS` | the same |
//! | `decrypt SECONDS CALLERS`, OAEP with SHA-256 | the same |
//! | `keygen SECONDS CALLERS`, keys as long as the one given | the same |
//!
//! Rounds are timed by the very code that times Garner's.

mod libcrypto;
#[path = "../../../crates/cli/src/speed/round.rs"]
mod round;

use libcrypto::{Decrypter, KeyMaker, Signer};
use round::{Worker, percentile};
use std::io::{self, BufRead, Write};
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
    fn sign(&mut self, window: Duration, callers: usize) -> Result<String, String> {
        for caller in self.signing.len()..callers {
            let signer = Signer::new(&self.der)?;
            let signature = vec![0; signer.bits().div_ceil(8)];
            let mut signing = Signing { signer, caller, count: 0, signature };
            signing.turn()?;
            self.signing.push(signing);
        }
        let answer = measure(&mut self.signing[..callers], window)?;
        for worker in &mut self.signing[..callers] {
            let message = worker.message();
            worker.signer.verify(&message, &worker.signature).map_err(|error| format!("own signature: {error}"))?;
        }
        Ok(answer)
    }

    fn verify(&mut self, window: Duration, callers: usize) -> Result<String, String> {
        for caller in self.verifying.len()..callers {
            let mut signer = Signer::new(&self.der)?;
            let mut signed = Vec::with_capacity(PREPARED);
            for count in 0..PREPARED {
                let message = format!("newest-openssl: caller {caller}, signature {count}").into_bytes();
                let mut signature = vec![0; signer.bits().div_ceil(8)];
                signer.sign(&message, &mut signature)?;
                signed.push((message, signature));
            }
            self.verifying.push(Verifying { signer, signed, next: 0 });
        }
        measure(&mut self.verifying[..callers], window)
    }

    fn decrypt(&mut self, window: Duration, callers: usize) -> Result<String, String> {
        for caller in self.decrypting.len()..callers {
            let mut decrypter = Decrypter::new(&self.der)?;
            let encrypt = |count| -> Result<(Vec<u8>, Vec<u8>), String> {
                // Short enough for RSA-640, the shortest that OAEP with SHA-256 takes.
                let message = format!("{caller} {count}").into_bytes();
                let ciphertext = decrypter.encrypt(&message)?;
                Ok((message, ciphertext))
            };
            let encrypted = (0..PREPARED).map(encrypt).collect::<Result<Vec<_>, String>>()?;
            let message = vec![0; encrypted[0].1.len()];
            self.decrypting.push(Decrypting { decrypter, encrypted, next: 0, message });
        }
        measure(&mut self.decrypting[..callers], window)
    }

    fn generate(&mut self, window: Duration, callers: usize) -> Result<String, String> {
        let bits = Signer::new(&self.der)?.bits();
        while self.generating.len() < callers {
            self.generating.push(Generating(KeyMaker::new(bits)?));
        }
        measure(&mut self.generating[..callers], window)
    }

    fn answer(&mut self, line: &str) -> Result<String, String> {
        let words: Vec<&str> = line.split_whitespace().collect();
        match words[..] {
            ["version"] => Ok(libcrypto::version()),
            ["key", hex] => {
                let der = from_hex(hex).ok_or("key: not hexadecimal")?;
                let bits = Signer::new(&der)?.bits();
                *self = Callers { der, ..Callers::default() };
                Ok(bits.to_string())
            }
            [operation @ ("sign" | "verify" | "decrypt" | "keygen"), seconds, callers] => {
                let window = seconds.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
                let window = window.ok_or_else(|| format!("{operation}: {seconds} is not a number of seconds"))?;
                let callers = callers.parse().ok().filter(|&callers| callers > 0);
                let callers = callers.ok_or_else(|| format!("{operation}: {} is not a number of callers", words[2]))?;
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
            _ => Err(format!("unknown request: {line}")),
        }
    }
}

fn measure<W: Worker>(workers: &mut [W], window: Duration) -> Result<String, String> {
    let mut round = round::run(workers, window)?;
    round.latencies.sort_unstable();
    Ok(format!(
        "{} {} {} {} {}",
        round.operations,
        round.elapsed.as_nanos(),
        round.each.as_nanos(),
        percentile(&round.latencies, 0.5),
        percentile(&round.latencies, 0.99)
    ))
}

fn from_hex(hex: &str) -> Option<Vec<u8>> {
    let pairs = hex.as_bytes().chunks(2);
    pairs.map(|pair| u8::from_str_radix(str::from_utf8(pair).ok()?, 16).ok()).collect()
}

fn main() -> io::Result<()> {
    let mut callers = Callers::default();
    let mut output = io::stdout().lock();
    for line in io::stdin().lock().lines() {
        match callers.answer(&line?) {
            Ok(answer) => writeln!(output, "ok {answer}")?,
            Err(error) => writeln!(output, "error {error}")?,
        }
        output.flush()?;
    }
    Ok(())
}
