// SPDX-License-Identifier: Apache-2.0
//! Descriptors: as many as the configuration's clients take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// What the daemon opens besides its clients' sockets, at a guess: standard streams, listeners, events, keys while they are
/// read, its devices.
const OTHERS: u64 = 64;

/// Permits this process descriptors for so many clients, or as many as the system lets it; `Err` with how many those are, if
/// they are fewer.
///
/// Programs begin with 1,024 by habit of the system, as `select(2)` takes no higher numbers; nothing here uses it.
pub fn permit(connections: u64) -> Result<(), u64> {
    let limit = getrlimit(Resource::Nofile);
    let wanted = limit.maximum.unwrap_or(u64::MAX).min(connections.saturating_add(OTHERS));
    let now = limit.current.unwrap_or(u64::MAX);
    let permitted = match now < wanted {
        true => setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).map_or(now, |()| wanted),
        false => now,
    };
    if permitted < connections.saturating_add(OTHERS) { Err(permitted) } else { Ok(()) }
}
