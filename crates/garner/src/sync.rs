// SPDX-License-Identifier: Apache-2.0
//! A lock that a caller's panic cannot spoil for the others.

use std::sync::{Condvar, Mutex, MutexGuard};

/// Locks. What is behind our locks is whole whenever a panic is possible, so a poisoned one is as good as any.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

/// Waits; wakes up now and then for no reason.
pub fn wait<'a, T>(condition: &Condvar, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
    condition.wait(guard).unwrap_or_else(|poisoned| poisoned.into_inner())
}
