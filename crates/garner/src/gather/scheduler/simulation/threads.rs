// SPDX-License-Identifier: Apache-2.0
//! Simulated threads: each step is one event of the scheduler, or one thing that the runtime does without its lock.

use super::super::{Arrival, Assignment, Batch, Next, Ran, Refusal};
use super::state::{Job, Kind, State, Todo, Who};
use super::world::World;

impl World {
    /// Whether a thread can make a step. With `spurious`, also those that wait on a condition nobody notified.
    pub fn is_ready(&self, thread: usize, spurious: bool) -> bool {
        let thread = &self.threads[thread];
        let answered = |&operation: &usize| self.operations[operation].answers > 0;
        !thread.todo.is_empty()
            || match &thread.state {
                State::NoWork | State::NoRoom(_) | State::Unquiet => thread.notified || spurious,
                State::Sleeps(_, _, operation) => self.operations[*operation].called || answered(operation),
                State::Awaits(operations) => operations.iter().all(answered),
                State::Ended => false,
                _ => true,
            }
    }

    pub fn step(&mut self, i: usize) -> Result<(), String> {
        if let Some(todo) = self.threads[i].todo.pop_front() {
            match todo {
                Todo::Answer(operation) => {
                    self.answer(operation)?;
                    return self.fork(i);
                }
                Todo::Wake(actions) => self.wake(&actions),
                Todo::Answered => {
                    self.scheduler.answered();
                    return self.settle(i);
                }
            }
            return Ok(());
        }
        self.threads[i].notified = false;
        let state = std::mem::replace(&mut self.threads[i].state, State::Ended);
        self.go_on(i, state)?;
        self.settle(i)
    }

    fn set(&mut self, i: usize, state: State) {
        self.threads[i].state = state;
    }

    fn go_on(&mut self, i: usize, state: State) -> Result<(), String> {
        let at = self.at(i);
        match state {
            State::Next => match self.threads[i].kind {
                Kind::Caller => self.call(i)?,
                Kind::Executor => self.assignment(i)?,
                Kind::Retires => {
                    if self.random.one_in(6) {
                        self.counts.retired += 1;
                        self.scheduler.retire();
                        self.set(i, State::Unquiet);
                    } else {
                        self.set(i, State::Next);
                    }
                }
                Kind::Closes => {
                    if self.random.one_in(12) {
                        let refused = self.scheduler.close();
                        self.threads[i].todo.extend(refused.into_iter().map(|job| Todo::Answer(job.0)));
                        self.set(i, State::Unquiet);
                    } else {
                        self.set(i, State::Next);
                    }
                }
            },
            State::Arrives(class, operation) => match self.scheduler.arrived(class, Job(operation), at) {
                Arrival::Taken(number, next) => self.next(i, Who::Caller(class, number, operation), next)?,
                Arrival::Full(_) => self.no_room(i, State::Arrives(class, operation)),
                Arrival::Closed(_) => {
                    self.answer(operation)?;
                    self.set(i, State::Next);
                }
            },
            State::Queues(operations, from) => self.queue(i, operations, from)?,
            State::NoRoom(after) => {
                self.scheduler.sees_room();
                if self.scheduler.is_full() { self.no_room(i, *after) } else { self.set(i, *after) }
            }
            State::Yields(who, candidate) => {
                let lasted = self.passes();
                let at = self.at(i);
                let next = self.scheduler.yielded(candidate, lasted, at);
                self.next(i, who, next)?;
            }
            State::Runs(who, batch) => self.end(i, who, batch)?,
            State::Follows(who) => {
                let Who::Caller(class, number, operation) = who else { unreachable!("only callers follow") };
                self.scheduler.follows(class, number, at);
                self.set(i, State::Sleeps(class, number, operation));
            }
            State::Sleeps(class, number, operation) => {
                if self.operations[operation].answers > 0 {
                    self.set(i, State::Next);
                } else {
                    self.operations[operation].called = false;
                    let next = self.scheduler.woken(class, number, at);
                    self.next(i, Who::Caller(class, number, operation), next)?;
                }
            }
            State::Idle(pool) => {
                // Two events under one lock, as in the runtime: wakes may be in hand when it is told to wait.
                self.scheduler.executor_idle(pool, at);
                self.start_executors(i);
                self.assignment(i)?;
            }
            State::NoWork => self.assignment(i)?,
            State::Lends(operations, assigned) => {
                let enough =
                    operations.iter().filter(|&&o| self.operations[o].answers > 0).count() * 2 > operations.len();
                match assigned {
                    Some(pool) if enough => {
                        self.scheduler.stands_down(pool, at);
                        self.set(i, State::Awaits(operations));
                    }
                    None if enough => self.set(i, State::Awaits(operations)),
                    assigned => {
                        let next = match assigned {
                            Some(pool) => self.scheduler.goes_on(pool, at),
                            None => self.scheduler.lends(at),
                        };
                        self.next(i, Who::Lender(operations), next)?;
                    }
                }
            }
            State::Awaits(_) => self.set(i, State::Next),
            State::Drops(class, number, operation) => {
                if let Some(job) = self.scheduler.withdrawn(class, number, at) {
                    self.counts.withdrawn += 1;
                    self.answer(job.0)?;
                }
                self.set(i, State::Awaits(vec![operation]));
            }
            State::Unquiet => {
                let closes = self.threads[i].kind == Kind::Closes;
                let quiet = self.scheduler.executors() == 0 && (!closes || self.scheduler.is_quiet());
                self.set(i, if quiet { State::Ended } else { State::Unquiet });
            }
            State::Leaves => {
                self.scheduler.executor_left();
                self.set(i, State::Ended);
            }
            State::Ended => {}
        }
        Ok(())
    }

