// SPDX-License-Identifier: Apache-2.0
//! The workers. Each waits for events, collects a batch of requests by the rules of `collect`, runs it on its own thread and
//! answers: an operation crosses from thread to thread only where it must, between client and daemon.
//!
//! The system gives each event to one worker, that which began to wait last (`EPOLLONESHOT`): a client alone nearly always has the
//! same worker, whose caches know its key. A worker that yields or watches does not wait: an idle one may get what comes meanwhile.
//!
//! A worker takes one request of a client at a time, so that clients come by turns. What it does not take stays in the
//! client's socket: nothing is queued here.

use crate::admission::admit;
use crate::clients::{Clients, Limits};
use crate::collect::{Collector, Lingering, Next};
use crate::figures::Figures;
use crate::keys::Keys;
use crate::lent::Lent;
use crate::log::say;
use crate::session::Session;
use crate::work::{self, Finish, Task};
use garner::gather::{self, Gatherer, Operation};
use garner_remote::message::{self, Buffer, Refusal, Request, Response, Work};
use garner_remote::socket::Received;
use rustix::event::{Timespec, epoll};
use rustix::io::Errno;
use rustix::net::{SocketFlags, accept_with};
use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::thread;
use std::time::{Duration, Instant};

/// The listener's and the bell's numbers among the events; connections have those from 2 on.
const LISTENER: u64 = 0;
const BELL: u64 = 1;

/// A client's event goes to one worker, which then asks for the next.
const ONCE: epoll::EventFlags = epoll::EventFlags::IN.union(epoll::EventFlags::ONESHOT);

/// Events looked at in a turn: few, so that a batch is not held up by the look.
const EVENTS: usize = 16;

