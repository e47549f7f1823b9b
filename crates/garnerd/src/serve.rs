// SPDX-License-Identifier: Apache-2.0
//! The workers. Each waits for events, collects a batch of requests by the rules of `collect`, runs it on its own thread and
//! answers: an operation crosses from thread to thread only where it must, between client and daemon.
//!
//! The system gives each event to one worker, that which began to wait last ([`turns`]): a client alone nearly always has the
//! same worker, whose caches know its key. A worker that yields or watches does not wait: an idle one may get what comes meanwhile.
//!
//! A worker takes one request of a client at a time, and of each user's clients as many as of another's, so that users and their
//! clients come by turns. What it does not take stays in the client's socket: nothing is queued here.

mod take;

use crate::audit::Audit;
use crate::clients::{Clients, Limits};
use crate::collect::{Collector, Lingering, Next};
use crate::expected::Expected;
use crate::figures::Figures;
use crate::keys::Keys;
use crate::lent::Lent;
use crate::session::Session;
use crate::turns::{self, EVENTS, Turns};
use crate::work::{self, Finish};
use garner::gather::{self, Gatherer, Operation};
use garner_remote::message::{Buffer, Fingerprint, Response};
use rustix::io::Errno;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// The listener's and the bell's numbers among the events; connections have those from [`turns::FIRST`] on.
const LISTENER: u64 = 0;
const BELL: u64 = 1;

/// The log has one line in so long a time of clients that cannot be accepted.
const QUIET: Duration = Duration::from_secs(60);

/// How many workers there are by these settings.
pub fn workers(settings: &gather::Config) -> usize {
    settings.slots.max(2)
}

/// What all workers share.
pub struct Daemon {
    /// One for each worker, with one slot: its batch runs at once and whole, on its own thread. In a gatherer of all of them
    /// batches would be mixed, and each worker keep its answers back until those of the others are there, too.
    gatherers: Vec<Gatherer>,
    keys: RwLock<Arc<Keys>>,
    lent: Lent,
    audit: Audit,
    expected: Expected,
    collector: Collector,
    ending: AtomicBool,
    /// When it was last said that no client could be accepted.
    said: Mutex<Option<Instant>>,
    turns: Turns,
    bell: OwnedFd,
    listener: OwnedFd,
    clients: Mutex<Clients>,
    figures: Figures,
}

/// What each worker has for itself.
struct Hands {
    /// Whose events the last look brought.
    ready: Vec<u64>,
    buffer: Buffer,
    /// Keys that clients lend, not taken yet.
    offers: Vec<Offer>,
    lingering: Lingering,
}

/// A key that a client lends.
struct Offer {
    session: Arc<Session>,
    id: u64,
    /// What the client says that it has.
    modulus: Option<Fingerprint>,
    file: Option<OwnedFd>,
}

/// A request that was taken.
struct Taken {
    session: Arc<Session>,
    id: u64,
    operation: Operation,
    finish: Finish,
}

impl Daemon {
    /// A daemon that listens, and serves nobody before somebody calls [`Daemon::work`]; with as many workers as `settings` has
    /// slots, and two at least: one collects while the others compute.
    ///
    /// # Errors
    /// The system's.
    pub fn new(
        settings: &gather::Config,
        keys: Keys,
        listener: OwnedFd,
        collector: Collector,
        limits: Limits,
    ) -> Result<Daemon, Errno> {
        let turns = Turns::new()?;
        let bell = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?;
        turns.add(&listener, LISTENER)?;
        turns.add(&bell, BELL)?;
        let gatherer = || {
            let mut settings = settings.clone();
            settings.slots = 1;
            Gatherer::new(settings)
        };
        Ok(Daemon {
            gatherers: (0..workers(settings)).map(|_| gatherer()).collect(),
            keys: RwLock::new(Arc::new(keys)),
            lent: Lent::default(),
            audit: Audit::default(),
            expected: Expected::default(),
            collector,
            ending: AtomicBool::new(false),
            said: Mutex::new(None),
            turns,
            bell,
            listener,
            clients: Mutex::new(Clients::new(limits, turns::FIRST)),
            figures: Figures::default(),
        })
    }

