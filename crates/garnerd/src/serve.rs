// SPDX-License-Identifier: Apache-2.0
//! The workers. One of them leads: it accepts connections and collects a batch of requests, by the rules of `collect`. Then it
//! hands the lead to the next and runs the batch on its own thread, which answers the clients, too: an operation crosses from
//! thread to thread only where it must, between client and daemon.
//!
//! A leader takes one request of a client at a time, so that clients come by turns. What it does not take stays in the
//! client's socket: nothing is queued here.

use crate::collect::{Collector, Next};
use crate::keys::{Entry, Keys};
use crate::session::Session;
use crate::work::{self, Finish, Task};
use garner::gather::{Gatherer, Operation};
use garner_remote::message::{self, LONGEST, Refusal, Request, Response};
use garner_remote::socket::Received;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use std::collections::HashMap;
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{Duration, Instant};
use zeroize::Zeroizing;

/// The listener's and the bell's numbers among the events; connections have those from 2 on.
const LISTENER: u64 = 0;
const BELL: u64 = 1;

/// Events looked at in a turn: few, so that a batch is not held up by the look.
const EVENTS: usize = 16;

/// A client that was answered so short a time ago is expected to ask again.
const LATELY: Duration = Duration::from_millis(2);

/// What all workers share.
pub struct Daemon {
    gatherer: Gatherer,
    keys: RwLock<Arc<Keys>>,
    collector: Collector,
    limits: Limits,
    ending: AtomicBool,
    bell: OwnedFd,
    lead: Mutex<Lead>,
    operations: AtomicUsize,
    batches: AtomicUsize,
}

/// How many connections there may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// At once.
    pub connections: usize,
    /// Of one user.
    pub per_user: usize,
}

/// What only the leader touches.
struct Lead {
    epoll: OwnedFd,
    listener: OwnedFd,
    sessions: HashMap<u64, Arc<Session>>,
    next: u64,
    /// Whose events the last wait brought.
    ready: Vec<u64>,
    buffer: Zeroizing<[u8; LONGEST]>,
}

/// A request that was taken.
struct Taken {
    session: Arc<Session>,
    id: u64,
    operation: Operation,
    finish: Finish,
}

impl Daemon {
    /// A daemon that listens, and serves nobody before somebody calls [`Daemon::work`].
    ///
    /// # Errors
    /// The system's.
    pub fn new(
        gatherer: Gatherer,
        keys: Keys,
        listener: OwnedFd,
        collector: Collector,
        limits: Limits,
    ) -> Result<Daemon, Errno> {
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
        epoll::add(&epoll, &bell, epoll::EventData::new_u64(BELL), epoll::EventFlags::IN)?;
        let buffer = Zeroizing::new([0; LONGEST]);
        let ready = Vec::with_capacity(EVENTS);
        let lead = Lead { epoll, listener, sessions: HashMap::new(), next: BELL + 1, ready, buffer };
        Ok(Daemon {
            gatherer,
            keys: RwLock::new(Arc::new(keys)),
            collector,
            limits,
            ending: AtomicBool::new(false),
            bell,
            lead: Mutex::new(lead),
            operations: AtomicUsize::new(0),
            batches: AtomicUsize::new(0),
        })
    }

    /// From now on these keys, for requests that come after this.
    pub fn replace(&self, keys: Keys) {
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(keys);
    }

    /// Ends the workers, when they have answered what they took.
    pub fn end(&self) {
        self.ending.store(true, Ordering::SeqCst);
        // Never read: it wakes every leader that is still to come.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Operations done, and batches.
    pub fn done(&self) -> (usize, usize) {
        (self.operations.load(Ordering::Relaxed), self.batches.load(Ordering::Relaxed))
    }

    /// What each worker thread does until the daemon ends.
    pub fn work(&self) {
        while !self.ending.load(Ordering::SeqCst) {
            let batch = self.collect();
            if !batch.is_empty() {
                self.run(batch);
            }
        }
    }

    /// Leads until a batch is whole, or the daemon ends.
    fn collect(&self) -> Vec<Taken> {
        let mut lead = self.lead.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut batch, mut came, mut first) = (Vec::new(), false, Instant::now());
        loop {
            let now = Instant::now();
            // They are counted only where they matter.
            let expected = if batch.is_empty() || came { 0 } else { lead.expected(now) };
            let time = match self.collector.next(batch.len(), came, expected, now.duration_since(first)) {
                Next::Run => return batch,
                Next::Sleep => None,
                Next::Take => Some(Duration::ZERO),
                Next::Linger(longest) => Some(longest),
            };
            let before = batch.len();
            if !lead.wait(time) || self.ending.load(Ordering::SeqCst) {
                return batch;
            }
            lead.take(self, &self.keys(), &mut batch);
            came = batch.len() > before;
            if before == 0 {
                first = Instant::now();
            }
        }
    }

    /// The keys of now.
    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs a batch and answers.
    fn run(&self, batch: Vec<Taken>) {
        self.operations.fetch_add(batch.len(), Ordering::Relaxed);
        self.batches.fetch_add(1, Ordering::Relaxed);
        let mut operations = Vec::with_capacity(batch.len());
        let mut askers = Vec::with_capacity(batch.len());
        for Taken { session, id, operation, finish } in batch {
            operations.push(operation);
            askers.push((session, id, finish));
        }
        let outputs = match operations.len() {
            1 => vec![self.gatherer.run(operations.remove(0))],
            _ => self.gatherer.run_batch(operations),
        };
        for ((session, id, finish), output) in askers.into_iter().zip(outputs) {
            let answer = work::finish(&finish, output);
            let answer = answer.as_ref().map(|bytes| &bytes[..]).map_err(Clone::clone);
            session.answer(&Response { id, answer });
        }
    }

