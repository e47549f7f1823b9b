// SPDX-License-Identifier: Apache-2.0
//! Descriptors: as many as the configuration's clients and the workers take.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// A client's: its socket, and the events of its user, which every client may have another of.
const OF_A_CLIENT: u64 = 2;

/// What the daemon opens besides, at a guess: standard streams, listeners, keys while they are read, its devices.
const OTHERS: u64 = 64;

/// What a worker opens: its page of figures, and what its devices open for it.
const OF_A_WORKER: u64 = 4;

/// Permits this process descriptors for so many clients and workers, or as many as the system lets it; `Err` with how many
/// those are, if they are fewer.
///
/// Programs begin with 1,024 by habit of the system, as `select(2)` takes no higher numbers; nothing here uses it.
pub fn permit(connections: u64, workers: u64) -> Result<(), u64> {
    let limit = getrlimit(Resource::Nofile);
    let needed = connections.saturating_mul(OF_A_CLIENT).saturating_add(OTHERS + OF_A_WORKER * workers);
    let wanted = limit.maximum.unwrap_or(u64::MAX).min(needed);
    let now = limit.current.unwrap_or(u64::MAX);
    let permitted = match now < wanted {
        true => setrlimit(Resource::Nofile, Rlimit { current: Some(wanted), ..limit }).map_or(now, |()| wanted),
        false => now,
    };
    if permitted < needed { Err(permitted) } else { Ok(()) }
}
