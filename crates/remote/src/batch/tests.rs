// SPDX-License-Identifier: Apache-2.0
//! Batches against a daemon that is simulated from a seed: it answers in any order, twice, or dies, and forgets keys.

use super::*;

const FIRST: u64 = 100;

/// What is wrong with the daemon.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    None,
    /// It gives an answer the number of another operation.
    WrongNumber,
    /// It says that it took a key, and did not.
    Forgets,
    /// It does not answer the last operation.
    Silent,
}

struct Daemon {
    state: u64,
    fault: Fault,
    /// Part of the steps at which it dies, in thousandths.
    deaths: u64,
    keys: Vec<Fingerprint>,
    requests: Vec<(Message, u64)>,
    answers: Vec<Vec<u8>>,
}

impl Daemon {
    fn dice(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.state >> 33) % limit
    }

    fn dies(&mut self) {
        (self.keys, self.requests, self.answers) = Default::default();
    }

    /// Answers one of the requests that it has.
    fn works(&mut self, moduli: &[Fingerprint]) {
        if self.requests.is_empty() {
            return;
        }
        let chosen = self.dice(self.requests.len() as u64) as usize;
        let (message, mut id) = self.requests.remove(chosen);
        let content;
        let answer = match message {
            Message::Key(place) => {
                if self.fault != Fault::Forgets {
                    self.keys.push(moduli[place]);
                }
                Ok(&[][..])
            }
            Message::Operation(place) if self.keys.contains(&moduli[place]) => {
                if self.fault == Fault::Silent && place + 1 == moduli.len() {
                    return;
                }
                if self.fault == Fault::WrongNumber && self.dice(4) == 0 {
                    id = FIRST + (id - FIRST + 1) % moduli.len() as u64;
                }
                content = [place as u8];
                Ok(&content[..])
            }
            Message::Operation(_) => Err(Refusal::NoKey),
        };
        let packet = message::encode(&Response { id, answer }).unwrap().to_vec();
        if self.dice(10) == 0 {
            self.answers.push(packet.clone());
        }
        self.answers.push(packet);
    }

    /// The next answer that arrives, or nothing.
    fn arrives(&mut self, moduli: &[Fingerprint]) -> Option<Vec<u8>> {
        while self.answers.is_empty() && !self.requests.is_empty() {
            self.works(moduli);
        }
        (!self.answers.is_empty()).then(|| self.answers.remove(0))
    }
}

/// Runs a batch of operations with so many keys; in words what should not be.
fn run(seed: u64, fault: Fault, deaths: u64) -> Result<Option<Error>, String> {
    let mut daemon = Daemon { state: seed, fault, deaths, keys: Vec::new(), requests: Vec::new(), answers: Vec::new() };
    let (operations, keys) = (1 + daemon.dice(9), 1 + daemon.dice(4));
    let moduli: Vec<Fingerprint> = (0..operations).map(|_| [daemon.dice(keys) as u8; 32]).collect();
    if daemon.dice(3) == 0 {
        daemon.keys.extend(&moduli);
    }
    // The answer to a batch before this.
    daemon.answers.push(message::encode(&Response { id: FIRST - 1, answer: Ok(b"late") }).unwrap().to_vec());
    let mut is_used = daemon.dice(2) == 0;
    let mut batch = Batch::new(FIRST, "/run/socket".into(), moduli.iter().copied());
    let mut step = Step::Connect { anew: false };
    for _ in 0..200 {
        let mut packet = Vec::new();
        if daemon.dice(1000) < daemon.deaths {
            daemon.dies();
            step = batch.after(Event::Gone(Errno::CONNRESET));
        }
        let event = match step {
            Step::Connect { anew } => {
                if anew {
                    daemon.dies();
                }
                is_used &= !anew;
                Event::Connected { is_used }
            }
            Step::Send(message, id) => {
                daemon.requests.push((message, id));
                Event::Sent
            }
            Step::Receive => match daemon.arrives(&moduli) {
                Some(arrived) => {
                    packet = arrived;
                    Event::Packet(&packet)
                }
                None => Event::Gone(Errno::TIMEDOUT),
            },
            Step::End => {
                let answers: Vec<_> = batch.answers().map(|answer| answer[..].to_vec()).collect();
                let right: Vec<_> = (0..moduli.len()).map(|place| vec![place as u8]).collect();
                return if answers == right { Ok(None) } else { Err(format!("answers are {answers:?}")) };
            }
            Step::Fail(error) => return Ok(Some(error)),
        };
        step = batch.after(event);
        drop(packet);
    }
    Err("no end".to_owned())
}

#[test]
fn every_batch_is_answered_whichever_keys_the_daemon_has() {
    for seed in 0..5_000 {
        match run(seed, Fault::None, 0) {
            Ok(None) => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

#[test]
fn a_daemon_that_dies_at_any_step_ends_the_batch_or_is_asked_anew_on_another_connection() {
    let mut failed = 0;
    for seed in 0..5_000 {
        match run(seed, Fault::None, 50).unwrap_or_else(|wrong| panic!("seed {seed}: {wrong}")) {
            None => {}
            Some(Error::Unreachable { .. }) => failed += 1,
            Some(other) => panic!("seed {seed}: {other}"),
        }
    }
    assert!((500..4_500).contains(&failed), "{failed} of 5,000 batches failed");
}

#[test]
fn a_daemon_that_takes_no_key_is_asked_twice_and_not_for_ever() {
    let refused = |seed| matches!(run(seed, Fault::Forgets, 0), Ok(Some(Error::Refused(Refusal::NoKey))));
    let count = (0..1_000).filter(|&seed| refused(seed)).count();
    // The others found the keys there.
    assert!((500..800).contains(&count), "{count}");
}

#[test]
fn an_answer_that_does_not_come_ends_the_batch_in_time() {
    for seed in 0..1_000 {
        match run(seed, Fault::Silent, 0) {
            Ok(Some(Error::Unreachable { .. })) => {}
            other => panic!("seed {seed}: {other:?}"),
        }
    }
}

/// The machine believes the numbers, so this must be seen: the test above would be worth nothing otherwise.
#[test]
fn a_wrong_number_is_seen_by_the_simulation() {
    assert!((0..1_000).any(|seed| run(seed, Fault::WrongNumber, 0).is_err()));
}
