// SPDX-License-Identifier: Apache-2.0
//! Marks secrets as they pass: arithmetic that makes every operand undefined before it goes on to the real one.
//!
//! So the private operation can be run whole, from outside, with every secret of its marked: the primes, the CRT
//! exponents and q^-1 reach the arithmetic, and so does the input. Random numbers are marked where they are drawn, see
//! [`super::random`].

use crate::valgrind::secret_of_others;
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use std::sync::atomic::{AtomicUsize, Ordering};

/// `arithmetic`, with secrets marked.
pub struct Marking<A> {
    arithmetic: A,
    marked: AtomicUsize,
}

impl<A> Marking<A> {
    pub fn new(arithmetic: A) -> Marking<A> {
        Marking { arithmetic, marked: AtomicUsize::new(0) }
    }

    /// How many operands were marked.
    pub fn marked(&self) -> usize {
        self.marked.load(Ordering::Relaxed)
    }

    fn mark(&self, operand: &[u64]) {
        self.marked.fetch_add(1, Ordering::Relaxed);
        secret_of_others(operand);
    }
}

/// Marks a modulus with its constants.
pub fn mark_modulus(modulus: &Modulus) {
    secret_of_others(modulus.memory());
}

impl<A: Arithmetic> Arithmetic for Marking<A> {
    fn name(&self) -> &'static str {
        self.arithmetic.name()
    }

    fn lanes(&self) -> usize {
        self.arithmetic.lanes()
    }

    fn multiply(&self, jobs: &mut [Multiply<'_>]) {
        for job in jobs.iter() {
            self.mark(job.a);
            self.mark(job.b);
        }
        self.arithmetic.multiply(jobs);
    }

    fn power_secret(&self, jobs: &mut [Power<'_>]) {
        for job in jobs.iter() {
            self.mark(job.base);
            self.mark(job.exponent);
            mark_modulus(job.modulus);
        }
        self.arithmetic.power_secret(jobs);
    }

    fn power_public(&self, jobs: &mut [Power<'_>]) {
        for job in jobs.iter() {
            self.mark(job.base);
        }
        self.arithmetic.power_public(jobs);
    }
}