    /// A caller waits for room, or first does what the scheduler asks for and tries again.
    fn no_room(&mut self, i: usize, after: State) {
        self.counts.full_queue += 1;
        let at = self.at(i);
        self.scheduler.waits_for_room(at);
        if self.scheduler.actions.is_empty() {
            self.set(i, State::NoRoom(Box::new(after)));
        } else {
            self.scheduler.sees_room();
            self.set(i, after);
        }
    }

    /// The next call of a caller.
    fn call(&mut self, i: usize) -> Result<(), String> {
        if self.threads[i].calls == 0 {
            return Ok(());
        }
        self.threads[i].calls -= 1;
        let (class, at) = (self.class(), self.at(i));
        let operation = self.operations.len();
        match self.random.below(8) {
            0..4 => {
                self.operations.push(Default::default());
                self.set(i, State::Arrives(class, operation));
            }
            4..7 => {
                self.operations.push(super::world::Operation { ticket: true, ..Default::default() });
                let mut submitted = self.scheduler.submitted(class, Job(operation), at);
                if matches!(submitted, Err((Refusal::NoExecutor, _))) && self.start_for_ticket(i) {
                    submitted = self.scheduler.submitted(class, Job(operation), at);
                }
                match submitted {
                    Ok(number) if self.random.one_in(4) => self.set(i, State::Drops(class, number, operation)),
                    Ok(_) => self.set(i, State::Awaits(vec![operation])),
                    Err(_) => {
                        self.answer(operation)?;
                        self.set(i, State::Next);
                    }
                }
            }
            _ => {
                let count = 1 + self.random.below(12);
                let operations: Vec<usize> = (operation..operation + count).collect();
                self.operations.resize(operation + count, Default::default());
                self.set(i, State::Queues(operations, 0));
            }
        }
        Ok(())
    }

    fn start_for_ticket(&mut self, i: usize) -> bool {
        self.scheduler.executor_starts();
        let started = self.starts();
        if !started {
            let at = self.at(i);
            self.scheduler.executor_failed(None, at);
        }
        started
    }

