// SPDX-License-Identifier: Apache-2.0
//! The one service of the engine, and the settings that it is opened with.

use garner::fork::away_from_fork;
use garner_openssl_common::{Service, Settings};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

/// What is set before the service is opened.
static SETTINGS: Mutex<Option<Settings>> = Mutex::new(None);

/// The service, while the engine is in use.
static SERVICE: RwLock<Option<Arc<Service>>> = RwLock::new(None);

/// Looks at the settings, or changes them. A child made while somebody holds the lock would wait for it for ever: here and
/// below.
pub fn with_settings<T>(look: impl FnOnce(&mut Settings) -> T) -> T {
    let look = || look(SETTINGS.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert_default());
    away_from_fork(look)
}

/// Opens the service, with the settings made so far.
pub fn open() -> Result<(), String> {
    let settings = with_settings(|settings| settings.clone());
    let service = Service::open(&settings, "engine").map_err(|error| error.to_string())?;
    let before = away_from_fork(|| SERVICE.write().unwrap_or_else(PoisonError::into_inner).replace(service));
    drop(before);
    Ok(())
}

/// Ends this engine's share of the service.
pub fn close() {
    let service = away_from_fork(|| SERVICE.write().unwrap_or_else(PoisonError::into_inner).take());
    drop(service);
}

/// The service, once it is open.
pub fn service() -> Option<Arc<Service>> {
    away_from_fork(|| SERVICE.read().unwrap_or_else(PoisonError::into_inner).clone())
}
