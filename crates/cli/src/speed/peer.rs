// SPDX-License-Identifier: Apache-2.0
//! A second yardstick in a process of its own: `bench/newest-openssl`, `bench/crypto-mb`, or anything that speaks the
//! protocol of `bench/peer`.
//!
//! Two libcryptos in one process would share symbols. So the other one answers over standard input and output, one line
//! to one line, and times its rounds itself, with the code of [`super::round`].

use super::arguments::{Kind, Shape};
use super::measure::{Latencies, Sample, Side};
use crate::failure::{Failure, Of};
use crate::machine::short_version;
use std::cell::RefCell;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::rc::Rc;
use std::time::Duration;

/// The process, started.
pub struct Peer {
    command: String,
    name: String,
    child: Child,
    requests: Option<ChildStdin>,
    answers: BufReader<ChildStdout>,
}

impl Peer {
    /// Starts `command` by the shell and asks for its version.
    pub fn start(command: &str) -> Result<Peer, Failure> {
        let mut child = Command::new("sh")
            .args(["-c", &format!("exec {command}")])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .of(format_args!("peer {command}"))?;
        let requests = child.stdin.take();
        let answers = BufReader::new(child.stdout.take().expect("piped above"));
        let mut peer = Peer { command: command.to_owned(), name: String::new(), child, requests, answers };
        peer.name = short_version(&peer.ask("version")?);
        Ok(peer)
    }

    /// Gives it the key for the rounds to come.
    pub fn set_key(&mut self, der: &[u8]) -> Result<(), Failure> {
        let hex: String = der.iter().map(|byte| format!("{byte:02x}")).collect();
        self.ask(&format!("key {hex}")).map(drop)
    }

    /// Sends a line, and returns what follows `ok` in the answer.
    fn ask(&mut self, request: &str) -> Result<String, Failure> {
        let subject = format!("peer {}", self.command);
        let verb = request.split(' ').next().unwrap_or_default();
        let requests = self.requests.as_mut().expect("open until dropped");
        // A peer that has ended is told by its missing answer.
        let _ = writeln!(requests, "{request}").and_then(|()| requests.flush());
        let mut answer = String::new();
        self.answers.read_line(&mut answer).of(&subject)?;
        match answer.trim_end().split_once(' ') {
            Some(("ok", answer)) => Ok(answer.to_owned()),
            Some(("error", error)) => Err(Failure::Environment(format!("{subject}: {verb}: {error}"))),
            _ if answer.is_empty() => {
                let status = self.child.wait().of(&subject)?;
                Err(Failure::Environment(format!("{subject}: ended without an answer to \"{verb}\" ({status})")))
            }
            _ => Err(Failure::Environment(format!("{subject}: answered \"{}\" to \"{verb}\"", answer.trim_end()))),
        }
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        // The end of its input tells it to go.
        drop(self.requests.take());
        let _ = self.child.wait();
    }
}

struct Rounds {
    peer: Rc<RefCell<Peer>>,
    name: String,
    verb: &'static str,
    callers: usize,
}

/// The peer doing `kind`; `None` when it cannot.
pub fn side(peer: &Rc<RefCell<Peer>>, kind: Kind, shape: Shape) -> Option<Box<dyn Side>> {
    let verb = match kind {
        Kind::Sign | Kind::Latency => "sign",
        Kind::Verify => "verify",
        Kind::Decrypt => "decrypt",
        Kind::Keygen => "keygen",
        Kind::Public | Kind::Exp => return None,
    };
    let name = peer.borrow().name.clone();
    Some(Box::new(Rounds { peer: Rc::clone(peer), name, verb, callers: shape.callers }))
}

impl Side for Rounds {
    fn name(&self) -> &str {
        &self.name
    }

    fn round(&mut self, window: Duration) -> Result<Sample, Failure> {
        let request = format!("{} {} {}", self.verb, window.as_secs_f64(), self.callers);
        let mut peer = self.peer.borrow_mut();
        let answer = peer.ask(&request)?;
        let numbers: Option<Vec<u64>> = answer.split(' ').map(|number| number.parse().ok()).collect();
        match numbers.as_deref() {
            Some(&[operations, elapsed, each, p50, p99]) if elapsed > 0 && each > 0 => {
                let [elapsed, each] = [elapsed, each].map(Duration::from_nanos);
                Ok(Sample { operations, elapsed, each, latencies: Latencies::Percentiles(p50, p99), joules: None })
            }
            _ => {
                let text = format!("peer {}: answered \"{answer}\" to \"{request}\"", peer.command);
                Err(Failure::Environment(text))
            }
        }
    }
}
