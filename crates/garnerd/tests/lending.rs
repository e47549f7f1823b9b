// SPDX-License-Identifier: Apache-2.0
//! Programs that lend their keys: the daemon as a device.

mod support;

use garner::device::Kind;
use garner::gather::{Config, Gatherer, Operation};
use garner::key::PrivateKey;
use garner_device_garnerd::Daemons;
use garner_remote::message::{self, KeyName, Refusal, Request, Response, Work};
use garner_remote::socket::Socket;
use garner_remote::{Client, Error, lender, sealed, stub};
use openssl::rsa::{Padding, Rsa};
use rustix::process::Signal;
use std::os::fd::{AsFd, OwnedFd};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};
use support::*;

/// A key that the daemon does not hold, an input, and what comes out.
struct Own {
    key: Arc<PrivateKey>,
    input: Vec<u8>,
    right: Vec<u8>,
}

fn own(bits: u32) -> Own {
    let rsa = Rsa::generate(bits).unwrap();
    let key = Arc::new(PrivateKey::from_der(&rsa.private_key_to_der().unwrap()).unwrap());
    let (input, mut right) = (vec![7; rsa.size() as usize], vec![0; rsa.size() as usize]);
    rsa.private_encrypt(&input, &mut right, Padding::NONE).unwrap();
    Own { key, input, right }
}

/// A program's gatherer that uses the daemon.
fn gatherer(daemon: &Daemon) -> Gatherer {
    let name = format!("garnerd:{}", daemon.socket().display());
    Gatherer::new(Config::named(&name, &[&Daemons as &dyn Kind]).unwrap())
}

fn run(gatherer: &Gatherer, own: &Own) {
    let answer = gatherer.run(Operation::private(&own.key, &own.input).unwrap()).unwrap();
    assert_eq!(answer[..], own.right);
}

