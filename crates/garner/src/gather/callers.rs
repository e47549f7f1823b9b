// SPDX-License-Identifier: Apache-2.0
//! What callers ask of a gatherer, as events for the [scheduler](super::scheduler). Called by [`Gatherer`](super::Gatherer).
//! Decides nothing: who leads, who is woken and who waits is the scheduler's.

use super::answer::{Answer, Answers, Reply, Woken};
use super::core::{Core, Work};
use super::executor;
use super::leader::{Leader, is_leading};
use super::operation::{Operation, Output};
use super::scheduler::{Arrival, Next};
use super::sleep::Wakes;
use super::ticket::Ticket;
use crate::error::{Error, Result};
use crate::fork::generation;
use std::sync::Arc;

impl Core {
    /// Runs one operation, by this thread or by another that is running a batch anyway.
    pub fn run(self: &Arc<Self>, operation: Operation) -> Result<Output> {
        let process = generation();
        let class = self.route.class(&operation);
        let answer = Arc::new(Answer::new());
        let mut work = Work { operation, reply: Reply::to(&answer) };
        let (number, mut next) = loop {
            match self.report(|scheduler, at| scheduler.arrived(class, work, at)) {
                Arrival::Taken(number, next) => break (number, next),
                Arrival::Full(back) => work = back,
                Arrival::Closed(_) => return Err(Error::ShutDown),
            }
            self.lock().wait_for_room();
        };
        loop {
            next = match next {
                Next::Yield(candidate) => self.yield_now(candidate),
                Next::Run(batch) => {
                    let leader = if batch.leader_waits { Leader::Waiting(class, number) } else { Leader::Own };
                    self.lead(batch, leader);
                    // A child that a waker or a signal's handler made: nobody else is there to answer, and the answer may be
                    // half written.
                    if generation() != process {
                        return Err(Error::Forked);
                    }
                    if let Some(answer) = answer.try_take() {
                        return answer;
                    }
                    // Not sooner: nobody is to wait for a thread that wakes others, by code of theirs.
                    self.report(|scheduler, at| scheduler.follows(class, number, at));
                    Next::Wait
                }
                Next::Wait => match answer.wait() {
                    Woken::Done(answer) => return answer,
                    Woken::Lead => self.report(|scheduler, at| scheduler.woken(class, number, at)),
                },
            };
        }
    }

    /// Queues one operation for an executor; refuses when the queue is at its limit.
    pub fn submit(self: &Arc<Self>, operation: Operation) -> Result<Ticket> {
        let class = self.route.class(&operation);
        let answer = Arc::new(Answer::new());
        let work = Work { operation, reply: Reply::to(&answer) };
        let mut locked = self.lock();
        let number = locked.queue(work, |scheduler, work, at| scheduler.submitted(class, work, at));
        locked.release();
        match number {
            Ok(number) => Ok(Ticket::new(answer, self, class, number)),
            Err((error, _)) => Err(error.unwrap_or(Error::Full(self.queue_limit))),
        }
    }

    /// Queues operations of a whole batch, waiting for room where there is none, and lends this thread to run what waits,
    /// until `wanted` answers are there.
    ///
    /// # Errors
    /// [`Error::Forked`] in a child that was made while this thread ran operations, by a waker or a signal's handler: nobody
    /// else is there to answer.
    pub fn run_all(
        self: &Arc<Self>,
        operations: impl Iterator<Item = (usize, Operation)>,
        answers: &Arc<Answers>,
        wanted: usize,
    ) -> Result<()> {
        let process = generation();
        // The paths that say which class it is are others' code: not under the lock, and not half way.
        let operations: Vec<_> =
            operations.map(|(index, operation)| (index, self.route.class(&operation), operation)).collect();
        let mut refused = Vec::new();
        let mut locked = self.lock();
        for (index, class, operation) in operations {
            let mut work = Work { operation, reply: Reply::one_of(answers, index) };
            loop {
                match locked.queue(work, |scheduler, work, at| scheduler.queued(class, work, at)) {
                    Ok(_) => break,
                    Err((Some(error), work)) => {
                        refused.push((work.reply, error));
                        break;
                    }
                    Err((None, back)) => work = back,
                }
                locked.wait_for_room();
                locked = self.lock();
            }
        }
        let next = locked.report(|scheduler, at| scheduler.lends(at));
        locked.release();
        for (reply, error) in refused {
            reply.answer(Err(error), &mut Wakes::default());
        }
        executor::lend(self, next, || answers.done() >= wanted);
        if generation() != process {
            return Err(Error::Forked);
        }
        answers.wait_for(wanted);
        Ok(())
    }

