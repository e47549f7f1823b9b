// SPDX-License-Identifier: Apache-2.0
//! Threads that generate keys, each with a generator of its own, and encode them.

use super::arguments::{Arguments, Format};
use crate::failure::{Failure, Of};
use garner::arithmetic::Arithmetic;
use garner::device;
use garner::key::{Encryption, PrivateKey};
use garner::keygen::Generator;
use garner_devices::KINDS;
use std::sync::{Arc, mpsc};
use std::thread;
use zeroize::Zeroizing;

/// A key as it is written.
pub struct Encoded {
    /// The private key's file.
    pub private: Zeroizing<Vec<u8>>,
    /// The public key in PEM.
    pub public: String,
}

/// How private keys are encoded.
pub struct Encoder {
    format: Format,
    der: bool,
    encryption: Option<(Encryption, Zeroizing<Vec<u8>>)>,
}

impl Encoder {
    /// What the options ask for; asks for a password where one is needed.
    pub fn new(arguments: &Arguments, subject: &str) -> Result<Encoder, Failure> {
        let encryption = match arguments.encryption() {
            Some(_) if arguments.format == Format::Pkcs1 => {
                return Err(Failure::Usage(
                    "--cipher: only PKCS#8 keys are encrypted; leave --format pkcs1 out".into(),
                ));
            }
            Some(encryption) => Some((encryption, arguments.password.to_write(subject)?)),
            None if arguments.password.given()?.is_some() => {
                return Err(Failure::Usage("a password needs a --cipher, aes-256-cbc for one".into()));
            }
            None => None,
        };
        Ok(Encoder { format: arguments.format, der: arguments.der, encryption })
    }

    fn encode(&self, key: &PrivateKey) -> Result<Encoded, Failure> {
        let text = |text: Zeroizing<String>| Zeroizing::new(text.as_bytes().to_vec());
        let private = match (&self.encryption, self.format, self.der) {
            (Some((encryption, password)), _, true) => {
                Zeroizing::new(key.to_encrypted_pkcs8_der(password, encryption).of("key")?)
            }
            (Some((encryption, password)), _, false) => {
                Zeroizing::new(key.to_encrypted_pkcs8_pem(password, encryption).of("key")?.into_bytes())
            }
            (None, Format::Pkcs8, true) => key.to_pkcs8_der(),
            (None, Format::Pkcs8, false) => text(key.to_pkcs8_pem()),
            (None, Format::Pkcs1, true) => key.to_pkcs1_der(),
            (None, Format::Pkcs1, false) => text(key.to_pkcs1_pem()),
        };
        Ok(Encoded { private, public: key.public().to_pem() })
    }

    /// The password of encrypted keys.
    pub fn password(&self) -> Option<&[u8]> {
        self.encryption.as_ref().map(|(_, password)| &password[..])
    }
}

/// Generates `count` keys on all processors, with GPUs where there are any and keys enough, and gives each to `take`,
/// on this thread, in no particular order.
///
/// Few wait at any time, so that memory does not grow with their number. The first error ends it all.
pub fn run(
    arithmetic: &dyn Arithmetic,
    arguments: &Arguments,
    count: usize,
    encoder: &Encoder,
    mut take: impl FnMut(Encoded) -> Result<(), Failure>,
) -> Result<(), Failure> {
    let options = arguments.options();
    let gpus = device::present(KINDS).of("keygen")?;
    let threads = thread::available_parallelism().map_or(1, usize::from).min(count);
    let (sender, receiver) = mpsc::sync_channel(2 * threads);
    thread::scope(|scope| {
        for i in 0..threads {
            let share = count / threads + usize::from(i < count % threads);
            let (sender, options) = (sender.clone(), &options);
            let gpu = gpus.get(i % gpus.len().max(1)).map(Arc::clone);
            let work = move || {
                let generate = || -> Result<(), Failure> {
                    let mut generator = Generator::new(arithmetic, arguments.bits, share, options).of("keygen")?;
                    if let Some(gpu) = gpu {
                        generator = generator.with_device(gpu);
                    }
                    for key in generator {
                        if sender.send(encoder.encode(&key.of("keygen")?)).is_err() {
                            return Ok(()); // The other end had an error of its own.
                        }
                    }
                    Ok(())
                };
                if let Err(failure) = generate() {
                    let _ = sender.send(Err(failure));
                }
            };
            thread::Builder::new().spawn_scoped(scope, work).of("a thread")?;
        }
        drop(sender);
        // By value: an error ends the loop and drops the receiver, which ends the threads.
        for key in receiver {
            take(key?)?;
        }
        Ok(())
    })
}
