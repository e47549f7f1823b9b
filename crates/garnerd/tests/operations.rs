// SPDX-License-Identifier: Apache-2.0
//! What clients that keep to the rules get from a daemon.

mod support;

use garner::encryption;
use garner::gather::Gatherer;
use garner::key::PublicKey;
use garner::padding::{Hash, pkcs1v15};
use garner::signature;
use garner_remote::message::{KeyName, Refusal, Work};
use garner_remote::scheme::{EncryptionScheme, Salt, SignatureScheme};
use garner_remote::{Client, Error, stub};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use support::*;

fn refused(answer: Result<impl Sized, Error>) -> Refusal {
    match answer {
        Err(Error::Refused(refusal)) => refusal,
        Err(other) => panic!("{other}"),
        Ok(_) => panic!("not refused"),
    }
}

#[test]
fn a_key_is_described_and_found_by_name_and_by_modulus() {
    let daemon = Daemon::started("");
    let client = daemon.client();
    let public = PublicKey::from_der(&client.call(www(), Work::Describe).unwrap()).unwrap();
    assert_eq!(public.to_der(), key().public().to_der());
    let modulus = KeyName::Modulus(stub::fingerprint_of(&public).unwrap());
    sign(&client, modulus, &public);
    sign(&client, www(), &public);
    for unknown in [KeyName::Named("ww"), KeyName::Modulus([0; 32]), KeyName::Named("../keys/www")] {
        assert_eq!(refused(client.call(unknown, SIGN)), Refusal::NoKey);
    }
}

#[test]
fn every_scheme_gives_what_the_library_gives() {
    let daemon = Daemon::started("[key.www]\noperations = ['sign', 'decrypt', 'raw']");
    let (client, gatherer) = (daemon.client(), Gatherer::global().unwrap());
    let public = Arc::clone(key().public());
    let mut schemes = vec![SignatureScheme::Shake128(Salt::Digest), SignatureScheme::Shake256(Salt::Bytes(20))];
    for hash in [Hash::Sha256, Hash::Sha384, Hash::Sha3_256] {
        schemes.push(SignatureScheme::Pkcs1v15 { hash });
        schemes.extend([Salt::Digest, Salt::Bytes(7), Salt::Longest].map(|salt| SignatureScheme::Pss {
            hash,
            mgf1_hash: Hash::Sha256,
            salt,
        }));
    }
    for scheme in schemes {
        let whole = signature::Scheme::from(scheme);
        let digest = whole.digest(b"message").unwrap();
        let signature = client.call(www(), Work::Sign { scheme, digest: &digest }).unwrap();
        assert_eq!(signature::verify(gatherer, &public, whole, b"message", &signature), Ok(()), "{scheme:?}");
    }
    let secret = [&[3, 3][..], &[7; 46]].concat();
    let ciphertext = encryption::encrypt(gatherer, &public, encryption::Scheme::Pkcs1v15, &secret).unwrap();
    let premaster = Work::Decrypt { scheme: EncryptionScheme::TlsPremaster, ciphertext: &ciphertext };
    assert_eq!(client.call(www(), premaster).unwrap()[..], secret);
    let oaep = EncryptionScheme::Oaep { hash: Hash::Sha256, mgf1_hash: Hash::Sha1, label: b"label" };
    for scheme in [oaep, EncryptionScheme::Pkcs1v15] {
        let ciphertext = encryption::encrypt(gatherer, &public, scheme.into(), b"secret").unwrap();
        let message = client.call(www(), Work::Decrypt { scheme, ciphertext: &ciphertext }).unwrap();
        assert_eq!(message[..], *b"secret", "{scheme:?}");
    }
    let block = client.call(www(), Work::SignUnnamed { payload: &[9; 36] }).unwrap();
    let block = encryption::encrypt(gatherer, &public, encryption::Scheme::Raw, &block).unwrap();
    assert_eq!(pkcs1v15::verify_raw(&[9; 36], &block), Ok(()));
    let raw = client.call(www(), Work::Raw { input: &block }).unwrap();
    assert_eq!(encryption::encrypt(gatherer, &public, encryption::Scheme::Raw, &raw).unwrap(), block);
}

/// Whether a ciphertext was well padded is in no answer, nor in how two differ: those for premaster secrets follow from the message
/// by implicit rejection, which they get as well.
#[test]
fn premaster_secrets_tell_no_more_than_implicit_rejection() {
    let daemon = Daemon::started("[key.www]\noperations = ['decrypt']");
    let (client, gatherer) = (daemon.client(), Gatherer::global().unwrap());
    let public = Arc::clone(key().public());
    let decrypt = |scheme, ciphertext: &[u8]| client.call(www(), Work::Decrypt { scheme, ciphertext }).unwrap();
    // Bad padding, until a stand-in has the length of a premaster secret; and good padding of a message of another length.
    let bad = (0..10_000_u32).map(|i| [&[0, 1][..], &i.to_be_bytes(), &[7; 122]].concat());
    let bad = bad.map(|block| encryption::encrypt(gatherer, &public, encryption::Scheme::Raw, &block).unwrap());
    let other = encryption::encrypt(gatherer, &public, encryption::Scheme::Pkcs1v15, &[7; 47]).unwrap();
    let (mut as_long, mut others) = (0, 0);
    for ciphertext in std::iter::once(other).chain(bad) {
        let message = decrypt(EncryptionScheme::Pkcs1v15, &ciphertext);
        let [once, again] = [(); 2].map(|()| decrypt(EncryptionScheme::TlsPremaster, &ciphertext));
        if message.len() == 48 {
            assert!(once == message && again == message);
            as_long += 1;
        } else {
            assert!(once.len() == 48 && once != again);
            others += 1;
        }
        if as_long == 3 {
            break;
        }
    }
    assert!(as_long == 3 && others > 3, "{as_long} of 48 bytes, {others} of others");
}

