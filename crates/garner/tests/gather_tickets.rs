// SPDX-License-Identifier: Apache-2.0
//! Tickets: as futures, by poll(2), and dropped.

mod gather_support;

use garner::Error;
use garner::gather::Gatherer;
use gather_support::{Gate, Known, PATIENCE, TestDevice, config, eventually, gatherer, spawn_run};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::future::Future;
use std::pin::pin;
use std::sync::{Arc, mpsc};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

fn block_on<F: Future>(future: F) -> F::Output {
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}

#[test]
fn ticket_as_a_future_is_woken() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let tickets: Vec<_> = (0..20).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        scope.spawn(|| {
            for (i, ticket) in tickets.into_iter().enumerate() {
                if i == 1 {
                    sender.send(()).unwrap();
                }
                assert_eq!(*block_on(ticket).unwrap(), known.answer(i));
            }
        });
        // The first is pending before any batch passes; the others may be ready when they are first polled.
        gate.wait_for_arrivals(1);
        gate.open(1);
        receiver.recv().unwrap();
        gate.open_for_good();
    });
}

#[test]
fn future_polled_by_another_task_wakes_the_last_one() {
    struct Count(std::sync::atomic::AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let mut ticket = gatherer.submit(known.operation(0)).unwrap();
    let counts = [(); 2].map(|()| Arc::new(Count(0.into())));
    for count in &counts {
        let waker = Waker::from(Arc::clone(count));
        assert!(std::pin::Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    }
    gate.open_for_good();
    let woken = |i: usize| counts[i].0.load(std::sync::atomic::Ordering::SeqCst);
    eventually("the second task is woken", || woken(1) == 1);
    assert_eq!(woken(0), 0);
    assert_eq!(*ticket.try_take().unwrap().unwrap(), known.answer(0));
    assert!(ticket.try_take().is_none());
    assert!(matches!(ticket.wait(), Err(Error::Argument { name: "ticket", .. })));
}

#[test]
fn a_panicking_waker_reaches_nobody_else() {
    struct Panics;
    impl Wake for Panics {
        fn wake(self: Arc<Self>) {
            panic!("a caller's waker");
        }
    }
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(8, &gate));
    let gatherer = gatherer(&device, 1);
    let first = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let mut bad = gatherer.submit(known.operation(1)).unwrap();
    let waker = Waker::from(Arc::new(Panics));
    assert!(std::pin::Pin::new(&mut bad).poll(&mut Context::from_waker(&waker)).is_pending());
    let good = gatherer.submit(known.operation(2)).unwrap();
    gate.open_for_good();
    assert_eq!(*first.wait().unwrap(), known.answer(0));
    assert_eq!(*good.wait().unwrap(), known.answer(2));
    assert_eq!(*bad.wait().unwrap(), known.answer(1));
    assert_eq!(device.sizes(), [2, 4]);
}

#[test]
fn event_fd_is_readable_exactly_when_the_answer_is_there() {
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let mut tickets: Vec<_> = (0..6).map(|i| gatherer.submit(known.operation(i)).unwrap()).collect();
    gate.wait_for_arrivals(1);
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    let long = Timespec { tv_sec: PATIENCE.as_secs() as i64, tv_nsec: 0 };
    for ticket in &tickets {
        let event = ticket.event_fd().unwrap();
        assert_eq!(poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&now)).unwrap(), 0);
    }
    gate.open_for_good();
    for (i, ticket) in tickets.iter_mut().enumerate() {
        let event = ticket.event_fd().unwrap();
        assert_eq!(poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&long)).unwrap(), 1);
        assert_eq!(*ticket.try_take().unwrap().unwrap(), known.answer(i));
        // It stays readable, and is the same descriptor.
        let again = ticket.event_fd().unwrap();
        assert_eq!(poll(&mut [PollFd::new(&again, PollFlags::IN)], Some(&now)).unwrap(), 1);
    }
    // Asked for only after the answer was there.
    let late = gatherer.submit(known.operation(7)).unwrap();
    eventually("the last batch ends", || gatherer.statistics().private_operations == 7);
    let event = late.event_fd().unwrap();
    assert_eq!(poll(&mut [PollFd::new(&event, PollFlags::IN)], Some(&long)).unwrap(), 1);
}

