// SPDX-License-Identifier: Apache-2.0
//! From a request to a task, if the client may have it done: by a key that the daemon holds, or by one that the client lends. The
//! first use of a key by a connection, and what is refused to it, is a line of the log, if [`audit`](crate::audit) has it said.

use crate::audit::Audit;
use crate::keys::{Entry, Keys};
use crate::lent::Lent;
use crate::session::Session;
use crate::work::{self, Task};
use garner::key::PrivateKey;
use garner_remote::message::{Fingerprint, KeyName, Refusal, Request, Work};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::Instant;

/// What is to be done for a request that lends no key.
///
/// # Errors
/// [`Refusal`]: the client may not have it done, or not so.
pub fn admit(keys: &Keys, log: &Audit, session: &Session, request: &Request<'_>) -> Result<Task, Refusal> {
    if request.work == Work::List {
        let KeyName::Named(last) = request.key else { return Err(Refusal::Malformed) };
        return Ok(Task::Answer(keys.names_after(last, session.peer)));
    }
    if let Some(key) = lent_key(keys, session, &request.key) {
        let permitted = keys.lending.permits(session.peer, &request.work, Instant::now());
        lending_audit(keys, log, session, permitted.as_ref().err());
        permitted?;
        return work::task(&key, &request.work);
    }
    let entry = keys.find(&request.key).filter(|entry| entry.judge.knows(session.peer)).ok_or(Refusal::NoKey)?;
    let permitted = entry.judge.permits(session.peer, &request.work, Instant::now());
    audit(keys, log, entry, session, permitted.as_ref().err());
    permitted?;
    work::task(&entry.key, &request.work)
}

/// Takes a key that a client lends, in `file`; the client says that it has this modulus.
///
/// # Errors
/// [`Refusal`]: it may lend none, or not this.
pub fn lend(
    keys: &Keys,
    lent: &Lent,
    log: &Audit,
    session: &Session,
    modulus: Option<Fingerprint>,
    file: Option<OwnedFd>,
) -> Result<(), Refusal> {
    let peer = session.peer;
    let taken = || {
        if !keys.lending.knows(peer) {
            return Err(Refusal::Forbidden("to lend keys".to_owned()));
        }
        let (Some(modulus), Some(file)) = (modulus, file) else { return Err(Refusal::Malformed) };
        let makes = || keys.making.permits(peer, &Work::Lend, Instant::now());
        lent.take(file, &modulus, peer.uid, makes).map(|key| (modulus, key))
    };
    let taken = taken();
    lending_audit(keys, log, session, taken.as_ref().err());
    let (modulus, key) = taken?;
    let (name, bits) = (hexadecimal(&modulus), key.public().bits());
    if session.lends(&name) {
        let (uid, pid) = (peer.uid, peer.pid);
        let line =
            format_args!("a key of {bits} bits, its modulus's SHA-256 {name}: lent by user {uid}, process {pid}");
        log.used(keys, peer, line);
    }
    session.lent().add(modulus, key);
    Ok(())
}

/// The key that is meant, if this connection has lent it and its user still may.
fn lent_key(keys: &Keys, session: &Session, name: &KeyName<'_>) -> Option<Arc<PrivateKey>> {
    let KeyName::Modulus(modulus) = name else { return None };
    let key = session.lent().find(modulus)?;
    if keys.lending.knows(session.peer) {
        return Some(key);
    }
    session.lent().forget();
    None
}

/// A line for what is refused to who lends, the first time on a connection.
fn lending_audit(keys: &Keys, log: &Audit, session: &Session, refusal: Option<&Refusal>) {
    let peer = session.peer;
    if let Some(refusal) = refusal
        && session.lends(&format!("{refusal:?}"))
    {
        let line = format_args!("lending keys: refused to user {}, process {}: {refusal:?}", peer.uid, peer.pid);
        log.refused(keys, peer, line);
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A line for each key and connection, and for what is refused the first time.
fn audit(keys: &Keys, log: &Audit, entry: &Entry, session: &Session, refusal: Option<&Refusal>) {
    let (peer, name) = (session.peer, &entry.name);
    let (uid, pid) = (peer.uid, peer.pid);
    match refusal {
        None => session
            .told_once(name, || log.used(keys, peer, format_args!("key {name}: used by user {uid}, process {pid}"))),
        Some(refusal) => session.told_once(&format!("{name}: {refusal:?}"), || {
            log.refused(keys, peer, format_args!("key {name}: refused to user {uid}, process {pid}: {refusal:?}"))
        }),
    }
}
