// SPDX-License-Identifier: Apache-2.0
//! Connections on which nothing is under way. Knows no socket and no clock: what it is told decides.
//!
//! Calls take the one that was used last. So those that a burst of calls has made and nobody needs any more are those that were
//! not used for longest, and end.

use std::time::{Duration, Instant};

/// So many stay, however long nobody uses them.
const STAY: usize = 2;

/// Others end when nobody has used them for so long.
const UNUSED: Duration = Duration::from_secs(5);

/// The connections, and when each was used last: the latest at the end.
#[derive(Debug)]
pub struct Idle<T>(Vec<(T, Instant)>);

impl<T> Default for Idle<T> {
    fn default() -> Idle<T> {
        Idle(Vec::new())
    }
}

impl<T> Idle<T> {
    /// Takes the one that was used last.
    pub fn take(&mut self, now: Instant) -> Option<T> {
        self.end_unused(now);
        self.0.pop().map(|(connection, _)| connection)
    }

    /// Adds one that was used until now.
    pub fn put(&mut self, connection: T, now: Instant) {
        self.0.push((connection, now));
        self.end_unused(now);
    }

    /// Ends those that nobody has used for a while.
    pub fn end_unused(&mut self, now: Instant) {
        let may_end = self.0.len().saturating_sub(STAY);
        let unused = self.0[..may_end].iter().take_while(|(_, used)| now.duration_since(*used) >= UNUSED).count();
        self.0.drain(..unused);
    }

    /// Ends all.
    pub fn clear(&mut self) {
        self.0.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of_a_burst(count: u32, now: Instant) -> Idle<u32> {
        let mut idle = Idle::default();
        (0..count).for_each(|number| idle.put(number, now));
        idle
    }

    #[test]
    fn connections_of_a_burst_end_when_they_are_unused_and_the_first_call_after_it_has_one() {
        let now = Instant::now();
        let mut idle = of_a_burst(32, now);
        idle.end_unused(now + UNUSED - Duration::from_millis(1));
        assert_eq!(idle.0.len(), 32);
        idle.end_unused(now + UNUSED);
        assert_eq!(idle.0.iter().map(|(number, _)| *number).collect::<Vec<_>>(), [30, 31]);
        assert_eq!(idle.take(now + 100 * UNUSED), Some(31));
    }

    #[test]
    fn those_that_one_thread_does_not_need_end_while_it_calls() {
        let start = Instant::now();
        let mut idle = of_a_burst(32, start);
        for second in 0..60 {
            let now = start + Duration::from_secs(second);
            let taken = idle.take(now).unwrap();
            assert_eq!(taken, 31, "the one that was used last");
            idle.put(taken, now);
        }
        assert_eq!(idle.0.len(), STAY);
    }

    #[test]
    fn those_of_threads_that_go_on_calling_stay() {
        let start = Instant::now();
        let mut idle = of_a_burst(32, start);
        for second in 0..60 {
            let now = start + Duration::from_secs(second);
            let taken: Vec<_> = std::iter::from_fn(|| idle.take(now)).collect();
            assert_eq!(taken.len(), 32);
            taken.into_iter().for_each(|connection| idle.put(connection, now));
        }
    }
}