/// The caller of a whole batch runs batches with others' tickets, and their wakers. Here one waits for an operation that
/// nobody runs if that thread is taken to be on the way to it.
#[test]
fn a_waker_may_wait_for_another_ticket() {
    struct Waits {
        gatherer: Arc<Gatherer>,
        known: Arc<Known>,
        done: mpsc::Sender<bool>,
    }
    impl Wake for Waits {
        fn wake(self: Arc<Self>) {
            let answer = self.gatherer.submit(self.known.operation(5)).unwrap().wait().unwrap();
            self.done.send(*answer == *self.known.answer(5)).unwrap();
        }
    }
    let (known, other, gate) = (Arc::new(Known::new(512)), Known::new(1024), Gate::new());
    let gatherer = Arc::new(gatherer(&Arc::new(TestDevice::held(8, &gate)), 1));
    // Not scoped: if it hangs, the test is to end nevertheless.
    let bulk = thread::spawn({
        let (gatherer, known) = (Arc::clone(&gatherer), Arc::clone(&known));
        move || gatherer.run_batch((0..6).map(|i| known.operation(i)).collect())
    });
    gate.wait_for_arrivals(1);
    // In the second batch of the six; and one of another class, which will be the oldest after it.
    let mut ticket = gatherer.submit(known.operation(0)).unwrap();
    let last = gatherer.submit(other.operation(0)).unwrap();
    let (done, receiver) = mpsc::channel();
    let waits = Waits { gatherer: Arc::clone(&gatherer), known: Arc::clone(&known), done };
    let waker = Waker::from(Arc::new(waits));
    assert!(std::pin::Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    gate.open_for_good();
    assert_eq!(receiver.recv_timeout(PATIENCE), Ok(true));
    for (i, answer) in bulk.join().unwrap().into_iter().enumerate() {
        assert_eq!(*answer.unwrap(), known.answer(i));
    }
    assert_eq!(*ticket.wait().unwrap(), known.answer(0));
    assert_eq!(*last.wait().unwrap(), other.answer(0));
}

#[test]
fn a_waker_may_drop_the_gatherer() {
    struct Drops(std::sync::Mutex<Option<Gatherer>>);
    impl Wake for Drops {
        fn wake(self: Arc<Self>) {
            drop(self.0.lock().unwrap().take());
        }
    }
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(2, &gate));
    let gatherer = gatherer(&device, 1);
    let mut ticket = gatherer.submit(known.operation(0)).unwrap();
    let waker = Waker::from(Arc::new(Drops(Some(gatherer).into())));
    assert!(std::pin::Pin::new(&mut ticket).poll(&mut Context::from_waker(&waker)).is_pending());
    gate.open_for_good();
    eventually("the executor leaves", || Arc::strong_count(&device) == 1);
    assert_eq!(*ticket.wait().unwrap(), known.answer(0));
}

#[test]
fn operation_of_a_dropped_ticket_is_not_computed_and_leaves_its_room() {
    let (known, gate) = (Known::new(512), Gate::new());
    let device = Arc::new(TestDevice::held(8, &gate));
    let mut config = config(&[&device], 1);
    config.queue_limit = 6;
    let gatherer = Gatherer::new(config);
    let begun = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let mut tickets: Vec<_> = (1..7).map(|i| Some(gatherer.submit(known.operation(i)).unwrap())).collect();
    assert_eq!(gatherer.submit(known.operation(7)).unwrap_err(), Error::Full(6));
    let life = Arc::downgrade(&known.key);
    let owners = life.strong_count();
    thread::scope(|scope| {
        let caller = spawn_run(scope, &gatherer, &known, 8);
        // From the middle, the first and the last.
        for i in [2, 0, 5] {
            tickets[i] = None;
        }
        eventually("the caller has the room of one", || gatherer.statistics().queue == 4);
        assert!(life.strong_count() <= owners - 2, "what was dropped is gone at once");
        let last = gatherer.submit(known.operation(9)).unwrap();
        gate.open_for_good();
        assert_eq!(*caller.join().unwrap().unwrap(), known.answer(8));
        assert_eq!(*last.wait().unwrap(), known.answer(9));
    });
    for (i, ticket) in (1..).zip(tickets) {
        if let Some(ticket) = ticket {
            assert_eq!(*ticket.wait().unwrap(), known.answer(i));
        }
    }
    assert_eq!(*begun.wait().unwrap(), known.answer(0));
    gatherer.shutdown();
    let figures = gatherer.statistics();
    assert_eq!((figures.private_operations, figures.queue, figures.queue_high_water), (6, 0, 6));
    assert_eq!(device.sizes().iter().sum::<usize>(), 2 * 6, "two exponentiations each");
}