    fn queue(&mut self, i: usize, operations: Vec<usize>, from: usize) -> Result<(), String> {
        let (class, at) = (self.classes[operations[0] % self.classes.len()], self.at(i));
        for place in from..operations.len() {
            let job = Job(operations[place]);
            let mut queued = self.scheduler.queued(class, job, at);
            if matches!(queued, Err((Refusal::NoExecutor, _))) && self.start_for_ticket(i) {
                queued = self.scheduler.queued(class, Job(operations[place]), at);
            }
            match queued {
                Ok(_) => {}
                Err((Refusal::Full, _)) => {
                    self.no_room(i, State::Queues(operations, place));
                    return Ok(());
                }
                Err(_) => self.answer(operations[place])?,
            }
        }
        self.counts.lent += 1;
        let next = self.scheduler.lends(at);
        self.next(i, Who::Lender(operations), next)
    }

    fn assignment(&mut self, i: usize) -> Result<(), String> {
        let at = self.at(i);
        match self.scheduler.executor_next(at) {
            Assignment::Take(pool, next) => self.next(i, Who::Executor(pool), next)?,
            Assignment::Wait if self.scheduler.actions.is_empty() => self.set(i, State::NoWork),
            // The runtime first does what the scheduler asks for.
            Assignment::Wait => {
                self.counts.waits_put_off += 1;
                self.set(i, State::Next);
            }
            Assignment::Leave => self.set(i, State::Leaves),
        }
        Ok(())
    }

    fn next(&mut self, i: usize, who: Who, next: Next<Job>) -> Result<(), String> {
        let state = match (next, who) {
            (Next::Run(batch), who) => {
                self.counts.batches += 1;
                self.counts.older_first += u64::from(batch.leader_waits);
                self.check_batch(&who, &batch)?;
                State::Runs(who, batch)
            }
            (Next::Yield(candidate), who) => {
                self.counts.yields += 1;
                self.check_yield(&who)?;
                State::Yields(who, candidate)
            }
            (Next::Wait, Who::Caller(class, number, operation)) => State::Sleeps(class, number, operation),
            (Next::Wait, Who::Executor(pool)) => State::Idle(pool),
            (Next::Wait, Who::Lender(operations)) => State::Awaits(operations),
        };
        self.set(i, state);
        Ok(())
    }

    /// A batch comes to its end, by a panic or not.
    fn end(&mut self, i: usize, who: Who, batch: Batch<Job>) -> Result<(), String> {
        let (nanoseconds, panics) = (1 + self.passes(), self.panics());
        let at = self.at(i);
        let Batch { class, entries, leader_waits, processor, .. } = batch;
        let ran = Some(Ran { operations: entries.len(), nanoseconds }).filter(|_| !panics);
        let own = matches!(who, Who::Caller(..)) && !leader_waits;
        let answers = !panics && entries.len() > usize::from(own);
        let tickets = entries.iter().any(|entry| self.operations[entry.item.0].ticket);
        let lends = matches!(who, Who::Lender(_)) && !panics && !tickets;
        let assigned = self.scheduler.ended((class, processor), ran, answers, lends, at).then_some(class.pool());
        let state = match who {
            _ if panics => {
                self.counts.panics += 1;
                match who {
                    Who::Caller(class, number, _) => {
                        if let Some(job) = self.scheduler.withdrawn(class, number, at) {
                            self.answer(job.0)?;
                        }
                        State::Next
                    }
                    Who::Executor(pool) => State::Idle(pool),
                    Who::Lender(operations) => State::Awaits(operations),
                }
            }
            Who::Caller(..) if leader_waits => State::Follows(who),
            Who::Caller(class, number, operation) => State::Sleeps(class, number, operation),
            Who::Executor(pool) => State::Idle(pool),
            Who::Lender(operations) => State::Lends(operations, assigned),
        };
        self.set(i, state);
        let answer = entries.into_iter().map(|entry| Todo::Answer(entry.item.0));
        self.threads[i].todo.extend(answer);
        let actions = self.settle_later(i)?;
        self.threads[i].todo.push_back(Todo::Wake(actions));
        if answers {
            self.threads[i].todo.push_back(Todo::Answered);
        }
        Ok(())
    }
}
