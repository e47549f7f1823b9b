// SPDX-License-Identifier: Apache-2.0
//! The places for jobs under way, and since when each waits.

use crate::format::Completion;
use std::time::Instant;

/// A place for a job.
pub(super) enum Entry {
    Free,
    /// Submitted: as which job of all, and since when no core's being busy explains that it has not ended.
    Pending {
        number: u64,
        since: Instant,
    },
    Done(Completion),
    /// The board was reset under it.
    Lost,
}

/// Jobs have just ended, the first of them the one of this number. A board gives jobs to cores in the order of the
/// ring, so one behind it may have waited for its core, and its time begins now. That of a job before it goes on: it
/// had a core already when that one got its own.
///
/// So every job has the whole of patience for its own run, however long the queue, and one that hangs gets no more of
/// it by what other cores do.
pub(super) fn renew(entries: &mut [Entry], first_ended: u64, now: Instant) {
    for entry in entries {
        if let Entry::Pending { number, since } = entry
            && *number > first_ended
        {
            *since = now;
        }
    }
}

/// Since when the job waits that has waited longest; none if there is none under way.
pub(super) fn longest_wait(entries: &[Entry]) -> Option<Instant> {
    let since = |entry: &Entry| if let Entry::Pending { since, .. } = entry { Some(*since) } else { None };
    entries.iter().filter_map(since).min()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ring::DEPTH;
    use std::time::Duration;

    fn pending(number: u64, since: Instant) -> Entry {
        Entry::Pending { number, since }
    }

    #[test]
    fn a_queue_gives_each_job_its_own_time_and_one_that_hangs_no_more_than_that() {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut entries: Vec<Entry> = (0..DEPTH as u64).map(|number| pending(number, start)).collect();
        entries.reverse(); // places are not in the order of the ring
        // One core, a job in 10 s: nobody has waited longer than that, at any time.
        for ended in 0..20 {
            assert_eq!(longest_wait(&entries), Some(at(10 * ended)));
            entries[DEPTH - 1 - ended as usize] = Entry::Free;
            renew(&mut entries, ended, at(10 * (ended + 1)));
        }
        // Job 20 hangs in its core; the others end in another, and new ones come.
        for ended in 21..DEPTH as u64 {
            entries[DEPTH - 1 - ended as usize] = pending(ended + DEPTH as u64, at(10 * ended));
            renew(&mut entries, ended, at(10 * ended));
            assert_eq!(longest_wait(&entries), Some(at(200)));
        }
        entries.fill_with(|| Entry::Free);
        assert_eq!(longest_wait(&entries), None);
    }
}
