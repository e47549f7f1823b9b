// SPDX-License-Identifier: Apache-2.0
//! The log's lines about keys: who uses them, and what is refused to whom. A user can cause as many as he likes, by connections
//! that he makes anew. So that nobody fills the log and hides other lines in it, the lines of each user in a minute are limited. How
//! many more there were is a line of its own.

use crate::keys::Keys;
use crate::log::say;
use crate::policy::Peer;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long a while is.
const WHILE: Duration = Duration::from_secs(60);

/// Lines of a user in a while: of what is refused, and of what is done.
const REFUSALS: u32 = 20;
const USES: u32 = 1000;

/// A user; those that no policy names are one.
type User = Option<u32>;

/// The lines.
#[derive(Debug)]
pub struct Audit {
    refusals: Mutex<Lines>,
    uses: Mutex<Lines>,
}

impl Default for Audit {
    fn default() -> Audit {
        Audit { refusals: Mutex::new(Lines::new(REFUSALS)), uses: Mutex::new(Lines::new(USES)) }
    }
}

impl Audit {
    /// Says what was refused to this client, if its user has a line left.
    pub fn refused(&self, keys: &Keys, peer: Peer, line: impl Display) -> bool {
        told(&self.refusals, "refusals", keys.named.has(peer).then_some(peer.uid), line)
    }

    /// Says what was done for this client, if its user has a line left.
    pub fn used(&self, keys: &Keys, peer: Peer, line: impl Display) -> bool {
        told(&self.uses, "uses", keys.named.has(peer).then_some(peer.uid), line)
    }
}

fn told(lines: &Mutex<Lines>, what: &str, user: User, line: impl Display) -> bool {
    let (may, left_out) = lines.lock().unwrap_or_else(PoisonError::into_inner).take(user, Instant::now());
    for (user, count) in left_out {
        match user {
            Some(uid) => say(format_args!("{count} more {what} of user {uid} were not said")),
            None => say(format_args!("{count} more {what} of users that no policy names were not said")),
        }
    }
    if may {
        say(line);
    }
    may
}

/// Lines of one kind.
#[derive(Debug)]
struct Lines {
    most: u32,
    /// When this while began.
    begun: Option<Instant>,
    /// Each user's in it, said or not.
    of: BTreeMap<User, u32>,
}

impl Lines {
    fn new(most: u32) -> Lines {
        Lines { most, begun: None, of: BTreeMap::new() }
    }

    /// Whether a line of this user may be said now; and how many of whose were not, in a while that is over.
    fn take(&mut self, user: User, now: Instant) -> (bool, Vec<(User, u32)>) {
        let mut left_out = Vec::new();
        if self.begun.is_none_or(|begun| now.duration_since(begun) >= WHILE) {
            self.begun = Some(now);
            let over = std::mem::take(&mut self.of).into_iter().filter(|(_, count)| *count > self.most);
            left_out.extend(over.map(|(user, count)| (user, count - self.most)));
        }
        let count = self.of.entry(user).or_default();
        *count = count.saturating_add(1);
        (*count <= self.most, left_out)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_user_has_so_many_lines_in_a_while_and_others_have_theirs() {
        let (mut lines, now) = (Lines::new(20), Instant::now());
        let said = (0..500).filter(|_| lines.take(Some(7), now).0).count();
        assert_eq!(said, 20);
        assert_eq!(lines.take(Some(8), now), (true, vec![]));
        assert_eq!(lines.take(None, now), (true, vec![]));
        assert_eq!(lines.take(Some(7), now + WHILE - Duration::from_millis(1)), (false, vec![]));
        // Whoever is first after that has it said.
        assert_eq!(lines.take(Some(8), now + WHILE), (true, vec![(Some(7), 481)]));
        assert_eq!(lines.take(Some(7), now + WHILE), (true, vec![]));
        assert_eq!(lines.take(Some(7), now + 3 * WHILE), (true, vec![]), "nothing was left out");
    }
}
