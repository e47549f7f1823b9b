// SPDX-License-Identifier: Apache-2.0
//! What belongs to the process that made it: the memory that it shares with a board is not there in a child made by `fork`,
//! and to close the board would reset the parent's. A child leaves it as it is.

use garner::fork::generation;
use std::mem::forget;
use std::ops::{Deref, DerefMut};

/// Dropped by its owner alone.
pub struct Owned<T> {
    /// Some until dropped.
    value: Option<T>,
    owner: u64,
}

impl<T> Owned<T> {
    /// This process's.
    pub fn new(value: T) -> Owned<T> {
        Owned { value: Some(value), owner: generation() }
    }

    /// Whether this process made it.
    pub fn is_ours(&self) -> bool {
        self.owner == generation()
    }
}

impl<T> Deref for Owned<T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.value.as_ref().expect("some until dropped")
    }
}

impl<T> DerefMut for Owned<T> {
    fn deref_mut(&mut self) -> &mut T {
        self.value.as_mut().expect("some until dropped")
    }
}

impl<T> Drop for Owned<T> {
    fn drop(&mut self) {
        if !self.is_ours() {
            forget(self.value.take());
        }
    }
}