/// What the daemon says of itself when it ends: operations and batches.
fn done(daemon: &mut Daemon) -> (u64, u64) {
    let log = daemon.end();
    let line = log.lines().find(|line| line.contains("ended;")).unwrap().to_owned();
    let mut numbers = line.split_whitespace().filter_map(|word| word.parse().ok());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// The operation by a client without a gatherer.
fn ask(client: &Client, own: &Own) -> Result<Vec<u8>, Error> {
    let answers = client.operate(&[lender::Private { key: &own.key, input: &own.input }])?;
    Ok(answers[0].to_vec())
}

#[test]
fn keys_of_all_sizes_are_lent_and_the_daemon_does_the_operations() {
    let mut daemon = Daemon::started("");
    let keys: Vec<Own> = [512, 1024, 1536, 2048, 3072, 4096].map(own).into();
    let gatherer = gatherer(&daemon);
    for _ in 0..3 {
        keys.iter().for_each(|own| run(&gatherer, own));
    }
    let statistics = gatherer.statistics();
    assert_eq!((statistics.device_failures, statistics.faults), (0, 0));
    drop(gatherer);
    assert_eq!(done(&mut daemon).0, 18);
}

#[test]
fn operations_of_one_program_that_come_together_are_one_batch_of_the_daemons() {
    let mut daemon = Daemon::started("");
    let (gatherer, keys) = (gatherer(&daemon), [own(1024), own(1024)]);
    // The first brings the keys.
    keys.iter().for_each(|own| run(&gatherer, own));
    for _ in 0..20 {
        let operations = (0..16).map(|i| Operation::private(&keys[i % 2].key, &keys[i % 2].input).unwrap());
        let answers = gatherer.run_batch(operations.collect());
        for (i, answer) in answers.into_iter().enumerate() {
            assert_eq!(answer.unwrap()[..], keys[i % 2].right);
        }
    }
    let (operations, batches) = done(&mut daemon);
    assert_eq!(operations, 322);
    if garner::arithmetic::best().unwrap().lanes() > 1 {
        assert!(2 * batches < operations, "{batches} batches");
    } else {
        left_out("how full batches are: there are no kernels for this processor, so they are of one");
    }
}

#[test]
fn a_lent_key_is_its_connections_alone() {
    let daemon = Daemon::started("[key.www]\noperations = ['sign']");
    let (lender, own) = (daemon.client(), own(1024));
    assert_eq!(ask(&lender, &own).unwrap(), own.right);
    let modulus = KeyName::Modulus(stub::fingerprint_of(own.key.public()).unwrap());
    for work in [Work::Describe, Work::Raw { input: &own.input }] {
        let other = daemon.client().call(modulus, work);
        assert!(matches!(other, Err(Error::Refused(Refusal::NoKey))), "{other:?}");
    }
    // Its own connection, which is used again, may.
    assert_eq!(lender.call(modulus, Work::Raw { input: &own.input }).unwrap()[..], own.right);
    let signed = lender.call(modulus, SIGN);
    assert!(matches!(signed, Err(Error::Refused(Refusal::Forbidden(_)))), "padding is the program's: {signed:?}");
}

/// A program may have a key that the daemon holds, too, and may not be allowed raw operations with that.
#[test]
fn a_key_that_the_daemon_holds_is_lent_as_any_other() {
    let daemon = Daemon::started("[key.www]\noperations = ['sign']");
    let input = vec![3; 128];
    let answers = daemon.client().operate(&[lender::Private { key: key(), input: &input }; 3]).unwrap();
    let rsa = Rsa::private_key_from_der(&key().to_pkcs1_der()).unwrap();
    let mut right = [0; 128];
    rsa.private_encrypt(&input, &mut right, Padding::NONE).unwrap();
    assert!(answers.iter().all(|answer| answer[..] == right));
}

#[test]
fn a_program_that_asks_more_often_than_it_may_computes_the_rest_itself() {
    let daemon = Daemon::started("[lend]\nusers = ['daemon']\nper_second = 5");
    let (gatherer, own) = (gatherer(&daemon), own(1024));
    (0..20).for_each(|_| run(&gatherer, &own));
    let statistics = gatherer.statistics();
    assert!(statistics.device_failures >= 1, "more than five a second");
    assert_eq!((statistics.out_of_service, statistics.faults), (0, 0));
    assert!(daemon.log().contains("lent by user"), "{}", daemon.log());
}

#[test]
fn a_daemon_that_is_killed_under_load_fails_nobody_and_is_used_again() {
    let mut daemon = Daemon::started("");
    let (gatherer, own) = (gatherer(&daemon), own(1024));
    for _ in 0..3 {
        thread::scope(|scope| {
            let worker = || (0..200).for_each(|_| run(&gatherer, &own));
            let workers: Vec<_> = (0..6).map(|_| scope.spawn(worker)).collect();
            thread::sleep(Duration::from_millis(20));
            daemon.kill();
            workers.into_iter().for_each(|worker| worker.join().unwrap());
        });
        daemon.start();
        wait_until("using the daemon again", || {
            run(&gatherer, &own);
            daemon.log().contains("lent by user")
        });
    }
    assert_eq!(gatherer.statistics().out_of_service, 0);
}

#[test]
fn a_daemon_that_stands_still_is_not_waited_for_by_each_operation() {
    let daemon = Daemon::started("");
    let (gatherer, own) = (gatherer(&daemon), own(1024));
    run(&gatherer, &own);
    daemon.signal(Signal::STOP);
    let start = Instant::now();
    (0..50).for_each(|_| run(&gatherer, &own));
    let stood = start.elapsed();
    daemon.signal(Signal::CONT);
    assert!(stood >= Duration::from_secs(2), "answered in {stood:?} though it stands still");
    // It is asked again after each pause, however long the machine takes for the rest; not by each operation.
    let failures = gatherer.statistics().device_failures;
    assert!((1..10).contains(&failures), "{failures} of 50 operations waited for it");
}

/// What was queued before the daemon stopped waits for it once, not once for each batch.
#[test]
fn operations_that_were_queued_when_the_daemon_stops_do_not_wait_one_after_the_other() {
    let daemon = Daemon::started("");
    let (gatherer, own) = (gatherer(&daemon), own(1024));
    run(&gatherer, &own);
    daemon.signal(Signal::STOP);
    let start = Instant::now();
    let operations = (0..400).map(|_| Operation::private(&own.key, &own.input).unwrap()).collect();
    assert!(gatherer.run_batch(operations).into_iter().all(|answer| answer.unwrap()[..] == own.right));
    let took = start.elapsed();
    daemon.signal(Signal::CONT);
    assert!(took < Duration::from_secs(20), "{took:?}, for two seconds of patience");
}

/// Requests that are answered at once bring no work: a batch that lingers is not held up by them.
#[test]
fn a_flood_of_requests_that_bring_no_work_holds_no_batch_up() {
    let daemon = Daemon::started("");
    let ends = AtomicBool::new(false);
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                let client = daemon.client();
                while !ends.load(Ordering::Relaxed) {
                    let none = client.call(KeyName::Named("none"), SIGN);
                    assert!(matches!(none, Err(Error::Refused(Refusal::NoKey))), "{none:?}");
                }
            });
        }
        let (client, start) = (daemon.client(), Instant::now());
        (0..100).for_each(|_| sign(&client, www(), key().public()));
        let took = start.elapsed();
        ends.store(true, Ordering::Relaxed);
        assert!(took < Duration::from_secs(20), "100 signatures took {took:?}");
    });
}

