// SPDX-License-Identifier: Apache-2.0
//! Many clients with many requests at once: what the daemon needs for them, and that it gives it back.

mod support;

use garner_remote::message::{self, Buffer, Request, Response};
use garner_remote::socket::{Received, Socket};
use rustix::event::PollFlags;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::time::{Duration, Instant};
use support::*;

const CLIENTS: u64 = 1_000;
const REQUESTS_EACH: u64 = 10;
const ROUNDS: u64 = 3;

/// Most memory that the daemon may have in use at any time, in KiB.
const MEMORY: u64 = 64 << 10;

/// A line of `/proc/PID/status`, in KiB.
fn memory(daemon: &Daemon, name: &str) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", daemon.pid())).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim_start_matches(':').trim().trim_end_matches(" kB").parse().unwrap()
}

/// How many descriptors the daemon has, and how many of them are sockets.
fn descriptors(daemon: &Daemon) -> (usize, usize) {
    let folder = fs::read_dir(format!("/proc/{}/fd", daemon.pid())).unwrap();
    // One may be closed meanwhile.
    let targets: Vec<_> = folder.filter_map(|entry| fs::read_link(entry.unwrap().path()).ok()).collect();
    let sockets = targets.iter().filter(|target| target.to_string_lossy().starts_with("socket:")).count();
    (targets.len(), sockets)
}

fn connect(daemon: &Daemon) -> Socket {
    let start = Instant::now();
    loop {
        match Socket::connect(&daemon.socket()) {
            Ok(socket) => return socket,
            // Too many wait to be accepted.
            Err(error) => assert!(start.elapsed() < Duration::from_secs(30), "{error}"),
        }
    }
}

/// One answer, which must be a right one: its number.
fn answer(socket: &Socket) -> u64 {
    let mut buffer = Buffer::default();
    assert_eq!(socket.wait(PollFlags::IN, Instant::now() + Duration::from_secs(60)), Ok(true));
    let Received::Packet(length) = socket.receive(&mut buffer) else { panic!("the daemon ended a connection") };
    let Response { id, answer } = message::decode(buffer.packet(length)).unwrap();
    verify(key().public(), answer.unwrap());
    id
}

#[test]
fn a_thousand_clients_with_ten_requests_each_are_served_in_little_memory_and_leave_nothing() {
    // Each connection is a descriptor here, and one there.
    let most = getrlimit(Resource::Nofile).maximum;
    let wanted = 4 * CLIENTS;
    assert!(
        most.is_none_or(|most| most >= wanted),
        "only {most:?} descriptors are permitted here, and {wanted} needed"
    );
    setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), maximum: most }).unwrap();
    let daemon = Daemon::started("");
    let (_, before) = descriptors(&daemon);
    let mut after_a_round = Vec::new();
    for round in 0..ROUNDS {
        let sockets: Vec<_> = (0..CLIENTS).map(|_| connect(&daemon)).collect();
        wait_until("all are accepted", || descriptors(&daemon).1 >= before + CLIENTS as usize);
        // All requests are there before any is answered.
        daemon.signal(rustix::process::Signal::STOP);
        for (client, socket) in sockets.iter().enumerate() {
            for number in 0..REQUESTS_EACH {
                let id = 1 + client as u64 * REQUESTS_EACH + number;
                let packet = message::encode(&Request { id, key: www(), work: SIGN }).unwrap();
                assert_eq!(socket.send(&packet), Ok(true), "round {round}, client {client}");
            }
        }
        daemon.signal(rustix::process::Signal::CONT);
        for (client, socket) in sockets.iter().enumerate() {
            let mut numbers: Vec<_> = (0..REQUESTS_EACH).map(|_| answer(socket)).collect();
            numbers.sort_unstable();
            let first = 1 + client as u64 * REQUESTS_EACH;
            assert_eq!(numbers, (first..first + REQUESTS_EACH).collect::<Vec<_>>(), "client {client}");
        }
        drop(sockets);
        wait_until("all are forgotten", || descriptors(&daemon).1 == before);
        after_a_round.push((memory(&daemon, "VmRSS"), descriptors(&daemon).0));
    }
    let most = memory(&daemon, "VmHWM");
    println!("{most} KiB at most; KiB and descriptors after each round: {after_a_round:?}");
    assert!(most < MEMORY, "{most} KiB");
    let (first, last) = (after_a_round[0], after_a_round[ROUNDS as usize - 1]);
    assert!(last.0 <= first.0 + first.0 / 10, "memory grows: {after_a_round:?}");
    // Workers that had nothing to do in the first round open their pages of figures later.
    let workers = std::thread::available_parallelism().unwrap().get();
    assert!(last.1 <= first.1 + workers, "descriptors grow: {after_a_round:?}");
}
