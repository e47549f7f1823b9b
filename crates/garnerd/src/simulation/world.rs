// SPDX-License-Identifier: Apache-2.0
//! The world of a simulation: programs with two threads each, connections, a daemon with two workers, and what may go wrong.

use crate::collect::{Collector, Next};
use garner_remote::Error;
use garner_remote::call::{Call, Event, Step};
use garner_remote::message::{self, KeyName, Packet, Refusal, Request, Response, Work};
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

/// How long a call goes on, in microseconds as all times here.
const PATIENCE: u64 = 1_000_000;
/// How long a client counts as active after an answer.
const LATELY: u64 = 2_000;
const COLLECTOR: Collector = Collector { capacity: 4, linger: Duration::from_micros(40) };
const WORKERS: usize = 2;

/// What a world is like. Probabilities are those of each packet, deaths those of each step.
#[derive(Debug, Clone, Copy)]
pub struct Rules {
    pub threads: usize,
    pub calls: usize,
    pub late: f64,
    pub doubled: f64,
    pub lost: f64,
    pub deaths: f64,
    pub fault: Option<Fault>,
}

/// What is wrong with one side: a simulation that does not see it would be worth nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The daemon gives the number of another request.
    WrongNumber,
    /// The daemon gives the answers of a batch to its neighbours, under their numbers.
    Exchanged,
    /// The daemon forgets the last request of a full batch.
    Forgets,
    /// A worker that lingers looks at no clock.
    NoClock,
    /// A worker takes whatever is there.
    Overfull,
    /// The program keeps connections that it was told to end.
    KeepsAll,
    /// Two calls of a program get one connection.
    Shares,
    /// The program does not hear that the daemon died.
    Deaf,
    /// The program does not wake after a pause.
    Oversleeps,
}

impl Fault {
    pub const ALL: [Fault; 9] = [
        Fault::WrongNumber,
        Fault::Exchanged,
        Fault::Forgets,
        Fault::NoClock,
        Fault::Overfull,
        Fault::KeepsAll,
        Fault::Shares,
        Fault::Deaf,
        Fault::Oversleeps,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Side {
    Daemon,
    /// The first program.
    Program,
}

/// Who dies before which step.
#[derive(Debug, Clone, Copy)]
pub struct Death {
    pub side: Side,
    pub step: usize,
}

/// What came out.
#[derive(Debug, Default)]
pub struct Report {
    pub answered: usize,
    pub refused: usize,
    pub failed: usize,
    pub batches: usize,
    pub deaths: usize,
    pub steps: usize,
}

/// What is to happen, at a time.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Happens {
    Begins(usize),
    /// The thread's pause or patience ends, unless it went on to something else meanwhile.
    Time(usize, u64),
    Request(usize, Vec<u8>),
    Answer(usize, Vec<u8>),
    /// The program learns that the daemon's end is closed.
    End(usize),
    /// A worker's linger or computation ends, in this life of the daemon.
    Worker(usize, u64),
    Start,
}

#[derive(Debug, Default)]
struct Link {
    /// The daemon's life that it is with.
    life: u64,
    open: bool,
    ended: bool,
    requests: VecDeque<Vec<u8>>,
    answers: VecDeque<Vec<u8>>,
    /// When the last answer arrives: packets keep their order.
    last: u64,
    under_way: usize,
    answered: Option<u64>,
    /// Requests sent on it that have no answer in the program's hands.
    owed: usize,
    holder: Option<usize>,
}

#[derive(Debug, Default)]
struct Thread {
    call: Option<Call>,
    begun: u64,
    link: Option<usize>,
    receives: bool,
    /// Counts what it waited for: times of things that are over are nothing to it.
    turn: u64,
    packet: Option<Packet>,
    left: usize,
    content: [u8; 8],
    dead: bool,
}

#[derive(Debug, Default)]
struct Worker {
    batch: Vec<(usize, Vec<u8>)>,
    more: bool,
    first: u64,
    computes: bool,
    /// When it began to wait: who began last is woken first.
    waits: Option<u64>,
    turn: u64,
}

pub struct World {
    rules: Rules,
    death: Option<Death>,
    state: u64,
    now: u64,
    next: u64,
    queue: BinaryHeap<Reverse<(u64, u64, Happens)>>,
    links: Vec<Link>,
    threads: Vec<Thread>,
    idle: BTreeMap<usize, Vec<usize>>,
    alive: bool,
    life: u64,
    workers: Vec<Worker>,
    report: Report,
}

type Checked = Result<(), String>;

impl World {
    pub fn new(rules: Rules, seed: u64, death: Option<Death>) -> World {
        let mut world = World {
            rules,
            death,
            state: seed,
            now: 0,
            next: 0,
            queue: BinaryHeap::new(),
            links: Vec::new(),
            threads: (0..rules.threads).map(|_| Thread { left: rules.calls, ..Thread::default() }).collect(),
            idle: BTreeMap::new(),
            alive: true,
            life: 0,
            workers: Vec::new(),
            report: Report::default(),
        };
        world.start();
        for thread in 0..rules.threads {
            let time = world.dice(3_000);
            world.at(time, Happens::Begins(thread));
        }
        world
    }

