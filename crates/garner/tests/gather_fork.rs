// SPDX-License-Identifier: Apache-2.0
//! fork(2) from a busy process with many threads.

mod fork_support;
mod gather_support;

use fork_support::{fork, status};
use garner::Error;
use garner::gather::{Gatherer, Ticket};
use garner::stats;
use gather_support::{Gate, Known, TestDevice, gatherer};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicI32, AtomicUsize, Ordering};
use std::task::{Context, Wake, Waker};
use std::thread;

/// Tells threads to stop, also where a test fails: it would wait for them for ever.
struct Stop<'a>(&'a AtomicBool);

impl Drop for Stop<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Uses the gatherer in every way; whether every answer was right.
fn all_ways(gatherer: &Gatherer, known: &Known) -> bool {
    let runs = (0..10).all(|i| *gatherer.run(known.operation(i)).unwrap() == known.answer(i));
    let tickets: Vec<_> = (0..10).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    let tickets = tickets.into_iter().enumerate().all(|(i, ticket)| *ticket.wait().unwrap() == known.answer(i));
    let threads = thread::scope(|scope| {
        let run = |i| *gatherer.run(known.operation(i)).unwrap() == known.answer(i);
        let threads: Vec<_> = (0..4).map(|i| scope.spawn(move || (i..i + 10).all(run))).collect();
        threads.into_iter().all(|thread| thread.join().unwrap())
    });
    let bulk = gatherer.run_batch((0..50).map(|i| known.operation(i)).collect());
    let bulk = bulk.into_iter().enumerate().all(|(i, answer)| *answer.unwrap() == known.answer(i));
    runs && tickets && threads && bulk
}

