// SPDX-License-Identifier: Apache-2.0
//! One client process: signs in a closed loop, from when it is told to for so many seconds, and says how long each took.

use crate::{Transport, unbatched};
use cryptoki::context::{CInitializeArgs, CInitializeFlags, Pkcs11};
use cryptoki::mechanism::Mechanism;
use cryptoki::object::{Attribute, ObjectClass};
use cryptoki::session::{Session, UserType};
use cryptoki::types::AuthPin;
use garner::gather::{Config, Gatherer};
use garner::key::PrivateKey;
use garner::padding::Hash;
use garner::signature;
use garner_device_garnerd::Daemons;
use garner_remote::Client;
use garner_remote::message::{KeyName, Work};
use garner_remote::scheme::SignatureScheme;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;
use openssl::pkey::PKey;
use openssl::rsa::Rsa;
use openssl::sign::Signer;
use openssl::{hash::MessageDigest, rsa::Padding};
use serde::{Deserialize, Serialize};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Barrier, Mutex};
use std::thread;
use std::time::{Duration, Instant};

/// Of SoftHSM's token.
pub const PIN: &str = "1234";

/// What every client signs.
const MESSAGE: &[u8] = b"what is signed";

/// What a client did.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Done {
    /// Seconds from its first operation to its last.
    pub seconds: f64,
    /// Seconds of processor time meanwhile.
    pub cpu: f64,
    /// Microseconds of each operation.
    pub times: Vec<u32>,
    /// Results that were compared with OpenSSL's.
    pub checked: u64,
}

/// Arguments of `daemon-bench client`.
#[derive(clap::Args)]
pub struct Arguments {
    #[arg(long, value_enum)]
    pub transport: Transport,
    #[arg(long)]
    pub key: PathBuf,
    #[arg(long)]
    pub socket: PathBuf,
    /// Of transports through PKCS#11.
    #[arg(long)]
    pub module: Option<PathBuf>,
    #[arg(long)]
    pub seconds: f64,
    #[arg(long)]
    pub threads: usize,
}

/// Signs once.
type Sign = Box<dyn Fn() -> Vec<u8> + Send + Sync>;

fn signing(transport: Transport, pem: &[u8], socket: &Path, module: Option<&Path>) -> Sign {
    let digest = Hash::Sha256.digest(MESSAGE).expect("SHA-256").to_vec();
    let block =
        [&b"\x30\x31\x30\x0d\x06\x09\x60\x86\x48\x01\x65\x03\x04\x02\x01\x05\x00\x04\x20"[..], &digest].concat();
    match transport {
        Transport::Openssl => {
            let rsa = Rsa::private_key_from_pem(pem).expect("a key");
            Box::new(move || {
                let mut signature = vec![0; rsa.size() as usize];
                rsa.private_encrypt(&block, &mut signature, Padding::PKCS1).expect("a signature");
                signature
            })
        }
        Transport::InProcess => {
            let key = Arc::new(PrivateKey::read(pem, None).expect("a key"));
            let gatherer = Gatherer::global().expect("a gatherer");
            Box::new(move || signature::sign_digest(gatherer, &key, Hash::Sha256, &digest).expect("a signature"))
        }
        Transport::Lent => {
            let key = Arc::new(PrivateKey::read(pem, None).expect("a key"));
            let config = Config::named(&format!("garnerd:{}", socket.display()), &[&Daemons]).expect("a device");
            let gatherer = Gatherer::new(config);
            Box::new(move || {
                let signature = signature::sign_digest(&gatherer, &key, Hash::Sha256, &digest).expect("a signature");
                assert_eq!(gatherer.statistics().device_failures, 0, "the daemon did not do it");
                signature
            })
        }
        Transport::Pkcs11 | Transport::SoftHsm => {
            let session = Mutex::new(session(module.expect("a module"), transport));
            let wanted = [Attribute::Class(ObjectClass::PRIVATE_KEY), Attribute::Label(b"key".to_vec())];
            let key = session.lock().expect("one thread").find_objects(&wanted).expect("a search")[0];
            Box::new(move || {
                session.lock().expect("one thread").sign(&Mechanism::RsaPkcs, key, &block).expect("a signature")
            })
        }
        Transport::Unbatched => {
            let size = Rsa::private_key_from_pem(pem).expect("a key").size() as usize;
            let client = unbatched::Client::new(socket, size).expect("a connection");
            Box::new(move || client.sign(&block).expect("a signature"))
        }
        Transport::Garnerd => {
            let client = Client::new(socket, Duration::from_secs(10));
            let scheme = SignatureScheme::Pkcs1v15 { hash: Hash::Sha256 };
            Box::new(move || {
                let work = Work::Sign { scheme, digest: &digest };
                client.call(KeyName::Named("key"), work).expect("a signature").into_public()
            })
        }
    }
}

/// A session of a module's first token.
fn session(module: &Path, transport: Transport) -> Session {
    let module = Pkcs11::new(module).expect("a module");
    module.initialize(CInitializeArgs::new(CInitializeFlags::OS_LOCKING_OK)).expect("it begins");
    let slot = module.get_slots_with_initialized_token().expect("slots")[0];
    let session = module.open_ro_session(slot).expect("a session");
    if transport == Transport::SoftHsm {
        session.login(UserType::User, Some(&AuthPin::new(PIN.into()))).expect("its PIN");
    }
    session
}

/// What OpenSSL gives: with PKCS#1 v1.5 there is one right signature.
fn right(pem: &[u8]) -> Vec<u8> {
    let key = PKey::private_key_from_pem(pem).expect("a key");
    let mut signer = Signer::new(MessageDigest::sha256(), &key).expect("a signer");
    signer.sign_oneshot_to_vec(MESSAGE).expect("a signature")
}

/// Runs the client; its start is a byte on standard input.
pub fn run(arguments: &Arguments) -> Done {
    let pem = std::fs::read(&arguments.key).expect("the key's file");
    let sign = signing(arguments.transport, &pem, &arguments.socket, arguments.module.as_deref());
    let right = right(&pem);
    assert!(sign() == right, "a wrong signature");
    println!("ready");
    io::stdin().read_exact(&mut [0]).expect("the start");
    let barrier = Barrier::new(arguments.threads);
    let work = || {
        barrier.wait();
        let (start, end) = (Instant::now(), Duration::from_secs_f64(arguments.seconds));
        let mut done = Done::default();
        while start.elapsed() < end {
            let before = Instant::now();
            let signature = sign();
            done.times.push(before.elapsed().as_micros() as u32);
            assert!(signature == right, "a wrong signature");
            done.checked += 1;
        }
        done.seconds = start.elapsed().as_secs_f64();
        done
    };
    let before = processor_time();
    let mut done = thread::scope(|scope| {
        let threads: Vec<_> = (0..arguments.threads).map(|_| scope.spawn(work)).collect();
        threads.into_iter().fold(Done::default(), |mut all, thread| {
            let one = thread.join().expect("a client's thread");
            all.seconds = all.seconds.max(one.seconds);
            all.times.extend(one.times);
            all.checked += one.checked;
            all
        })
    });
    done.cpu = processor_time() - before;
    done
}

/// Seconds of processor time of this process.
fn processor_time() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("its own figures");
    (usage.user_time().num_microseconds() + usage.system_time().num_microseconds()) as f64 / 1e6
}