    /// Runs until nothing more happens.
    ///
    /// # Errors
    /// What should not be, in words.
    pub fn run(mut self) -> Result<Report, String> {
        while let Some(Reverse((time, _, what))) = self.queue.pop() {
            self.now = time;
            if let Some(Death { side, step }) = self.death
                && step == self.report.steps
            {
                self.die(side);
            } else if self.chance(self.rules.deaths) {
                self.die(Side::Daemon);
            }
            self.report.steps += 1;
            self.happens(what)?;
        }
        match self.threads.iter().position(|thread| !thread.dead && (thread.call.is_some() || thread.left > 0)) {
            Some(thread) => Err(format!("thread {thread} waits for ever")),
            None => Ok(self.report),
        }
    }

    /// A number below `limit` (SplitMix64).
    fn dice(&mut self, limit: u64) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % limit
    }

    fn chance(&mut self, part: f64) -> bool {
        part > 0.0 && (self.dice(1_000_000) as f64) < part * 1e6
    }

    fn is(&self, fault: Fault) -> bool {
        self.rules.fault == Some(fault)
    }

    fn at(&mut self, time: u64, what: Happens) {
        self.next += 1;
        self.queue.push(Reverse((time, self.next, what)));
    }

    fn happens(&mut self, what: Happens) -> Checked {
        match what {
            Happens::Begins(thread) => self.begin(thread),
            Happens::Time(thread, turn) => {
                let about = &mut self.threads[thread];
                if about.turn != turn || about.call.is_none() {
                    return Ok(());
                }
                let event = if about.receives { Event::Gone(Errno::TIMEDOUT) } else { Event::Rested };
                self.go_on(thread, event)
            }
            Happens::Request(link, packet) => {
                let about = &mut self.links[link];
                if about.open && self.alive && about.life == self.life {
                    about.requests.push_back(packet);
                    return self.wake();
                }
                Ok(())
            }
            Happens::Answer(link, packet) => {
                self.links[link].answers.push_back(packet);
                self.hears(link)
            }
            Happens::End(link) => {
                self.links[link].ended = true;
                self.hears(link)
            }
            Happens::Worker(worker, turn) => {
                // Of a daemon that died, or of a linger that was cut short.
                if self.workers.get(worker).is_none_or(|about| about.turn != turn) {
                    return Ok(());
                }
                if self.workers[worker].computes {
                    self.answer(worker);
                }
                self.work(worker)
            }
            Happens::Start => {
                self.start();
                Ok(())
            }
        }
    }

