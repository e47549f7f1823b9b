// SPDX-License-Identifier: Apache-2.0
//! Promises: so much of the pool is there for whoever has one.
//!
//! What is in use counts beside all promises, although it is in use by those who have them: so the pool is larger than
//! needed, and a block that nobody gives back for long, a key, takes nothing from anybody's promise.

use crate::pool;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What a thread may need for one call: reading a key and leading a batch of others' operations, or generating one key. With keys
/// of 8,192 bits 524 KiB were measured, where it is the first and has the kernels asked for known answers.
pub const THREAD: usize = 640 << 10;

/// What an operation needs that outlives the call it came in, or is one of many, its part of a batch included. With keys of
/// 8,192 bits 2,400 bytes were measured, of 2,048 bits 730.
pub const OPERATION: usize = 8 << 10;

/// What one of many keys needs that are generated in one call. With 2,048 bits 28 KiB were measured.
pub const KEY: usize = 128 << 10;

/// For whatever has no promise: what is freed when threads end, threads of ours that begin or wait.
const SPARE: usize = 256 << 10;

static PROMISED: AtomicUsize = AtomicUsize::new(0);

/// Whether there is as much as was promised, now that some of it is in use.
pub fn kept() -> bool {
    is_there(PROMISED.load(Ordering::Relaxed))
}

/// Whether so much can be promised in all.
fn is_there(promised: usize) -> bool {
    let needed = [pool::in_use(), SPARE].into_iter().try_fold(promised, usize::checked_add);
    needed.is_some_and(|needed| needed <= pool::size() || pool::grow_to(needed))
}

/// Memory that is there for its owner until it is dropped.
#[derive(Debug)]
pub struct Promise(usize);

impl Promise {
    /// So many bytes; `None` where they cannot be had.
    pub fn of(bytes: usize) -> Option<Promise> {
        let mut promised = PROMISED.load(Ordering::Relaxed);
        loop {
            // What cannot be had is not counted, or others would be refused meanwhile.
            let all = promised.checked_add(bytes).filter(|all| is_there(*all))?;
            match PROMISED.compare_exchange_weak(promised, all, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Some(Promise(bytes)),
                Err(now) => promised = now,
            }
        }
    }

    /// The one of so many bytes whose owner forgot it.
    pub(crate) fn taken_over(bytes: usize) -> Promise {
        Promise(bytes)
    }
}

impl Drop for Promise {
    fn drop(&mut self) {
        PROMISED.fetch_sub(self.0, Ordering::Relaxed);
    }
}
