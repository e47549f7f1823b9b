// SPDX-License-Identifier: Apache-2.0
//! The table behind the handles: what C holds is looked up here, never followed, so that a wrong one is only refused.
//!
//! A handle is a number that was never used before, with the mark [`MARK`] on top, which makes it no valid address:
//! a program that follows one stops there and then. What a handle stands for is shared by `Arc`, so that it can be freed
//! while other threads use it.
//!
//! The lock is taken for a look-up only, never while anything is made, run or dropped, and [`away_from_fork`]: the child
//! finds the table whole and unlocked.

use crate::status::{Failure, Status};
use crate::ticket::Ticket;
use core_garner::arithmetic::Modulus;
use core_garner::fork::away_from_fork;
use core_garner::gather::Gatherer;
use core_garner::key::{PrivateKey, PublicKey};
use std::collections::BTreeMap;
use std::ptr;
use std::sync::{Arc, PoisonError, RwLock};

/// On top of every handle: "gn", no canonical address on any 64-bit processor this runs on.
const MARK: usize = 0x676e << 48;

/// `garner *`
#[repr(C)]
pub struct GarnerContext([u8; 0]);
/// `garner_private_key *`
#[repr(C)]
pub struct GarnerPrivateKey([u8; 0]);
/// `garner_public_key *`
#[repr(C)]
pub struct GarnerPublicKey([u8; 0]);
/// `garner_modulus *`
#[repr(C)]
pub struct GarnerModulus([u8; 0]);
/// `garner_ticket *`
#[repr(C)]
pub struct GarnerTicket([u8; 0]);

/// What a handle stands for.
enum Object {
    Context(Arc<Gatherer>),
    PrivateKey(Arc<PrivateKey>),
    PublicKey(Arc<PublicKey>),
    Modulus(Arc<Modulus>),
    Ticket(Arc<Ticket>),
}

/// The C type of a handle: which kind of object it stands for.
pub trait Kind {
    /// What it stands for.
    type Target;
    /// Its name in errors.
    const NAME: &'static str;
    #[doc(hidden)]
    fn put(target: Arc<Self::Target>) -> Entry;
    #[doc(hidden)]
    fn get(entry: &Entry) -> Option<&Arc<Self::Target>>;
}

/// One row of the table.
pub struct Entry(Object);

macro_rules! kind {
    ($raw:ty, $variant:ident, $target:ty, $name:literal) => {
        impl Kind for $raw {
            type Target = $target;
            const NAME: &'static str = $name;
            fn put(target: Arc<$target>) -> Entry {
                Entry(Object::$variant(target))
            }
            fn get(entry: &Entry) -> Option<&Arc<$target>> {
                match &entry.0 {
                    Object::$variant(target) => Some(target),
                    _ => None,
                }
            }
        }
    };
}
kind!(GarnerContext, Context, Gatherer, "gatherer");
kind!(GarnerPrivateKey, PrivateKey, PrivateKey, "private key");
kind!(GarnerPublicKey, PublicKey, PublicKey, "public key");
kind!(GarnerModulus, Modulus, Modulus, "modulus");
kind!(GarnerTicket, Ticket, Ticket, "ticket");

struct Table {
    last: usize,
    entries: BTreeMap<usize, Entry>,
}

static TABLE: RwLock<Table> = RwLock::new(Table { last: 0, entries: BTreeMap::new() });

/// Looks into the table.
fn read<T>(look: impl FnOnce(&Table) -> T) -> T {
    away_from_fork(|| look(&TABLE.read().unwrap_or_else(PoisonError::into_inner)))
}

/// Changes the table.
fn write<T>(change: impl FnOnce(&mut Table) -> T) -> T {
    away_from_fork(|| change(&mut TABLE.write().unwrap_or_else(PoisonError::into_inner)))
}

/// A new handle for `target`.
pub fn insert<K: Kind>(target: Arc<K::Target>) -> *mut K {
    let entry = K::put(target);
    let number = write(|table| {
        table.last += 1;
        table.entries.insert(table.last, entry);
        table.last
    });
    ptr::without_provenance_mut(MARK | number)
}

/// What a handle stands for.
pub fn get<K: Kind>(handle: *const K) -> Result<Arc<K::Target>, Failure> {
    let number = number(handle)?;
    read(|table| table.entries.get(&number).and_then(K::get).cloned()).ok_or_else(unknown::<K>)
}

/// Ends a handle and gives what it stood for; `None` for NULL.
pub fn remove<K: Kind>(handle: *const K) -> Result<Option<Arc<K::Target>>, Failure> {
    if handle.is_null() {
        return Ok(None);
    }
    let number = number(handle)?;
    let target = write(|table| {
        let target = table.entries.get(&number).and_then(K::get).cloned()?;
        // The entry is not the last owner: `target` is dropped by the caller, after the lock.
        table.entries.remove(&number);
        Some(target)
    });
    target.map(Some).ok_or_else(unknown::<K>)
}

fn number<K: Kind>(handle: *const K) -> Result<usize, Failure> {
    if handle.is_null() {
        return Err(Failure::null(K::NAME));
    }
    let address = handle.addr();
    if address & MARK == MARK { Ok(address ^ MARK) } else { Err(unknown::<K>()) }
}

fn unknown<K: Kind>() -> Failure {
    Failure::new(Status::Handle, format!("{}: not a live handle of that kind", K::NAME))
}