    fn die(&mut self, side: Side) {
        self.report.deaths += 1;
        match side {
            Side::Program => {
                for thread in self.threads.iter_mut().take(2) {
                    (thread.dead, thread.receives, thread.call, thread.left) = (true, false, None, 0);
                    if let Some(link) = thread.link.take() {
                        self.links[link].open = false;
                    }
                }
                for link in self.idle.remove(&0).unwrap_or_default() {
                    self.links[link].open = false;
                }
            }
            Side::Daemon if self.alive => {
                self.alive = false;
                self.workers.clear();
                if !self.is(Fault::Deaf) {
                    for link in 0..self.links.len() {
                        if self.links[link].life == self.life && self.links[link].open {
                            let time = self.now.max(self.links[link].last) + 1;
                            self.at(time, Happens::End(link));
                        }
                    }
                }
                let time = self.now + 1 + self.dice(20_000);
                self.at(time, Happens::Start);
            }
            Side::Daemon => {}
        }
    }
}

/// The programs.
impl World {
    fn begin(&mut self, thread: usize) -> Checked {
        if self.threads[thread].dead {
            return Ok(());
        }
        self.next += 1;
        let (id, content) = (self.next, self.dice(u64::MAX).to_be_bytes());
        let name = if self.dice(10) == 0 { "none" } else { "www" };
        let request = Request { id, key: KeyName::Named(name), work: Work::Raw { input: &content } };
        let about = &mut self.threads[thread];
        about.packet = message::encode(&request);
        (about.content, about.begun, about.left) = (content, self.now, about.left - 1);
        about.call = Some(Call::new(id, "/run".into(), Duration::from_micros(PATIENCE)));
        self.does(thread, Step::Connect { anew: false })
    }

    fn go_on(&mut self, thread: usize, event: Event<'_>) -> Checked {
        let about = &mut self.threads[thread];
        (about.receives, about.turn) = (false, about.turn + 1);
        let elapsed = Duration::from_micros(self.now - about.begun);
        let step = about.call.as_mut().expect("a call").after(event, elapsed);
        self.does(thread, step)
    }

    fn does(&mut self, thread: usize, step: Step) -> Checked {
        match step {
            Step::Connect { anew } => {
                if let Some(link) = self.threads[thread].link.take() {
                    self.close(link);
                }
                match self.connection(thread, anew)? {
                    Some((link, is_used)) => {
                        self.threads[thread].link = Some(link);
                        self.go_on(thread, Event::Connected { is_used })
                    }
                    None => self.go_on(thread, Event::Gone(Errno::CONNREFUSED)),
                }
            }
            Step::Send => {
                let (link, late) = (self.threads[thread].link.expect("a connection"), self.dice(30));
                if self.links[link].ended {
                    return self.go_on(thread, Event::Gone(Errno::PIPE));
                }
                if self.now - self.threads[thread].begun >= PATIENCE {
                    return Err(format!("thread {thread} sends though its patience is over"));
                }
                self.links[link].owed += 1;
                let packet = self.threads[thread].packet.as_ref().expect("a request").to_vec();
                self.at(self.now + 1 + late, Happens::Request(link, packet));
                self.go_on(thread, Event::Sent)
            }
            Step::Receive => {
                self.threads[thread].receives = true;
                let (turn, deadline) = (self.threads[thread].turn, self.threads[thread].begun + PATIENCE);
                self.at(deadline, Happens::Time(thread, turn));
                self.hears(self.threads[thread].link.expect("a connection"))
            }
            Step::Pause { time, keep } => {
                self.release(thread, keep);
                let turn = self.threads[thread].turn;
                if !self.is(Fault::Oversleeps) {
                    self.at(self.now + time.as_micros() as u64, Happens::Time(thread, turn));
                }
                Ok(())
            }
            Step::End { result, keep } => {
                self.release(thread, keep);
                let about = &mut self.threads[thread];
                about.call = None;
                let elapsed = self.now - about.begun;
                if elapsed > PATIENCE {
                    return Err(format!("thread {thread}: a call took {elapsed} us"));
                }
                match result {
                    Ok(bytes) if bytes[..] == reply(&about.content) => self.report.answered += 1,
                    Ok(_) => return Err(format!("thread {thread} got the answer of another")),
                    Err(Error::Refused(Refusal::NoKey)) => self.report.refused += 1,
                    Err(Error::Unreachable { .. } | Error::Refused(Refusal::Failed(_))) if self.rules.lost > 0.0 => {
                        self.report.failed += 1;
                    }
                    Err(error) => return Err(format!("thread {thread}: {error}")),
                }
                if about.left > 0 {
                    let time = self.now + self.dice(500);
                    self.at(time, Happens::Begins(thread));
                }
                Ok(())
            }
        }
    }