/// A client that was answered so short a time ago is expected to ask again.
const LATELY: Duration = Duration::from_millis(10);

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
    collector: Collector,
    ending: AtomicBool,
    /// When it was last said that no client could be accepted.
    said: Mutex<Option<Instant>>,
    epoll: OwnedFd,
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
    lingering: Lingering,
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
        let epoll = epoll::create(epoll::CreateFlags::CLOEXEC)?;
        let bell = rustix::event::eventfd(0, rustix::event::EventfdFlags::CLOEXEC)?;
        epoll::add(&epoll, &listener, epoll::EventData::new_u64(LISTENER), epoll::EventFlags::IN)?;
        epoll::add(&epoll, &bell, epoll::EventData::new_u64(BELL), epoll::EventFlags::IN)?;
        let gatherer = || {
            let mut settings = settings.clone();
            settings.slots = 1;
            Gatherer::new(settings)
        };
        Ok(Daemon {
            gatherers: (0..workers(settings)).map(|_| gatherer()).collect(),
            keys: RwLock::new(Arc::new(keys)),
            lent: Lent::default(),
            collector,
            ending: AtomicBool::new(false),
            said: Mutex::new(None),
            epoll,
            bell,
            listener,
            clients: Mutex::new(Clients::new(limits, BELL + 1)),
            figures: Figures::default(),
        })
    }

    /// From now on these keys, for requests that come after this.
    pub fn replace(&self, keys: Keys) {
        let keys = Arc::new(keys);
        *self.keys.write().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&keys);
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
        let mut hands = Hands { ready, buffer: Buffer::default(), lingering: Lingering::default() };
        while !self.ending.load(Ordering::SeqCst) {
            let batch = self.collect(&mut hands);
            if !batch.is_empty() {
                let start = Instant::now();
                self.run(gatherer, batch);
                hands.lingering.ran(start.elapsed());
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
            let expected = !batch.is_empty() && !more && self.clients().expects(now, LATELY);
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

/// What events bring.
impl Daemon {
    /// Waits for so many events at most, so long at most; `false` if there can be none.
    fn wait(&self, ready: &mut Vec<u64>, room: usize, time: Option<Duration>) -> bool {
        let time = time.map(|time| Timespec { tv_sec: time.as_secs() as _, tv_nsec: time.subsec_nanos() as _ });
        let mut events = [MaybeUninit::uninit(); EVENTS];
        ready.clear();
        match epoll::wait(&self.epoll, &mut events[..room], time.as_ref()) {
            Ok((events, _)) => {
                ready.extend(events.iter().map(|event| event.data.u64()));
                true
            }
            Err(Errno::INTR) => true,
            Err(error) => {
                say(format_args!("waiting for clients: {error}"));
                self.end(); // it would fail again
                false
            }
        }
    }

    /// Does what the events say: takes a request of each client that has one, and accepts.
    fn take(&self, hands: &mut Hands, batch: &mut Vec<Taken>) {
        let keys = self.keys();
        for &number in hands.ready.iter().filter(|&&number| number > BELL) {
            let Some(session) = self.clients().get(number) else { continue };
            if !self.request(&keys, &session, number, &mut hands.buffer, batch) {
                self.clients().forget(number);
            }
        }
        // Last, as it may have to wait, and the others' events come to nobody else.
        if hands.ready.contains(&LISTENER) {
            self.accept(batch.is_empty());
        }
    }

    /// Accepts one connection. Others that wait come with the next turn. `idle`: the worker has no request in hand.
    fn accept(&self, idle: bool) {
        let flags = SocketFlags::CLOEXEC | SocketFlags::NONBLOCK;
        let session = match accept_with(&self.listener, flags) {
            Ok(fd) => Session::new(fd),
            // Gone again, or another was faster.
            Err(Errno::AGAIN | Errno::CONNABORTED | Errno::INTR) => return,
            Err(error) => {
                self.say_sometimes(error);
                // It waits; looking at it at once again would take a whole processor.
                if idle {
                    thread::sleep(Duration::from_millis(10));
                }
                return;
            }
        };
        let session = match session {
            Ok(session) => Arc::new(session),
            Err(error) => return self.say_sometimes(error),
        };
        let added = self.clients().add(&session);
        match added {
            Some(number) => {
                self.figures.accepted.inc();
                if epoll::add(&self.epoll, &session.socket, epoll::EventData::new_u64(number), ONCE).is_err() {
                    self.clients().forget(number);
                }
            }
            None => {
                self.figures.turned_away.inc();
                session.taken();
                session.answer(&Response { id: 0, answer: Err(Refusal::TooMany) });
            }
        }
    }

    /// Says that no client can be accepted, once in a while: it may be so for every client.
    fn say_sometimes(&self, error: Errno) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        if said.is_none_or(|said| said.elapsed() > QUIET) {
            say(format_args!(
                "accepting a client: {error}; it is tried again, and said again in {QUIET:?} at the earliest"
            ));
            *said = Some(Instant::now());
        }
    }

    /// Takes a client's request, if there is one; `false` when the client is gone.
    fn request(
        &self,
        keys: &Keys,
        session: &Arc<Session>,
        number: u64,
        buffer: &mut Buffer,
        batch: &mut Vec<Taken>,
    ) -> bool {
        // Of others the system drops files unseen: whoever closes one may have to wait for it.
        let (received, file) = match keys.lending.knows(session.peer) {
            true => session.socket.receive_with_file(buffer),
            false => (session.socket.receive(buffer), None),
        };
        if received == Received::End {
            return false;
        }
        let Received::Packet(length) = received else { return self.listen_again(session, number) };
        session.taken();
        // Its next request is another's, maybe another worker's.
        let goes_on = self.listen_again(session, number);
        let request = message::decode::<Request<'_>>(buffer.packet(length));
        let id = request.as_ref().map_or(0, |request| request.id);
        let lends = request.as_ref().is_ok_and(|request| request.work == Work::Lend);
        let admitted = request.and_then(|request| admit(keys, &self.lent, session, &request, file));
        if lends && !self.keys().lending.knows(session.peer) {
            // Others were read while it was taken.
            session.lent().forget();
        }
        let answer = match admitted {
            Ok(Task::Operation(operation, finish)) => {
                batch.push(Taken { session: Arc::clone(session), id, operation, finish });
                return goes_on;
            }
            Ok(Task::Answer(bytes)) => Ok(bytes),
            Err(refusal) => Err(refusal),
        };
        let answer = answer.as_ref().map(|bytes| &bytes[..]).map_err(Clone::clone);
        self.answer(session, &Response { id, answer });
        goes_on
    }

    /// Has the system tell of the client's next request.
    fn listen_again(&self, session: &Session, number: u64) -> bool {
        epoll::modify(&self.epoll, &session.socket, epoll::EventData::new_u64(number), ONCE).is_ok()
    }
}