#[test]
fn a_dropped_future_wakes_nobody_and_one_that_has_begun_disturbs_nobody() {
    struct Counts(std::sync::atomic::AtomicUsize);
    impl Wake for Counts {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
    let (known, gate) = (Known::new(512), Gate::new());
    let gatherer = gatherer(&Arc::new(TestDevice::held(2, &gate)), 1);
    let begun = gatherer.submit(known.operation(0)).unwrap();
    gate.wait_for_arrivals(1);
    let mut waiting = gatherer.submit(known.operation(1)).unwrap();
    let woken = Arc::new(Counts(0.into()));
    let waker = Waker::from(Arc::clone(&woken));
    assert!(std::pin::Pin::new(&mut waiting).poll(&mut Context::from_waker(&waker)).is_pending());
    drop((waiting, waker));
    assert_eq!(woken.0.load(std::sync::atomic::Ordering::SeqCst), 0);
    assert_eq!(Arc::strong_count(&woken), 1, "its waker is gone");
    drop(begun);
    gate.open_for_good();
    assert_eq!(*gatherer.run(known.operation(2)).unwrap(), known.answer(2));
    gatherer.shutdown();
    assert_eq!(gatherer.statistics().private_operations, 2);
}

#[test]
fn tickets_dropped_while_leaders_take_them_are_run_once_or_never() {
    const EACH: usize = 600;
    let known = Known::new(512);
    let device = Arc::new(TestDevice::sound(4));
    let mut config = config(&[&device], 2);
    config.queue_limit = 40;
    let gatherer = Gatherer::new(config);
    let (sender, receiver) = mpsc::channel();
    thread::scope(|scope| {
        // Whoever is dropped is dropped by another thread, at any moment.
        scope.spawn(move || receiver.into_iter().for_each(drop));
        let threads: Vec<_> = (0..3)
            .map(|thread| {
                let (sender, gatherer, known) = (sender.clone(), &gatherer, &known);
                scope.spawn(move || {
                    let mut answered = 0;
                    for i in 0..EACH {
                        if i % 7 == thread {
                            assert_eq!(*gatherer.run(known.operation(i)).unwrap(), known.answer(i));
                            answered += 1;
                        }
                        match gatherer.submit(known.operation(i)) {
                            Ok(ticket) if i % 3 == 0 => {
                                assert_eq!(*ticket.wait().unwrap(), known.answer(i));
                                answered += 1;
                            }
                            Ok(ticket) if i % 3 == 1 => sender.send(ticket).unwrap(),
                            Ok(ticket) => drop(ticket),
                            Err(error) => assert_eq!(error, Error::Full(40)),
                        }
                    }
                    answered
                })
            })
            .collect();
        drop(sender);
        let answered: usize = threads.into_iter().map(|thread| thread.join().unwrap()).sum();
        assert!(answered > 3 * EACH / 7);
    });
    assert_eq!(*gatherer.run(known.operation(3)).unwrap(), known.answer(3));
    gatherer.shutdown();
    let figures = gatherer.statistics();
    assert_eq!(figures.queue, 0);
    assert_eq!(device.sizes().iter().sum::<usize>() as u64, 2 * figures.private_operations);
    assert_eq!(figures.retries + figures.faults + figures.device_failures, 0);
}
