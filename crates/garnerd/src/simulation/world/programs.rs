// SPDX-License-Identifier: Apache-2.0
//! The programs of the world: they run the client's machine, on connections that the threads of a program share.

use super::daemon::reply;
use super::{Checked, Fault, Happens, Link, PATIENCE, World};
use garner_remote::Error;
use garner_remote::call::{Call, Event, Step};
use garner_remote::message::{self, KeyName, Refusal, Request, Work};
use rustix::io::Errno;
use std::time::Duration;

impl World {
    pub(super) fn begin(&mut self, thread: usize) -> Checked {
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

    pub(super) fn go_on(&mut self, thread: usize, event: Event<'_>) -> Checked {
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
    pub(super) fn hears(&mut self, link: usize) -> Checked {
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
