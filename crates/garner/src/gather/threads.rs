// SPDX-License-Identifier: Apache-2.0
//! What the threads of a gatherer lock, wait on, sleep by and are started with: the system's. Built with `--cfg shuttle` it is
//! [shuttle](https://docs.rs/shuttle)'s instead, which decides which thread goes on at each of these calls: so `schedules` runs
//! the whole gatherer in many interleavings, each of which can be run again.

#[cfg(shuttle)]
pub use explored::*;
#[cfg(not(shuttle))]
pub use system::*;

#[cfg(not(shuttle))]
mod system {
    pub use crate::sync::{lock, wait};
    pub use crate::thread::{Thread, spawn};
    use rustix::thread::futex::{self, Flags};
    pub use rustix::thread::sched_getcpu as processor;
    use std::num::NonZeroU32;
    use std::sync::atomic::AtomicU32;
    use std::sync::atomic::Ordering;
    pub use std::sync::{Condvar, Mutex, MutexGuard};
    pub use std::thread::yield_now;
    pub use std::thread_local;
    use std::time::Instant;

    /// What a group of threads sleeps on: a number that changes whenever some of them are woken.
    pub struct Group(AtomicU32);

    impl Group {
        pub const fn new() -> Group {
            Group(AtomicU32::new(0))
        }

        /// The number.
        pub fn watch(&self) -> u32 {
            self.0.load(Ordering::Acquire)
        }

        /// Sleeps until woken by one of `bits`, unless the number is not `watched` any more. May end early.
        pub fn sleep(&self, watched: u32, bits: u32) {
            // An error says that there was no need to sleep, or that a signal came.
            let _ = futex::wait_bitset(&self.0, Flags::PRIVATE, watched, None, some(bits));
        }

        /// Wakes those who sleep by one of `bits`.
        pub fn wake(&self, bits: u32) {
            self.0.fetch_add(1, Ordering::Release);
            let woken = futex::wake_bitset(&self.0, Flags::PRIVATE, i32::MAX as u32, some(bits));
            debug_assert!(woken.is_ok(), "{woken:?}");
        }
    }

    fn some(bits: u32) -> NonZeroU32 {
        NonZeroU32::new(bits).expect("bits are set")
    }

    /// Nanoseconds since `start`.
    pub fn nanoseconds_since(start: Instant) -> u64 {
        start.elapsed().as_nanos() as u64
    }
}

#[cfg(shuttle)]
mod explored {
    use shuttle::sync::atomic::AtomicU32;
    pub use shuttle::sync::{Condvar, Mutex, MutexGuard};
    pub use shuttle::thread::yield_now;
    pub use shuttle::thread_local;
    use std::ffi::CStr;
    use std::io;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Instant;

    pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        condition.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner())
    }

    pub struct Thread(shuttle::thread::JoinHandle<()>);

    impl Thread {
        pub fn join(self) {
            let _ = self.0.join();
        }
    }

    pub fn spawn(_name: &'static CStr, body: impl FnOnce() + Send + 'static) -> io::Result<Thread> {
        Ok(Thread(shuttle::thread::spawn(body)))
    }

    /// As futex(2) has it: whether the number is as it was watched is looked at under the lock by which sleepers are woken.
    pub struct Group {
        number: AtomicU32,
        sleepers: Mutex<Sleepers>,
        woken: Condvar,
    }

    struct Sleepers {
        next: u64,
        asleep: Vec<(u64, u32)>,
    }

    impl Group {
        pub const fn new() -> Group {
            let sleepers = Mutex::new(Sleepers { next: 0, asleep: Vec::new() });
            Group { number: AtomicU32::new(0), sleepers, woken: Condvar::new() }
        }

        pub fn watch(&self) -> u32 {
            self.number.load(Ordering::Acquire)
        }

        pub fn sleep(&self, watched: u32, bits: u32) {
            let mut sleepers = lock(&self.sleepers);
            if self.number.load(Ordering::Acquire) != watched {
                return;
            }
            let me = sleepers.next;
            sleepers.next += 1;
            sleepers.asleep.push((me, bits));
            while sleepers.asleep.iter().any(|&(number, _)| number == me) {
                sleepers = wait(&self.woken, sleepers);
            }
        }

        pub fn wake(&self, bits: u32) {
            self.number.fetch_add(1, Ordering::Release);
            lock(&self.sleepers).asleep.retain(|&(_, asleep)| asleep & bits == 0);
            self.woken.notify_all();
        }
    }

    /// Two processors, between which threads are shared out.
    pub fn processor() -> usize {
        usize::from(shuttle::current::me()) % 2
    }

    // In each interleaving anew.
    shuttle::lazy_static! {
        static ref NOW: AtomicU64 = AtomicU64::new(0);
    }

    /// A clock that goes on by a microsecond whenever it is looked at.
    pub fn nanoseconds_since(_start: Instant) -> u64 {
        NOW.fetch_add(1_000, Ordering::Relaxed)
    }
}