    /// Judges a request and makes a task of it.
    fn judge(&self, keys: &Keys, session: &Session, request: &Request<'_>) -> Result<Task, Refusal> {
        let entry = keys.find(&request.key).filter(|entry| entry.judge.knows(session.peer)).ok_or(Refusal::NoKey)?;
        let permitted = entry.judge.permits(session.peer, &request.work, Instant::now());
        audit(entry, session, permitted.as_ref().err());
        permitted?;
        work::task(&entry.key, &request.work)
    }
}

/// A line for each key and connection, and for what is refused the first time.
fn audit(entry: &Entry, session: &Session, refusal: Option<&Refusal>) {
    let peer = session.peer;
    match refusal {
        None if session.uses(&entry.name) => {
            eprintln!("garnerd: key {}: used by user {}, process {}", entry.name, peer.uid, peer.pid);
        }
        Some(refusal) if session.uses(&format!("{}: {refusal:?}", entry.name)) => {
            eprintln!("garnerd: key {}: refused to user {}, process {}: {refusal:?}", entry.name, peer.uid, peer.pid);
        }
        _ => {}
    }
}

impl Lead {
    /// Waits for events, so long at most; `false` if there can be none.
    fn wait(&mut self, time: Option<Duration>) -> bool {
        let time = time.map(|time| Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ });
        let mut events = [MaybeUninit::uninit(); EVENTS];
        self.ready.clear();
        match epoll::wait(&self.epoll, &mut events, time.as_ref()) {
            Ok((events, _)) => {
                self.ready.extend(events.iter().map(|event| event.data.u64()));
                true
            }
            Err(Errno::INTR) => true,
            Err(error) => {
                eprintln!("garnerd: waiting for clients: {error}");
                false
            }
        }
    }

    /// How many clients are likely to ask soon.
    fn expected(&self, now: Instant) -> usize {
        self.sessions.values().filter(|session| session.is_expected(now, LATELY)).count()
    }

    /// Does what the events say: accepts, and takes a request of each client that has one.
    fn take(&mut self, daemon: &Daemon, keys: &Keys, batch: &mut Vec<Taken>) {
        for index in 0..self.ready.len() {
            match self.ready[index] {
                BELL => {}
                LISTENER => self.accept(daemon.limits),
                number => {
                    let Some(session) = self.sessions.get(&number).map(Arc::clone) else { continue };
                    if !self.request(daemon, keys, &session, batch) {
                        self.forget(number);
                    }
                }
            }
        }
    }

    /// Accepts one connection. Others that wait come with the next turn.
    fn accept(&mut self, limits: Limits) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let session = match accept_with(&self.listener, flags) {
            Ok(fd) => Session::new(fd),
            // Gone again, or another was faster.
            Err(Errno::AGAIN | Errno::CONNABORTED | Errno::INTR) => return,
            Err(error) => {
                eprintln!("garnerd: accepting a client: {error}");
                // It waits; looking at it at once again would take a whole processor.
                std::thread::sleep(Duration::from_millis(10));
                return;
            }
        };
        let Ok(session) = session else { return };
        if self.is_full(limits, session.peer.uid) {
            // Connections may have ended whose events come after the listener's.
            let ended = self.sessions.iter().filter(|(_, session)| session.socket.is_over());
            for number in ended.map(|(&number, _)| number).collect::<Vec<_>>() {
                self.forget(number);
            }
        }
        if self.is_full(limits, session.peer.uid) {
            session.taken();
            session.answer(&Response { id: 0, answer: Err(Refusal::TooMany) });
            return;
        }
        let number = self.next;
        self.next += 1;
        let data = epoll::EventData::new_u64(number);
        if epoll::add(&self.epoll, &session.socket, data, epoll::EventFlags::IN).is_ok() {
            self.sessions.insert(number, Arc::new(session));
        }
    }

    /// Drops a connection that has ended. Its descriptor is closed with its last owner, maybe a worker; it is not to be seen
    /// again here.
    fn forget(&mut self, number: u64) {
        if let Some(session) = self.sessions.remove(&number) {
            let _ = epoll::delete(&self.epoll, &session.socket);
        }
    }

    /// Whether there is no room for another connection of this user.
    fn is_full(&self, limits: Limits, uid: u32) -> bool {
        let of_user = || self.sessions.values().filter(|session| session.peer.uid == uid).count();
        self.sessions.len() >= limits.connections || of_user() >= limits.per_user
    }

    /// Takes a client's request, if there is one; `false` when the client is gone.
    fn request(&mut self, daemon: &Daemon, keys: &Keys, session: &Arc<Session>, batch: &mut Vec<Taken>) -> bool {
        let length = match session.socket.receive(&mut self.buffer) {
            Received::Packet(length) => length,
            Received::Nothing => return true,
            Received::End => return false,
        };
        session.taken();
        let request = message::decode::<Request<'_>>(&self.buffer[..length]);
        let id = request.as_ref().map_or(0, |request| request.id);
        let answer = match request.and_then(|request| daemon.judge(keys, session, &request)) {
            Ok(Task::Operation(operation, finish)) => {
                batch.push(Taken { session: Arc::clone(session), id, operation, finish });
                return true;
            }
            Ok(Task::Answer(bytes)) => Ok(bytes),
            Err(refusal) => Err(refusal),
        };
        let answer = answer.as_ref().map(|bytes| &bytes[..]).map_err(Clone::clone);
        session.answer(&Response { id, answer });
        true
    }
}