#[test]
fn a_reload_changes_what_holds_for_keys_that_are_lent_already() {
    let daemon = Daemon::started("[key.www]\noperations = ['sign']");
    let (client, own) = (Client::new(daemon.socket(), Duration::from_secs(3)), own(1024));
    assert_eq!(ask(&client, &own).unwrap(), own.right);
    let modulus = KeyName::Modulus(stub::fingerprint_of(own.key.public()).unwrap());
    let raw = || client.call(modulus, Work::Raw { input: &own.input });
    assert_eq!(raw().unwrap()[..], own.right);
    // Root and the daemon's own user always may, and the test is one of them: what can be taken away is how often.
    std::fs::write(daemon.configuration(), "[lend]\nper_second = 0").unwrap();
    daemon.signal(Signal::HUP);
    wait_until("reading the configuration again", || daemon.log().contains("read again"));
    let answer = raw();
    assert!(matches!(answer, Err(Error::Refused(Refusal::TooMany))), "{answer:?}");
}

/// A daemon at the socket that answers with whatever it likes: nothing that is no result is released.
#[test]
fn answers_that_are_no_results_are_not_released() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    let own = own(1024);
    let modulus = own.key.public().to_der();
    for answer in [Vec::new(), vec![0; 127], vec![0xff; 128], vec![1; 129], modulus] {
        let _ = std::fs::remove_file(&path);
        let listener = listen(&path);
        let gatherer = Gatherer::new(Config::named(&format!("garnerd:{}", path.display()), &[&Daemons]).unwrap());
        thread::scope(|scope| {
            scope.spawn(|| {
                let socket = Socket::accepted(rustix::net::accept(&listener).unwrap());
                let packet = receive(&socket).unwrap();
                let Request { id, .. } = message::decode(&packet).unwrap();
                let response = message::encode(&Response { id, answer: Ok(&answer) }).unwrap();
                assert_eq!(socket.send(&response), Ok(true));
                // The other side ends the connection, or keeps it.
                thread::sleep(Duration::from_millis(50));
            });
            run(&gatherer, &own);
        });
        assert_eq!(gatherer.statistics().device_failures, 1);
    }
}

/// A socket that listens at this path.
fn listen(path: &std::path::Path) -> OwnedFd {
    use rustix::net::{AddressFamily, SocketAddrUnix, SocketType, bind, listen, socket};
    let listener = socket(AddressFamily::UNIX, SocketType::SEQPACKET, None).unwrap();
    bind(&listener, &SocketAddrUnix::new(path).unwrap()).unwrap();
    listen(&listener, 1).unwrap();
    listener
}

#[test]
fn what_is_no_key_is_refused_and_the_connection_goes_on() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    let own = own(1024);
    let modulus = stub::fingerprint_of(own.key.public()).unwrap();
    let lend = |key| message::encode(&Request { id: 5, key, work: Work::Lend }).unwrap();
    let key = KeyName::Modulus(modulus);
    let (pipe, _writer) = rustix::pipe::pipe().unwrap();
    let file = std::fs::File::open(daemon.configuration()).unwrap();
    let good = sealed::sealed(&own.key).unwrap();
    for (packet, with) in [
        (lend(key), None),
        (lend(key), Some(pipe.as_fd())),
        (lend(key), Some(file.as_fd())),
        (lend(KeyName::Modulus([0; 32])), Some(good.as_fd())),
        (lend(www()), Some(good.as_fd())),
    ] {
        let sent = match with {
            Some(file) => socket.send_with_file(&packet, file),
            None => socket.send(&packet),
        };
        assert_eq!(sent, Ok(true));
        let refusal = refusal(&receive(&socket).expect("the connection goes on"));
        assert!(matches!(refusal, (5, Refusal::Malformed | Refusal::Argument { .. })), "{refusal:?}");
    }
    assert_eq!(socket.send_with_file(&lend(key), good.as_fd()), Ok(true));
    assert_eq!(answer(&receive(&socket).unwrap()), Some(Vec::new()));
}

/// Files that come with any message are closed: a client cannot fill the daemon's table of them.
#[test]
fn files_with_other_messages_are_closed() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let file = std::fs::File::open(daemon.configuration()).unwrap();
    let before = daemon.descriptors();
    for _ in 0..300 {
        assert_eq!(socket.send_with_file(&packet, file.as_fd()), Ok(true));
        assert!(answer(&receive(&socket).unwrap()).is_some());
    }
    let (open, workers) = (daemon.descriptors(), thread::available_parallelism().unwrap().get());
    assert!(open < before + workers + 100, "{open} files are open, {before} before");
}

#[test]
fn a_connection_that_lends_more_keys_than_it_may_is_answered_all_the_same() {
    let daemon = Daemon::started("");
    let (client, first) = (daemon.client(), own(512));
    assert_eq!(ask(&client, &first).unwrap(), first.right);
    for _ in 0..100 {
        let own = own(512);
        assert_eq!(ask(&client, &own).unwrap(), own.right);
    }
    // It was put out, and is lent again.
    assert_eq!(ask(&client, &first).unwrap(), first.right);
}
