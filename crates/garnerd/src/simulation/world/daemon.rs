// SPDX-License-Identifier: Apache-2.0
//! The daemon of the world: workers that collect by the daemon's own rules, and answers that go astray.

use super::{COLLECTOR, Checked, Fault, Happens, LATELY, LONGEST_YIELD, Link, PATIENCE, WORKERS, Worker, World};
use crate::collect::Next;
use garner_remote::message::{self, KeyName, Refusal, Request, Response, Work};
use std::time::Duration;

impl World {
    pub(super) fn start(&mut self) {
        (self.alive, self.life) = (true, self.life + 1);
        // Times of an earlier life mean nothing to these.
        let turn = self.life << 32;
        self.workers = (0..WORKERS).map(|_| Worker { turn, waits: Some(0), ..Worker::default() }).collect();
    }

    /// Wakes the worker that began to wait last.
    pub(super) fn wake(&mut self) -> Checked {
        let waits = self.workers.iter().enumerate().filter_map(|(worker, about)| Some((about.waits?, worker)));
        match waits.max() {
            Some((_, worker)) => self.work(worker),
            None => Ok(()),
        }
    }

    /// Collects, until there is nothing more to take or the batch is whole.
    pub(super) fn work(&mut self, worker: usize) -> Checked {
        let woken = self.workers[worker].waits.take().is_some();
        self.workers[worker].turn += 1;
        let mut yielded = self.workers[worker].yields.take().map(|began| Duration::from_micros(self.now - began));
        // After a sleep or a yield there is a look before the next decision.
        let mut looks = woken || yielded.is_some();
        loop {
            let about = &self.workers[worker];
            let (taken, age) = (about.batch.len(), self.now - about.first);
            let next = if std::mem::take(&mut looks) {
                Next::Take
            } else {
                let expected = taken > 0 && !about.more && self.expects();
                let seen = if self.is(Fault::NoClock) && taken > 0 { 0 } else { age };
                COLLECTOR.next(taken, about.more, expected, Duration::from_micros(seen), &about.lingering)
            };
            let room = if self.is(Fault::Overfull) { 16 } else { COLLECTOR.capacity - taken.min(COLLECTOR.capacity) };
            match next {
                Next::Run => return self.compute(worker, age),
                Next::Watch | Next::Yield => {
                    // At once, or after whatever had the processor.
                    let lasts = if self.dice(3) == 0 { 1 } else { self.dice(LONGEST_YIELD) };
                    let turn = self.workers[worker].turn;
                    self.workers[worker].yields = Some(self.now);
                    self.at(self.now + lasts, Happens::Worker(worker, turn));
                    return Ok(());
                }
                Next::Sleep => self.workers[worker].lingering.sleeps(),
                Next::Take => {}
            }
            let ready: Vec<_> = (0..self.links.len()).filter(|&link| self.has_request(link)).take(room).collect();
            if ready.is_empty() && next == Next::Sleep {
                self.workers[worker].waits = Some(self.now);
                return Ok(());
            }
            self.workers[worker].more = !ready.is_empty();
            if let Some(lasted) = yielded.take()
                && !self.is(Fault::NoClock)
            {
                let brought = !ready.is_empty();
                self.workers[worker].lingering.yielded(lasted, brought);
            }
            if taken == 0 && !ready.is_empty() {
                self.begins(worker);
            }
            for link in ready {
                let packet = self.links[link].requests.pop_front().expect("there is one");
                self.links[link].under_way += 1;
                self.workers[worker].batch.push((link, packet));
            }
        }
    }

    /// The worker begins to collect, or has its first request.
    fn begins(&mut self, worker: usize) {
        let about = &mut self.workers[worker];
        about.first = self.now;
        about.lingering.begin();
    }

    fn has_request(&self, link: usize) -> bool {
        let about = &self.links[link];
        about.life == self.life && about.open && !about.requests.is_empty()
    }

    fn expects(&self) -> bool {
        let is = |link: &&Link| {
            link.life == self.life
                && link.open
                && link.under_way == 0
                && link.answered.is_some_and(|at| self.now - at < LATELY)
        };
        self.links.iter().any(|link| is(&link))
    }

    fn compute(&mut self, worker: usize, age: u64) -> Checked {
        let requests = self.workers[worker].batch.len();
        if !(1..=COLLECTOR.capacity).contains(&requests) {
            return Err(format!("a batch of {requests}"));
        }
        if Duration::from_micros(age) > COLLECTOR.linger + Duration::from_micros(LONGEST_YIELD) {
            return Err(format!("a batch began {age} us after its first request"));
        }
        self.report.batches += 1;
        let time = self.now + 100 + self.dice(2_000);
        self.workers[worker].computes = true;
        self.workers[worker].lingering.ran(Duration::from_micros(time - self.now));
        let turn = self.workers[worker].turn;
        self.at(time, Happens::Worker(worker, turn));
        Ok(())
    }

    pub(super) fn answer(&mut self, worker: usize) {
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
        self.begins(worker);
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
pub(super) fn reply(content: &[u8; 8]) -> [u8; 8] {
    u64::from_be_bytes(*content).rotate_left(9).wrapping_mul(3).to_be_bytes()
}