    /// A connection, and whether it was used; none if nobody is there.
    fn connection(&mut self, thread: usize, anew: bool) -> Result<Option<(usize, bool)>, String> {
        let shares = self.is(Fault::Shares);
        let idle = self.idle.entry(thread / 2).or_default();
        if anew {
            for link in std::mem::take(idle) {
                self.close(link);
            }
        } else if let Some(link) = if shares { idle.first().copied() } else { idle.pop() } {
            let about = &mut self.links[link];
            if about.holder.is_some() || about.owed > 0 && !about.ended {
                return Err(format!("thread {thread} got a connection on which something is under way"));
            }
            about.holder = Some(thread);
            return Ok(Some((link, true)));
        }
        if !self.alive {
            return Ok(None);
        }
        self.links.push(Link { life: self.life, open: true, holder: Some(thread), ..Link::default() });
        Ok(Some((self.links.len() - 1, false)))
    }

    fn release(&mut self, thread: usize, keep: bool) {
        let Some(link) = self.threads[thread].link.take() else { return };
        self.links[link].holder = None;
        if keep || self.is(Fault::KeepsAll) {
            self.idle.entry(thread / 2).or_default().push(link);
        } else {
            self.close(link);
        }
    }

    fn close(&mut self, link: usize) {
        (self.links[link].open, self.links[link].holder) = (false, None);
    }

    /// Gives what has arrived on a connection to the thread that waits there.
    fn hears(&mut self, link: usize) -> Checked {
        let Some(thread) = self.links[link].holder.filter(|&thread| self.threads[thread].receives) else {
            return Ok(());
        };
        if let Some(packet) = self.links[link].answers.pop_front() {
            self.links[link].owed = self.links[link].owed.saturating_sub(1);
            return self.go_on(thread, Event::Packet(&packet));
        }
        if self.links[link].ended { self.go_on(thread, Event::Gone(Errno::CONNRESET)) } else { Ok(()) }
    }
}

/// The daemon.
impl World {
    fn start(&mut self) {
        (self.alive, self.life) = (true, self.life + 1);
        // Times of an earlier life mean nothing to these.
        let turn = self.life << 32;
        self.workers = (0..WORKERS).map(|_| Worker { turn, waits: Some(0), ..Worker::default() }).collect();
    }

    /// Wakes the worker that began to wait last.
    fn wake(&mut self) -> Checked {
        let waits = self.workers.iter().enumerate().filter_map(|(worker, about)| Some((about.waits?, worker)));
        match waits.max() {
            Some((_, worker)) => self.work(worker),
            None => Ok(()),
        }
    }

    /// Collects, until there is nothing more to take or the batch is whole.
    fn work(&mut self, worker: usize) -> Checked {
        (self.workers[worker].waits, self.workers[worker].turn) = (None, self.workers[worker].turn + 1);
        loop {
            let about = &self.workers[worker];
            let (taken, age) = (about.batch.len(), self.now - about.first);
            let expected = if taken == 0 || about.more { 0 } else { self.expected() };
            let next = COLLECTOR.next(taken, about.more, expected, Duration::from_micros(age));
            let room = if self.is(Fault::Overfull) { 16 } else { COLLECTOR.capacity - taken.min(COLLECTOR.capacity) };
            if next == Next::Run {
                return self.compute(worker, age);
            }
            let ready: Vec<_> = (0..self.links.len()).filter(|&link| self.has_request(link)).take(room).collect();
            if ready.is_empty() && next != Next::Take {
                self.workers[worker].waits = Some(self.now);
                if let Next::Linger(time) = next
                    && !self.is(Fault::NoClock)
                {
                    let turn = self.workers[worker].turn;
                    self.at(self.now + time.as_micros() as u64, Happens::Worker(worker, turn));
                }
                return Ok(());
            }
            if taken == 0 {
                self.workers[worker].first = self.now;
            }
            self.workers[worker].more = ready.len() == room;
            for link in ready {
                let packet = self.links[link].requests.pop_front().expect("there is one");
                self.links[link].under_way += 1;
                self.workers[worker].batch.push((link, packet));
            }
        }
    }