    /// From now on these keys, for requests that come after this.
    pub fn replace(&self, keys: Keys) {
        let keys = Arc::new(keys);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&keys);
        let surplus = self.clients().look_again(|peer| keys.named.has(peer));
        surplus.iter().for_each(|session| session.end());
        let may_not = |session: &Arc<Session>| !keys.lending.knows(session.peer);
        let sessions: Vec<_> = self.clients().all().filter(|session| may_not(session)).map(Arc::clone).collect();
        sessions.iter().for_each(|session| session.lent().forget());
    }

    /// Ends the workers, when they have answered what they took.
    pub fn end(&self) {
        self.ending.store(true, Ordering::SeqCst);
        // Never read: it wakes every worker that is still to wait.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    /// Operations done in batches, and batches.
    pub fn done(&self) -> (u64, u64) {
        self.figures.done()
    }

    /// What was done, as OpenMetrics.
    pub fn figures(&self) -> String {
        let gatherers: Vec<_> = self.gatherers.iter().map(Gatherer::statistics).collect();
        self.figures.connections.set(self.clients().len() as i64);
        self.figures.text(&gatherers, self.keys().len(), self.lent.count())
    }

    /// Works until the daemon ends, on this thread and as many more as it takes. A worker that panics ends the process, for its
    /// manager to start another: with a worker less it would look whole, and with none serve nobody.
    pub fn work(&self) {
        let work = |gatherer| {
            catch_unwind(AssertUnwindSafe(|| self.worker(gatherer))).unwrap_or_else(|_| process::abort());
        };
        thread::scope(|scope| {
            for gatherer in &self.gatherers {
                scope.spawn(move || work(gatherer));
            }
        });
    }

    fn worker(&self, gatherer: &Gatherer) {
        let ready = Vec::with_capacity(EVENTS);
        let (buffer, lingering) = (Buffer::default(), Lingering::default());
        let mut hands = Hands { ready, buffer, offers: Vec::new(), lingering };
        while !self.ending.load(Ordering::SeqCst) {
            let batch = self.collect(&mut hands);
            if !batch.is_empty() {
                let start = Instant::now();
                self.run(gatherer, batch);
                hands.lingering.ran(start.elapsed());
                self.take_offers(&mut hands.offers);
            }
        }
    }

    /// Collects until a batch is whole, or the daemon ends.
    fn collect(&self, hands: &mut Hands) -> Vec<Taken> {
        // `first`: when the first request came; before, when this began.
        let (mut batch, mut more, mut first) = (Vec::new(), false, Instant::now());
        hands.lingering.begin();
        loop {
            let now = Instant::now();
            // They are looked for only where they matter.
            let expected = !batch.is_empty() && !more && self.expected.any(now);
            let next = self.collector.next(batch.len(), more, expected, now.duration_since(first), &hands.lingering);
            let (_, begun) = self.done();
            let yielded = match next {
                Next::Run => return batch,
                Next::Sleep | Next::Take => None,
                Next::Watch | Next::Yield => {
                    let start = Instant::now();
                    thread::yield_now();
                    Some(start.elapsed())
                }
            };
            if next == Next::Sleep {
                hands.lingering.sleeps();
            }
            let before = batch.len();
            let room = (self.collector.capacity - before).min(EVENTS);
            let longest = (next != Next::Sleep).then_some(Duration::ZERO);
            if !self.wait(&mut hands.ready, room, longest) || self.ending.load(Ordering::SeqCst) {
                return batch;
            }
            self.take(hands, &mut batch);
            // A client may have sent several; it is looked at again, after the others. Events that bring no work do not count,
            // or who sends them could hold the batch up.
            more = batch.len() > before;
            if let Some(lasted) = yielded {
                // Another worker may have been faster.
                hands.lingering.yielded(lasted, more || self.done().1 != begun);
            }
            if before == 0 && more {
                first = Instant::now();
                hands.lingering.begin();
            }
        }
    }

    fn clients(&self) -> MutexGuard<'_, Clients> {
        self.clients.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The keys of now.
    fn keys(&self) -> Arc<Keys> {
        Arc::clone(&self.keys.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Runs a batch and answers.
    fn run(&self, gatherer: &Gatherer, batch: Vec<Taken>) {
        self.figures.batch(batch.len());
        let mut operations = Vec::with_capacity(batch.len());
        let mut askers = Vec::with_capacity(batch.len());
        for Taken { session, id, operation, finish } in batch {
            operations.push(operation);
            askers.push((session, id, finish));
        }
        let outputs = match operations.len() {
            1 => vec![gatherer.run(operations.remove(0))],
            _ => gatherer.run_batch(operations),
        };
        for ((session, id, finish), output) in askers.into_iter().zip(outputs) {
            let answer = work::finish(&finish, output);
            let answer = answer.as_ref().map(|bytes| &bytes[..]).map_err(Clone::clone);
            session.served();
            self.answer(&session, &Response { id, answer });
            self.expected.answered(&session);
        }
    }

    /// Answers, and counts that.
    fn answer(&self, session: &Session, response: &Response<'_>) {
        match &response.answer {
            Ok(_) => self.figures.answered.inc(),
            Err(_) => self.figures.refused.inc(),
        };
        session.answer(response);
    }
}
