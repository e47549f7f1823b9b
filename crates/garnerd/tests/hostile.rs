// SPDX-License-Identifier: Apache-2.0
//! Clients that keep to no rules lose only themselves.

mod support;

use garner_remote::message::{self, KeyName, LONGEST, Refusal, Request, Response, VERSION};
use garner_remote::socket::Socket;
use garner_remote::{Client, Error};
use rustix::net::{Shutdown, shutdown};
use rustix::process::{Signal, geteuid};
use std::io::{Read, Write};
use std::os::unix::process::CommandExt;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use support::*;

#[test]
fn what_is_no_message_is_refused_and_the_connection_goes_on() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    let good = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let mut state = 1_u64;
    for round in 0..2000_usize {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let mut packet = good.to_vec();
        match round % 3 {
            0 => packet.truncate(1 + (state >> 33) as usize % (good.len() - 1)),
            1 => packet[1 + (state >> 33) as usize % (good.len() - 1)] ^= 1 << (state >> 60 & 7),
            _ => packet.iter_mut().skip(1).for_each(|byte| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(99);
                *byte = (state >> 56) as u8;
            }),
        }
        assert_eq!(socket.send(&packet), Ok(true));
        let answer = receive(&socket).expect("the connection is kept");
        // Whatever became of it, it is an answer of this protocol.
        let response: Response<'_> = message::decode(&answer).unwrap();
        assert!(round % 3 != 0 || response.answer == Err(Refusal::Malformed), "{response:?}");
    }
    assert_eq!(socket.send(&good), Ok(true));
    let answer = receive(&socket).unwrap();
    let response: Response<'_> = message::decode(&answer).unwrap();
    verify(key().public(), response.answer.unwrap());
}

#[test]
fn another_version_is_told_ours() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    let mut packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    packet[0] = VERSION + 1;
    assert_eq!(socket.send(&packet), Ok(true));
    assert_eq!(refusal(&receive(&socket).unwrap()), (0, Refusal::Version(VERSION)));
}

#[test]
fn a_packet_longer_than_any_message_ends_its_connection_only() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    assert_eq!(socket.send(&[VERSION; LONGEST + 1]), Ok(true));
    assert_eq!(receive(&socket), None);
    sign(&daemon.client(), www(), key().public());
}

/// One that only sends fills its own socket, not the daemon's memory, and loses its connection; meanwhile others are served.
#[test]
fn a_client_that_never_reads_loses_its_connection_and_nobody_waits_for_it() {
    let daemon = Daemon::started("");
    let socket = Socket::connect(&daemon.socket()).unwrap();
    let packet = message::encode(&Request { id: 5, key: KeyName::Named("none"), work: SIGN }).unwrap();
    let other = daemon.client();
    let (mut sent, start) = (0, Instant::now());
    loop {
        match socket.send(&packet) {
            Ok(true) => sent += 1,
            Ok(false) => sign(&other, www(), key().public()),
            Err(_) => break,
        }
        assert!(start.elapsed() < Duration::from_secs(60), "still connected after {sent} requests");
    }
    sign(&other, www(), key().public());
}

#[test]
fn clients_that_vanish_in_the_middle_hold_nobody_up() {
    let daemon = Daemon::started("");
    let (client, before) = (daemon.client(), daemon.descriptors());
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    for round in 0..200 {
        let socket = Socket::connect(&daemon.socket()).unwrap();
        for _ in 0..round % 5 {
            assert_eq!(socket.send(&packet), Ok(true));
        }
        drop(socket);
        if round % 20 == 0 {
            sign(&client, www(), key().public());
        }
    }
    sign(&client, www(), key().public());
    // Their descriptors are closed, all but the client's. Workers that had nothing to do before have one each.
    let most = before + std::thread::available_parallelism().unwrap().get() + 10;
    wait_until("closing their connections", || daemon.descriptors() < most);
}