    fn has_request(&self, link: usize) -> bool {
        let about = &self.links[link];
        about.life == self.life && about.open && !about.requests.is_empty()
    }

    fn expected(&self) -> usize {
        let is = |link: &&Link| {
            link.life == self.life
                && link.open
                && link.under_way == 0
                && link.answered.is_some_and(|at| self.now - at < LATELY)
        };
        self.links.iter().filter(is).count()
    }

    fn compute(&mut self, worker: usize, age: u64) -> Checked {
        let requests = self.workers[worker].batch.len();
        if !(1..=COLLECTOR.capacity).contains(&requests) {
            return Err(format!("a batch of {requests}"));
        }
        if Duration::from_micros(age) > COLLECTOR.linger {
            return Err(format!("a batch began {age} us after its first request"));
        }
        self.report.batches += 1;
        let time = self.now + 100 + self.dice(2_000);
        self.workers[worker].computes = true;
        let turn = self.workers[worker].turn;
        self.at(time, Happens::Worker(worker, turn));
        Ok(())
    }

    fn answer(&mut self, worker: usize) {
        self.workers[worker].computes = false;
        let mut batch = std::mem::take(&mut self.workers[worker].batch);
        if self.is(Fault::Forgets) && batch.len() == COLLECTOR.capacity {
            batch.pop();
        }
        let contents: Vec<_> = batch.iter().map(|(_, packet)| read(packet).2).collect();
        for (at, (link, packet)) in batch.iter().enumerate() {
            let (mut id, known, mut content) = read(packet);
            if self.is(Fault::WrongNumber) && self.dice(20) == 0 {
                id -= 1;
            }
            if self.is(Fault::Exchanged) {
                content = contents[(at + 1) % contents.len()];
            }
            let bytes = reply(&content);
            let failed = self.dice(50) == 0;
            let answer = match known {
                true if failed => Err(Refusal::Failed("for now".to_owned())),
                true => Ok(&bytes[..]),
                false => Err(Refusal::NoKey),
            };
            let packet = message::encode(&Response { id, answer }).expect("short").to_vec();
            self.send(*link, packet);
        }
    }

    /// Puts an answer on its way: soon, late, twice or never.
    fn send(&mut self, link: usize, packet: Vec<u8>) {
        (self.links[link].under_way, self.links[link].answered) = (self.links[link].under_way - 1, Some(self.now));
        if !self.links[link].open || self.chance(self.rules.lost) {
            return;
        }
        let latest = if self.rules.lost > 0.0 { 2 * PATIENCE } else { 50_000 };
        let late = if self.chance(self.rules.late) { self.dice(latest) } else { 1 + self.dice(30) };
        let time = self.links[link].last.max(self.now + late);
        self.links[link].last = time;
        if self.chance(self.rules.doubled) {
            self.at(time, Happens::Answer(link, packet.clone()));
        }
        self.at(time, Happens::Answer(link, packet));
    }
}

/// The number, whether the key is known, and the content of a request.
fn read(packet: &[u8]) -> (u64, bool, [u8; 8]) {
    match message::decode(packet) {
        Ok(Request { id, key, work: Work::Raw { input } }) => {
            (id, key == KeyName::Named("www"), input.try_into().expect("eight bytes"))
        }
        other => panic!("{other:?}"),
    }
}

/// The right answer to a content.
fn reply(content: &[u8; 8]) -> [u8; 8] {
    u64::from_be_bytes(*content).rotate_left(9).wrapping_mul(3).to_be_bytes()
}
