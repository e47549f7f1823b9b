// SPDX-License-Identifier: Apache-2.0
//! What key generation did, counted.

/// Counters of a [`super::Generator`] since it was made.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Statistics {
    /// Keys handed out.
    pub keys: u64,
    /// Candidates drawn: odd numbers within bounds.
    pub candidates: u64,
    /// Candidates that no small prime divides.
    pub survivors: u64,
    /// Of these, candidates that a device put to a round of its own; it threw out most of them.
    pub filtered: u64,
    /// Candidates put to a Miller-Rabin test on the host, whatever the number of its rounds: what Ramesh 2020 counts, 115 per
    /// RSA-2048 key with mbedTLS.
    pub primality_tests: u64,
    /// Miller-Rabin rounds.
    pub rounds: u64,
    /// Exponentiations: the rounds, and [`super`]'s three more for each key.
    pub exponentiations: u64,
    /// Lanes of the arithmetic these exponentiations occupied, the empty ones included.
    pub lanes: u64,
    /// Candidates that passed their first round and failed a later one. Expect none, ever.
    pub late_failures: u64,
    /// Primes not used: p - 1 and e have a common factor, or the other prime of the pair was too close.
    pub unsuitable: u64,
}

impl Statistics {
    /// Primality tests per key.
    pub fn primality_tests_per_key(&self) -> f64 {
        self.primality_tests as f64 / self.keys.max(1) as f64
    }

    /// The share of the arithmetic's lanes that had work.
    pub fn fill(&self) -> f64 {
        self.exponentiations as f64 / self.lanes.max(1) as f64
    }
}

impl std::ops::AddAssign for Statistics {
    /// Sums up generators that ran side by side.
    fn add_assign(&mut self, other: Statistics) {
        self.keys += other.keys;
        self.candidates += other.candidates;
        self.survivors += other.survivors;
        self.filtered += other.filtered;
        self.primality_tests += other.primality_tests;
        self.rounds += other.rounds;
        self.exponentiations += other.exponentiations;
        self.lanes += other.lanes;
        self.late_failures += other.late_failures;
        self.unsuitable += other.unsuitable;
    }
}