#[test]
fn child_after_fork_signs_while_parent_is_signing() {
    let known = Known::new(1024);
    let gatherer = gatherer(&Arc::new(TestDevice::sound(8)), 2);
    let (stop, answered) = (AtomicBool::new(false), AtomicUsize::new(0));
    thread::scope(|scope| {
        for thread in 0..6 {
            let (gatherer, known, stop, answered) = (&gatherer, &known, &stop, &answered);
            scope.spawn(move || {
                for i in thread.. {
                    let answer = if thread % 2 == 0 {
                        gatherer.run(known.operation(i))
                    } else {
                        gatherer.submit(known.operation(i)).and_then(Ticket::wait)
                    };
                    assert_eq!(*answer.unwrap(), known.answer(i));
                    answered.fetch_add(1, Ordering::Relaxed);
                    if stop.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
        }
        let _stop = Stop(&stop);
        for round in 0..25 {
            let before = answered.load(Ordering::Relaxed);
            // At a different moment of the parent's work each time.
            gather_support::eventually("the parent signs", || answered.load(Ordering::Relaxed) > before + round % 5);
            let mut ticket = gatherer.submit(known.operation(round)).unwrap();
            let unpolled = gatherer.submit(known.operation(round)).unwrap();
            let child = fork(|| {
                let first = ticket.try_take() == Some(Err(Error::Forked));
                let second = matches!(ticket.event_fd(), Err(Error::Forked));
                let third = ticket.wait() == Err(Error::Forked);
                drop(unpolled);
                first && second && third && all_ways(&gatherer, &known)
            });
            assert_eq!(status(child), 0, "the child of round {round} failed or hung");
            // The parent goes on undisturbed, its own use included.
            assert!(all_ways(&gatherer, &known));
        }
    });
    // Of the two tickets that were dropped in each round, those that somebody had begun have run.
    let answered = (answered.into_inner() + 25 * (10 + 10 + 40 + 50)) as u64;
    gatherer.shutdown();
    let figures = gatherer.statistics();
    let run = figures.private_operations;
    assert!((answered..=answered + 25 * 2).contains(&run), "{run} for {answered} answers");
    assert_eq!(figures.queue, 0);
}

#[test]
fn child_of_a_process_whose_every_slot_is_held_signs_at_once() {
    let (known, gate) = (Known::new(512), Gate::new());
    // The gate belongs to the parent: in the child the device lets everything pass.
    let parent = std::process::id();
    let held = Arc::clone(&gate);
    let device = TestDevice::sound(4).before(move |_, _| {
        if std::process::id() == parent {
            held.hold();
        }
        Ok(())
    });
    let gatherer = gatherer(&Arc::new(device), 1);
    let running = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let waiting: Vec<_> = (1..30).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    for _ in 0..5 {
        assert_eq!(status(fork(|| all_ways(&gatherer, &known))), 0);
    }
    gate.open_for_good();
    assert_eq!(*running.wait().unwrap(), known.answer(0));
    for (i, ticket) in (1..).zip(waiting) {
        assert_eq!(*ticket.wait().unwrap(), known.answer(i));
    }
}

#[test]
fn child_has_figures_of_its_own() {
    let known = Known::new(512);
    let gatherer = gatherer(&Arc::new(TestDevice::sound(4)), 1);
    for i in 0..5 {
        gatherer.run(known.operation(i)).unwrap();
    }
    let (ready, signal) = rustix::pipe::pipe().unwrap();
    let (hold, release) = rustix::pipe::pipe().unwrap();
    let child = fork(|| {
        let before = gatherer.statistics().operations();
        for i in 0..3 {
            gatherer.run(known.operation(i)).unwrap();
        }
        rustix::io::write(&signal, b"x").unwrap();
        rustix::io::read(&hold, &mut [0; 1]).unwrap();
        before == 0
    });
    rustix::io::read(&ready, &mut [0; 1]).unwrap();
    let statistics = stats::read(child as u32).unwrap();
    rustix::io::write(&release, b"x").unwrap();
    assert_eq!(status(child), 0);
    assert_eq!((statistics.pid, statistics.private_operations), (child as u32, 3));
    assert_eq!(gatherer.statistics().private_operations, 5);
}

#[test]
fn the_global_gatherer_is_one_and_works_after_fork() {
    let known = Known::new(1024);
    let gatherer = Gatherer::global().unwrap();
    assert!(std::ptr::eq(gatherer, Gatherer::global().unwrap()));
    assert!(all_ways(gatherer, &known));
    assert_eq!(status(fork(|| all_ways(Gatherer::global().unwrap(), &known))), 0);
    assert!(all_ways(gatherer, &known));
}

/// A fork that goes on in both processes, where it is called.
struct ForkHere(AtomicI32);

impl ForkHere {
    fn new() -> Arc<ForkHere> {
        Arc::new(ForkHere(AtomicI32::new(-1)))
    }

    fn fork(&self) {
        // SAFETY: the child uses only what this library promises to work after fork, and leaves by _exit. It is killed by the
        // alarm if it hangs.
        unsafe {
            self.0.store(libc::fork(), Ordering::Relaxed);
            libc::alarm(100);
        }
    }

    /// In the child whether `child` is true; in the parent whether it was there and `parent` is true.
    fn both(&self, child: impl FnOnce() -> bool, parent: impl FnOnce() -> bool) -> bool {
        match self.0.load(Ordering::Relaxed) {
            0 => child(),
            forked => status(forked) == 0 && parent(),
        }
    }
}

/// As the child of a signal's handler, which returns from it into the batch.
#[test]
fn child_made_while_its_thread_computes_is_told_and_signs() {
    let known = Known::new(512);
    let made = fork(|| {
        let here = ForkHere::new();
        let device = Arc::clone(&here);
        let device = TestDevice::sound(4).before(move |call, _| {
            if call == 0 {
                device.fork();
            }
            Ok(())
        });
        let gatherer = gatherer(&Arc::new(device), 1);
        let answer = gatherer.run(known.operation(0));
        let works = || all_ways(&gatherer, &known);
        here.both(
            || answer == Err(Error::Forked) && works(),
            || **answer.as_ref().unwrap() == known.answer(0) && works(),
        )
    });
    assert_eq!(status(made), 0);
}

#[test]
fn child_keeps_none_of_its_parents_promises() {
    let (ticket, promise) = Ticket::elsewhere();
    let (dropped_ticket, dropped) = Ticket::elsewhere();
    let [mut promise, mut dropped] = [Some(promise), Some(dropped)];
    let readable = |ticket: &Ticket| {
        let descriptor = ticket.event_fd().unwrap();
        poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], Some(&Timespec::default())).unwrap() == 1
    };
    assert!(!readable(&ticket) && !readable(&dropped_ticket));
    let child = fork(|| {
        promise.take().unwrap().keep(Err(Error::ShutDown));
        drop(dropped.take());
        true
    });
    assert_eq!(status(child), 0);
    assert!(!readable(&ticket) && !readable(&dropped_ticket), "rung by the child");
    promise.take().unwrap().keep(Err(Error::ShutDown));
    drop(dropped.take());
    assert!(readable(&ticket) && readable(&dropped_ticket));
}

/// Keeps the thread that calls it.
struct Holds(Arc<Gate>);

impl Wake for Holds {
    fn wake(self: Arc<Self>) {
        self.0.hold();
    }
}

/// Forks, in both processes the thread goes on.
struct Forks(Arc<ForkHere>);

impl Wake for Forks {
    fn wake(self: Arc<Self>) {
        self.0.fork();
    }
}

#[test]
fn whole_batch_ends_in_the_child_of_a_waker_of_its_thread() {
    let known = Known::new(512);
    let made = fork(|| {
        let (here, passes, held) = (ForkHere::new(), Gate::new(), Gate::new());
        let gatherer = gatherer(&Arc::new(TestDevice::held(2, &passes)), 1);
        let submit = |waker: Waker| {
            let mut ticket = gatherer.submit(known.operation(0)).unwrap();
            assert!(Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
            ticket
        };
        // As many executors as there may be are kept by wakers, so that only the caller of the whole batch is left.
        let kept: Vec<Ticket> = (1..=2)
            .map(|count| {
                let ticket = submit(Waker::from(Arc::new(Holds(Arc::clone(&held)))));
                passes.open(1);
                held.wait_for_arrivals(count);
                ticket
            })
            .collect();
        let forking = submit(Waker::from(Arc::new(Forks(Arc::clone(&here)))));
        passes.open_for_good();
        let answers = gatherer.run_batch((0..10).map(|i| known.operation(i)).collect());
        here.both(
            || answers.iter().all(|answer| *answer == Err(Error::Forked)) && all_ways(&gatherer, &known),
            || {
                held.open_for_good();
                let mut answers = answers.iter().enumerate();
                drop((kept, forking));
                answers.all(|(i, answer)| **answer.as_ref().unwrap() == known.answer(i))
            },
        )
    });
    assert_eq!(status(made), 0);
}