    /// Refuses tickets that come, and returns when those that wait are answered and the executors have left. Callers go on.
    ///
    /// From inside a batch it returns at once, as [`Core::shut_down`].
    pub fn retire(self: &Arc<Self>) {
        self.report(|scheduler, _| scheduler.retire());
        if !is_leading() {
            self.lock().wait_until(|scheduler| scheduler.executors() == 0);
        }
    }

    /// Refuses what comes and what waits, and returns when nothing runs any more.
    ///
    /// From inside a batch, in a waker or a device, it returns at once: waiting for that batch would never end.
    pub fn shut_down(self: &Arc<Self>) {
        let waiting = self.report(|scheduler, _| scheduler.close());
        let mut wakes = Wakes::default();
        for work in waiting {
            work.reply.answer(Err(Error::ShutDown), &mut wakes);
        }
        drop(wakes);
        if !is_leading() {
            self.lock().wait_until(|scheduler| scheduler.is_quiet() && scheduler.executors() == 0);
        }
    }
}

#[cfg(all(test, not(shuttle)))]
mod tests {
    use super::*;
    use crate::arithmetic::libcrypto::Libcrypto;
    use crate::arithmetic::{Modulus, Power};
    use crate::device::{Cpu, Device, DeviceError, DeviceInfo, Limits};
    use crate::gather::config::Config;
    use crate::gather::scheduler::{At, Ran};
    use std::future::Future;
    use std::pin::Pin;
    use std::sync::mpsc;
    use std::task::{Context, Wake, Waker};
    use std::thread;
    use std::time::Duration;

    /// libcrypto, wanting four at once.
    struct Four(Cpu);

    impl DeviceInfo for Four {
        fn name(&self) -> &str {
            "four"
        }

        fn limits(&self) -> Limits {
            self.0.limits()
        }

        fn preferred_batch(&self) -> usize {
            4
        }
    }

    impl Device for Four {
        fn exponentiate(&self, jobs: &mut [Power<'_>]) -> std::result::Result<(), DeviceError> {
            self.0.exponentiate(jobs)
        }
    }

    /// 2^3 modulo 65521.
    fn operation() -> Operation {
        Operation::exponentiation(&Arc::new(Modulus::new(&[0xfff1]).unwrap()), &[2], &[3]).unwrap()
    }

    struct Waits(Arc<Core>);

    impl Wake for Waits {
        fn wake(self: Arc<Self>) {
            let _ = self.0.submit(operation()).unwrap().wait();
        }
    }

    #[test]
    fn nobody_waits_for_a_leader_that_wakes_others_before_it_follows() {
        let device = Four(Cpu::new(Arc::new(Libcrypto)));
        let mut config = Config::with(Arc::new(Libcrypto), vec![Arc::new(device)]);
        config.slots = 1;
        let core = Arc::new(Core::new(config));
        let class = core.route.class(&operation());
        // The slot is in use while three callers and a ticket come. One of them is called when it ends, and never leads.
        let nowhere = |now| At { processor: usize::MAX, now };
        let arrives = |answer: &Arc<Answer>| {
            let work = Work { operation: operation(), reply: Reply::to(answer) };
            core.report(|scheduler, at| scheduler.arrived(class, work, nowhere(at.now)))
        };
        let answers = [(); 4].map(|()| Arc::new(Answer::new()));
        let Arrival::Taken(_, Next::Run(batch)) = arrives(&answers[0]) else { panic!("the slot is free") };
        for answer in &answers[1..] {
            assert!(matches!(arrives(answer), Arrival::Taken(_, Next::Wait)));
        }
        let mut ticket = core.submit(operation()).unwrap();
        let waker = Waker::from(Arc::new(Waits(Arc::clone(&core))));
        let mut context = Context::from_waker(&waker);
        assert!(Pin::new(&mut ticket).poll(&mut context).is_pending());
        let ran = Some(Ran { operations: 1, nanoseconds: 0 });
        core.report(|scheduler, at| scheduler.ended((class, batch.processor), ran, false, false, nowhere(at.now)));
        let (done, receiver) = mpsc::channel();
        let leader = Arc::clone(&core);
        thread::spawn(move || done.send(leader.run(operation()).map(|_| ())));
        let answer = receiver.recv_timeout(Duration::from_secs(60));
        assert!(answer.expect("the waker waits for the leader of its batch").is_ok());
        assert!(answers[1..].iter().all(|answer| answer.try_take().is_some_and(|answer| answer.is_ok())));
    }
}
