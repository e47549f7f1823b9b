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
use core_garner::arithmetic::Modulus;
use core_garner::fork::away_from_fork;
use core_garner::gather::Gatherer;
use core_garner::key::PublicKey;
use garner_remote::Key;
use std::any::Any;
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
/// `garner_aes *`
#[cfg(feature = "board")]
#[repr(C)]
pub struct GarnerAes([u8; 0]);

/// The C type of a handle: which kind of object it stands for. Each kind has a target of its own.
pub trait Kind {
    /// What it stands for.
    type Target: Any + Send + Sync;
    /// Its name in errors.
    const NAME: &'static str;
}

/// One row of the table.
type Entry = Arc<dyn Any + Send + Sync>;

/// What the row stands for, if it is of this kind.
fn target<K: Kind>(entry: &Entry) -> Option<Arc<K::Target>> {
    Arc::clone(entry).downcast().ok()
}

impl Kind for GarnerContext {
    type Target = Gatherer;
    const NAME: &'static str = "gatherer";
}

impl Kind for GarnerPrivateKey {
    type Target = Key;
    const NAME: &'static str = "private key";
}

impl Kind for GarnerPublicKey {
    type Target = PublicKey;
    const NAME: &'static str = "public key";
}

impl Kind for GarnerModulus {
    type Target = Modulus;
    const NAME: &'static str = "modulus";
}

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
    let number = write(|table| {
        table.last += 1;
        table.entries.insert(table.last, target);
        table.last
    });
    ptr::without_provenance_mut(MARK | number)
}

/// What a handle stands for.
pub fn get<K: Kind>(handle: *const K) -> Result<Arc<K::Target>, Failure> {
    let number = number(handle)?;
    read(|table| table.entries.get(&number).and_then(target::<K>)).ok_or_else(unknown::<K>)
}

/// Ends a handle and gives what it stood for; `None` for NULL.
pub fn remove<K: Kind>(handle: *const K) -> Result<Option<Arc<K::Target>>, Failure> {
    if handle.is_null() {
        return Ok(None);
    }
    let number = number(handle)?;
    let target = write(|table| {
        let target = table.entries.get(&number).and_then(target::<K>)?;
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
