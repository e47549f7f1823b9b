// SPDX-License-Identifier: Apache-2.0
//! Signing in one step under two runtimes that share no code: tokio and smol.

mod gather_support;

use garner::Error;
use garner::gather::Gatherer;
use garner::padding::Hash;
use garner::signature::{self, Scheme};
use gather_support::{Gate, Known, PATIENCE, TestDevice, config, gatherer};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc;
use std::thread;
use tokio::runtime::Builder;

const SCHEMES: [Scheme; 2] = [Scheme::Pkcs1v15(Hash::Sha256), Scheme::pss(Hash::Sha256)];

#[test]
fn signing_holds_up_no_other_task_of_its_thread() {
    let (known, gate) = (Known::new(1024), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    // A thread that the runtime's waits for in vain would wait for ever; this one opens the gate then, and tells.
    let (done, watched) = mpsc::channel::<()>();
    let blocked = Arc::new(AtomicBool::new(false));
    let (last, told) = (Arc::clone(&gate), Arc::clone(&blocked));
    let watch = thread::spawn(move || {
        if watched.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            told.store(true, Ordering::Relaxed);
            last.open_for_good();
        }
    });
    let key = Arc::clone(&known.key);
    let runtime = Builder::new_current_thread().build().unwrap();
    let signature = runtime.block_on(async move {
        let signer = tokio::spawn(async move {
            let signature = signature::sign_async(&gatherer, &key, Hash::Sha256, b"message").await.unwrap();
            signature::verify(&gatherer, key.public(), Hash::Sha256, b"message", &signature).map(|()| signature)
        });
        // Polled after the signer: that one must have given the thread back before its answer can come.
        let opener = tokio::spawn(async move { gate.open_for_good() });
        opener.await.unwrap();
        signer.await.unwrap()
    });
    drop(done);
    watch.join().unwrap();
    assert!(!blocked.load(Ordering::Relaxed), "the runtime's thread was blocked by a signature under way");
    assert_eq!(signature.unwrap().len(), known.key.public().size());
}

/// The verdict over the signature of message `i` of many.
async fn signed(gatherer: &Gatherer, known: &Known, i: usize) -> Result<(), Error> {
    let (scheme, message) = (SCHEMES[i % 2], format!("message {i}"));
    let signature = signature::sign_async(gatherer, &known.key, scheme, message.as_bytes()).await?;
    signature::verify(gatherer, known.key.public(), scheme, message.as_bytes(), &signature)
}

#[test]
fn every_signature_arrives_under_tokio_and_under_smol() {
    let known = Arc::new(Known::new(1024));
    let gatherer = Arc::new(gatherer(&Arc::new(TestDevice::sound(16)), 2));
    let tasks = || (0..100).map(|i| (Arc::clone(&gatherer), Arc::clone(&known), i));
    Builder::new_multi_thread().worker_threads(2).build().unwrap().block_on(async {
        let tasks = tasks().map(|(gatherer, known, i)| tokio::spawn(async move { signed(&gatherer, &known, i).await }));
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap().unwrap();
        }
    });
    smol::block_on(async {
        let tasks = tasks().map(|(gatherer, known, i)| smol::spawn(async move { signed(&gatherer, &known, i).await }));
        for task in tasks.collect::<Vec<_>>() {
            task.await.unwrap();
        }
    });
}

#[test]
fn signatures_begun_before_the_first_is_awaited_share_batches() {
    let (known, gate) = (Known::new(1024), Gate::new());
    let device = Arc::new(TestDevice::held(16, &gate));
    let gatherer = gatherer(&device, 1);
    let sign = |_| signature::sign_async(&gatherer, &known.key, Hash::Sha256, b"message");
    let pending: Vec<_> = (0..9).map(sign).collect();
    gate.open_for_good();
    let signatures = pending.into_iter().map(|pending| smol::block_on(pending).unwrap()).collect::<Vec<_>>();
    assert!(signatures.iter().all(|signature| *signature == signatures[0]));
    assert!(device.sizes().len() < 9, "each of {:?} in a batch of its own", device.sizes());
}

#[test]
fn what_cannot_begin_says_so_when_awaited() {
    let (known, gate) = (Known::new(1024), Gate::new());
    let mut config = config(&[&Arc::new(TestDevice::held(2, &gate))], 1);
    config.queue_limit = 1;
    let gatherer = Gatherer::new(config);
    let sign = |scheme: Scheme| signature::sign_async(&gatherer, &known.key, scheme, b"message");
    let refused = smol::block_on(sign(Hash::Sha1.into())).unwrap_err();
    assert!(refused.to_string().contains("SHA-1"), "{refused}");
    let short = signature::sign_digest_async(&gatherer, &known.key, Hash::Sha256, b"short");
    assert!(matches!(smol::block_on(short), Err(Error::Argument { name: "digest", .. })));

    let first = sign(SCHEMES[0]);
    gate.wait_for_arrivals(1);
    let second = sign(SCHEMES[0]);
    assert_eq!(smol::block_on(sign(SCHEMES[0])), Err(Error::Full(1)));
    gate.open_for_good();
    assert_eq!(smol::block_on(first), smol::block_on(second));
}