#[test]
fn connections_beyond_the_limit_are_told_so() {
    let daemon = Daemon::started("connections = 3");
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    // Many times: a connection must have room at once where others ended, whichever of it the daemon hears of first.
    for _ in 0..100 {
        let held: Vec<Socket> = (0..3).map(|_| Socket::connect(&daemon.socket()).unwrap()).collect();
        for socket in &held {
            assert_eq!(socket.send(&packet), Ok(true));
            let answer = receive(socket).unwrap();
            assert!(message::decode::<Response<'_>>(&answer).unwrap().answer.is_ok());
        }
        let one_more = Socket::connect(&daemon.socket()).unwrap();
        assert_eq!(refusal(&receive(&one_more).unwrap()), (0, Refusal::TooMany));
        // Not closed alone: a program that another test starts has the descriptors, too, for a moment.
        held.iter().for_each(|socket| shutdown(socket, Shutdown::Both).unwrap());
    }
    sign(&daemon.client(), www(), key().public());
}

/// A process of user `nobody` that makes so many connections, sends `packet` on each after a line of its input, and holds them
/// until that ends. It says a line when it has made them, and one when it has sent.
fn nobody_with_connections(daemon: &Daemon, count: usize, packet: &[u8]) -> Child {
    let script = "import socket, sys\n\
        held = [socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) for _ in range(int(sys.argv[2]))]\n\
        for one in held: one.connect(sys.argv[1])\n\
        print(flush=True)\n\
        sys.stdin.readline()\n\
        for one in held:\n\
        \x20   try: one.send(bytes.fromhex(sys.argv[3]))\n\
        \x20   except OSError: pass\n\
        print(flush=True)\n\
        sys.stdin.read()";
    let packet: String = packet.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut command = Command::new("python3");
    command.args(["-c", script]).arg(daemon.socket()).args([count.to_string(), packet]);
    command.uid(65534).gid(65534).current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.spawn().unwrap();
    said(&mut process);
    process
}

/// When it has said a line.
fn said(process: &mut Child) {
    let mut line = [0];
    process.stdout.as_mut().unwrap().read_exact(&mut line).unwrap();
}

fn has_it_send(process: &mut Child) {
    process.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
    said(process);
}

#[test]
fn who_may_do_nothing_takes_nobodys_connection_however_many_he_makes() {
    if !geteuid().is_root() {
        return left_out("only root can connect as somebody else");
    }
    let daemon = Daemon::started("connections = 64");
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let mut stranger = nobody_with_connections(&daemon, 200, &packet);
    has_it_send(&mut stranger);
    let sockets: Vec<Socket> = (0..60).map(|_| Socket::connect(&daemon.socket()).unwrap()).collect();
    for socket in &sockets {
        assert_eq!(socket.send(&packet), Ok(true));
        assert!(answer(&receive(socket).unwrap()).is_some());
    }
    drop(stranger.stdin.take());
    stranger.wait().unwrap();
}

#[test]
fn who_asks_on_one_connection_does_not_wait_for_all_of_a_user_with_many() {
    if !geteuid().is_root() {
        return left_out("only root can connect as somebody else");
    }
    let daemon = Daemon::started("[key.www]\nusers = [65534]");
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let before = daemon.descriptors();
    let mut many = nobody_with_connections(&daemon, 200, &packet);
    let one = Socket::connect(&daemon.socket()).unwrap();
    wait_until("all are accepted", || daemon.descriptors() >= before + 201);
    // All requests are there before any is taken.
    daemon.signal(Signal::STOP);
    has_it_send(&mut many);
    assert_eq!(one.send(&packet), Ok(true));
    daemon.signal(Signal::CONT);
    assert!(answer(&receive(&one).unwrap()).is_some());
    wait_until("all are taken", || daemon.log().matches("used by user 65534").count() == 200);
    let log = daemon.log();
    let earlier = log[..log.find("used by user 0").unwrap()].matches("used by user 65534").count();
    assert!(earlier < 100, "{earlier} of the other's were taken before");
    drop(many.stdin.take());
    many.wait().unwrap();
}

#[test]
fn who_is_refused_again_and_again_on_new_connections_does_not_fill_the_log() {
    let daemon = Daemon::started("[key.www]\noperations = []");
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    for _ in 0..200 {
        let socket = Socket::connect(&daemon.socket()).unwrap();
        assert_eq!(socket.send(&packet), Ok(true));
        assert!(matches!(refusal(&receive(&socket).unwrap()), (5, Refusal::Forbidden(_))));
    }
    assert_eq!(daemon.log().matches("key www: refused to user").count(), 20);
}

/// A client sends before it hears, and may find the connection closed when it does.
#[test]
fn clients_beyond_the_limit_hear_why_and_are_served_when_there_is_room() {
    let daemon = Daemon::started("connections = 1");
    let held = Socket::connect(&daemon.socket()).unwrap();
    wait_until("the connection is there", || {
        Socket::connect(&daemon.socket()).is_ok_and(|one| receive(&one).is_some())
    });
    for _ in 0..3 {
        let client = Client::new(daemon.socket(), Duration::from_secs(3));
        let refused = client.call(www(), SIGN);
        assert!(matches!(refused, Err(Error::Refused(Refusal::TooMany))), "{refused:?}");
    }
    std::thread::scope(|scope| {
        let waits = scope.spawn(|| sign(&daemon.client(), www(), key().public()));
        std::thread::sleep(Duration::from_millis(50));
        shutdown(&held, Shutdown::Both).unwrap();
        waits.join().unwrap();
    });
}

/// A daemon whose log goes to a pipe that nobody reads any more.
#[test]
fn a_log_that_nobody_takes_costs_nobody_his_answer() {
    let mut daemon = Daemon::prepared("");
    let mut command = daemon.command();
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    daemon.start_silent(command.stderr(writer));
    // Each is a line of the log, and there are fewer workers.
    for _ in 0..50 {
        sign(&daemon.client(), www(), key().public());
    }
    daemon.signal(Signal::HUP);
    sign(&daemon.client(), www(), key().public());
    daemon.end();
}

/// Begun with so many descriptors, and at most so many by its own doing.
fn with_descriptors(configuration: &str, limits: &str) -> Daemon {
    let mut daemon = Daemon::prepared(configuration);
    let program = daemon.command();
    let mut command = Command::new("prlimit");
    command.arg(format!("--nofile={limits}")).arg(program.get_program()).args(program.get_args());
    daemon.start_as(&mut command);
    daemon
}

#[test]
fn clients_beyond_the_descriptors_wait_and_that_is_said_once() {
    let daemon = with_descriptors("", "40:40");
    assert!(daemon.log().contains("connections = 4096: the system permits 40 descriptors"), "{}", daemon.log());
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let clients: Vec<Socket> = (0..60).map(|_| Socket::connect(&daemon.socket()).unwrap()).collect();
    clients.iter().for_each(|socket| assert_eq!(socket.send(&packet), Ok(true)));
    let answered = |socket: &Socket| message::decode::<Response<'_>>(&receive(socket).unwrap()).unwrap().answer.is_ok();
    assert!(answered(&clients[0]));
    wait_until("no more are accepted", || daemon.log().contains("accepting a client: "));
    // Many times longer than it takes to try again.
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(daemon.log().matches("accepting a client: ").count(), 1, "{}", daemon.log());
    // Each one that ends makes room for the next.
    for socket in clients {
        shutdown(&socket, Shutdown::Write).unwrap();
        let _ = receive(&socket);
    }
    sign(&daemon.client(), www(), key().public());
}

#[test]
fn descriptors_for_all_clients_are_taken_where_the_system_permits_them() {
    let daemon = with_descriptors("connections = 200\nconnections_per_user = 200", "100:1000");
    let packet = message::encode(&Request { id: 5, key: www(), work: SIGN }).unwrap();
    let clients: Vec<Socket> = (0..200).map(|_| Socket::connect(&daemon.socket()).unwrap()).collect();
    for socket in &clients {
        assert_eq!(socket.send(&packet), Ok(true));
        assert!(message::decode::<Response<'_>>(&receive(socket).unwrap()).unwrap().answer.is_ok());
    }
    assert!(!daemon.log().contains("descriptors"), "{}", daemon.log());
}
