// SPDX-License-Identifier: Apache-2.0
//! When a batch is whole. Knows no sockets and no clock: what it is told decides, so that all of it can be tried.
//!
//! While all workers compute, requests gather in the clients' sockets; a worker that comes back takes what is there. Where
//! fewer requests are there than clients were lately active, they are about to ask again: the batch waits for them, for
//! `linger` at most from its first request on. Without that, clients split into groups that take turns, each batch half
//! full. A client alone waits for nobody.

use std::time::Duration;

/// What a worker that collects does next.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Next {
    /// Sleep until a client asks.
    Sleep,
    /// Take what is there, without sleeping.
    Take,
    /// Sleep until a client asks, so long at most.
    Linger(Duration),
    /// Run the batch.
    Run,
}

/// The rules of one daemon.
#[derive(Debug, Clone, Copy)]
pub struct Collector {
    /// Most requests in a batch.
    pub capacity: usize,
    /// Longest wait for clients that are expected.
    pub linger: Duration,
}

impl Collector {
    /// What comes next, with `taken` requests in the batch, the first of them `age` ago. `more` says that the
    /// last look may have left some; `expected` counts the clients that are likely to ask.
    pub fn next(&self, taken: usize, more: bool, expected: usize, age: Duration) -> Next {
        match taken {
            0 => Next::Sleep,
            _ if taken >= self.capacity => Next::Run,
            _ if more => Next::Take,
            _ if expected > 0 && age < self.linger => Next::Linger(self.linger - age),
            _ => Next::Run,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULES: Collector = Collector { capacity: 8, linger: Duration::from_micros(40) };
    const fn us(count: u64) -> Duration {
        Duration::from_micros(count)
    }

    #[test]
    fn a_client_alone_waits_for_nobody() {
        assert_eq!(RULES.next(0, false, 0, us(0)), Next::Sleep);
        assert_eq!(RULES.next(1, true, 0, us(0)), Next::Take);
        assert_eq!(RULES.next(1, false, 0, us(1)), Next::Run);
    }

    #[test]
    fn those_expected_are_waited_for_and_not_longer_than_the_linger() {
        assert_eq!(RULES.next(3, false, 5, us(10)), Next::Linger(us(30)));
        assert_eq!(RULES.next(3, false, 5, us(40)), Next::Run);
        assert_eq!(RULES.next(8, true, 5, us(0)), Next::Run);
    }

    /// Every batch ends, whatever comes and however often: no request waits for ever.
    #[test]
    fn every_batch_is_run() {
        for seed in 0..10_000_u64 {
            let mut state = seed;
            let mut dice = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
                (state >> 33) as usize
            };
            let (mut taken, mut came, mut age) = (1, true, us(0));
            let mut steps = 0;
            loop {
                match RULES.next(taken, came, dice() % 4, age) {
                    Next::Sleep => panic!("seed {seed}: sleeps with a request in hand"),
                    Next::Run => break,
                    Next::Take => age += us(1),
                    Next::Linger(longest) => {
                        assert!(longest <= RULES.linger, "seed {seed}");
                        age += us(1 + dice() as u64 % longest.as_micros().max(1) as u64);
                    }
                }
                came = dice() % 3 != 0;
                taken += usize::from(came);
                steps += 1;
                assert!(steps < 100, "seed {seed}: no end");
            }
            assert!((1..=RULES.capacity).contains(&taken), "seed {seed}");
        }
    }
}
