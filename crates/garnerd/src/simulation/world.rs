// SPDX-License-Identifier: Apache-2.0
//! The world of a simulation: programs with two threads each, connections, a daemon with two workers, and what may go wrong.

mod daemon;
mod programs;

use crate::collect::{Collector, Lingering};
use garner_remote::call::{Call, Event};
use garner_remote::message::Packet;
use rustix::io::Errno;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, VecDeque};
use std::time::Duration;

/// How long a call goes on, in microseconds as all times here.
const PATIENCE: u64 = 1_000_000;
/// How long a client counts as active after an answer.
const LATELY: u64 = 2_000;
const COLLECTOR: Collector = Collector { capacity: 4, linger: Duration::from_micros(1_000) };
/// The longest yield.
const LONGEST_YIELD: u64 = 5_000;
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
    /// A worker that lingers looks at no clock, and forgets that its yields brought nothing.
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
    /// A worker's yield or computation ends, in this life of the daemon.
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
    lingering: Lingering,
    /// When it began to yield, if it does.
    yields: Option<u64>,
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
                // Of a daemon that died.
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
