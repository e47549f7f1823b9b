// SPDX-License-Identifier: Apache-2.0
//! What the module keeps between calls: sessions, and the keys that were found. The lock is never held while the daemon is asked.

use crate::keys::NamedKey;
use crate::mechanisms::{Decrypting, Signing};
use crate::memory::Result;
use cryptoki_sys::*;
use garner::fork::ForkLocal;
use garner_remote::Client;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// What is kept from `C_Initialize` to `C_Finalize`.
#[derive(Default)]
pub struct Module {
    sessions: BTreeMap<CK_SESSION_HANDLE, Session>,
    /// A key keeps its place, and so the handles of its objects.
    pub keys: Vec<Arc<NamedKey>>,
}

/// A session of a program's.
#[derive(Default)]
pub struct Session {
    /// Asked for, and granted: some programs ask for no other, though there is nothing to be written.
    pub may_write: bool,
    /// Objects that a search has found and not given yet; `None` if there is no search.
    pub found: Option<Vec<CK_OBJECT_HANDLE>>,
    /// A signature to be made.
    pub signing: Option<Signing>,
    /// A decryption to be made.
    pub decrypting: Option<Decrypting>,
}

/// The last session's handle. No handle is given twice, not after `C_Finalize` either.
static LAST: AtomicU64 = AtomicU64::new(0);

static MODULE: ForkLocal<Mutex<Option<Module>>> = ForkLocal::new();

fn locked<T>(work: impl FnOnce(&mut Option<Module>) -> T) -> T {
    work(&mut MODULE.get().lock().unwrap_or_else(PoisonError::into_inner))
}

/// Begins.
pub fn initialise() -> Result<()> {
    locked(|module| match module {
        Some(_) => Err(CKR_CRYPTOKI_ALREADY_INITIALIZED),
        None => {
            *module = Some(Module::default());
            Ok(())
        }
    })
}

/// Ends, with all sessions and with the connections that nobody uses.
pub fn finalise() -> Result<()> {
    locked(|module| module.take().map(drop).ok_or(CKR_CRYPTOKI_NOT_INITIALIZED))?;
    Client::of_process().disconnect();
    Ok(())
}

/// Looks at what is kept, or changes it.
pub fn with<T>(work: impl FnOnce(&mut Module) -> Result<T>) -> Result<T> {
    locked(|module| work(module.as_mut().ok_or(CKR_CRYPTOKI_NOT_INITIALIZED)?))
}

/// The same, for one session.
pub fn with_session<T>(handle: CK_SESSION_HANDLE, work: impl FnOnce(&mut Session) -> Result<T>) -> Result<T> {
    with(|module| work(module.sessions.get_mut(&handle).ok_or(CKR_SESSION_HANDLE_INVALID)?))
}

impl Module {
    /// A new session.
    pub fn open(&mut self, may_write: bool) -> CK_SESSION_HANDLE {
        let handle = LAST.fetch_add(1, Ordering::Relaxed) + 1;
        self.sessions.insert(handle, Session { may_write, ..Session::default() });
        handle
    }

    /// Ends a session.
    pub fn close(&mut self, handle: CK_SESSION_HANDLE) -> Result<()> {
        self.sessions.remove(&handle).map(drop).ok_or(CKR_SESSION_HANDLE_INVALID)
    }

    /// Ends all sessions.
    pub fn close_all(&mut self) {
        self.sessions.clear();
    }

    /// How many sessions there are, and how many of them may write.
    pub fn sessions(&self) -> (CK_ULONG, CK_ULONG) {
        let may_write = self.sessions.values().filter(|session| session.may_write).count();
        (self.sessions.len() as CK_ULONG, may_write as CK_ULONG)
    }
}