#[test]
fn arguments_that_do_not_fit_are_named_and_the_connection_goes_on() {
    let daemon = Daemon::started("[key.www]\noperations = ['sign', 'decrypt', 'raw']");
    let client = daemon.client();
    let scheme = SignatureScheme::Pkcs1v15 { hash: Hash::Sha256 };
    let digest = refused(client.call(www(), Work::Sign { scheme, digest: &[1; 31] }));
    assert!(matches!(&digest, Refusal::Argument { name, .. } if name == "digest"), "{digest:?}");
    let sha1 = Work::Sign { scheme: SignatureScheme::Pkcs1v15 { hash: Hash::Sha1 }, digest: &[1; 20] };
    assert!(matches!(refused(client.call(www(), sha1)), Refusal::Argument { .. }));
    for input in [&[0xff; 128][..], &[1; 127], &[]] {
        assert!(matches!(refused(client.call(www(), Work::Raw { input })), Refusal::Argument { .. }));
    }
    let scheme = EncryptionScheme::Oaep { hash: Hash::Sha256, mgf1_hash: Hash::Sha256, label: b"" };
    for ciphertext in [&[1; 128][..], &[1; 127], &[0xff; 128]] {
        assert_eq!(refused(client.call(www(), Work::Decrypt { scheme, ciphertext })), Refusal::Verification);
    }
    sign(&client, www(), key().public());
}

/// As the threads do that ask for the operations of a list.
#[test]
fn more_than_a_seconds_allowance_takes_longer_and_is_done() {
    let daemon = Daemon::started("[key.www]\nper_second = 50");
    let (client, start) = (daemon.client(), Instant::now());
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| (0..15).for_each(|_| sign(&client, www(), key().public())));
        }
    });
    assert!(start.elapsed() > Duration::from_secs(1), "70 of 120 have to wait");
}

#[test]
fn many_programs_share_batches() {
    let mut daemon = Daemon::started("");
    thread::scope(|scope| {
        for _ in 0..16 {
            // A client each, as programs of their own have.
            let client = daemon.client();
            scope.spawn(move || (0..50).for_each(|_| sign(&client, www(), key().public())));
        }
    });
    let log = daemon.end();
    assert!(log.contains("ended; 800 operations in"), "{log}");
    assert_eq!(log.matches("key www: used by user").count(), 16, "{log}");
}

#[test]
fn one_client_is_used_by_many_threads_and_by_a_child_at_the_same_time() {
    let daemon = Daemon::started("");
    let client = daemon.client();
    sign(&client, www(), key().public());
    thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| (0..20).for_each(|_| sign(&client, www(), key().public())));
        }
        for _ in 0..5 {
            // SAFETY: the child calls nothing that another thread's lock could hold up but the allocator, which the C library
            // keeps usable, and leaves without running anybody's destructors.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let signed = (0..5).all(|_| client.call(www(), SIGN).is_ok_and(|signature| signature.len() == 128));
                // SAFETY: as above.
                unsafe { libc::_exit(i32::from(!signed)) };
            }
            let mut status = 0;
            // SAFETY: a child of ours and a local.
            assert_eq!(unsafe { libc::waitpid(child, &mut status, 0) }, child);
            assert_eq!(status, 0);
        }
    });
}

#[test]
fn a_daemon_killed_under_load_and_started_again_loses_nothing() {
    let mut daemon = Daemon::started("");
    let clients: Vec<Client> = (0..8).map(|_| daemon.client()).collect();
    let (over, signed) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for client in &clients {
            scope.spawn(|| {
                while !over.load(Ordering::Relaxed) {
                    sign(client, www(), key().public());
                    signed.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        for kill in 0..8 {
            let before = signed.load(Ordering::Relaxed);
            wait_until("signing", || signed.load(Ordering::Relaxed) > before);
            thread::sleep(Duration::from_millis(5 + 17 * (kill % 5)));
            daemon.kill();
            daemon.start();
        }
        over.store(true, Ordering::Relaxed);
    });
}

#[test]
fn without_a_daemon_a_call_ends_after_its_patience_and_says_where_it_looked() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let error = Client::new(&path, Duration::from_millis(50)).call(www(), SIGN).unwrap_err().to_string();
    assert!(error.starts_with(&format!("garnerd does not answer at {}: ", path.display())), "{error}");
}
