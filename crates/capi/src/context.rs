// SPDX-License-Identifier: Apache-2.0
//! Gatherers of the caller's own.

use crate::call::{freeing, unit};
use crate::end;
use crate::handles::{self, GarnerContext};
use crate::memory::{self, Place, Plain};
use crate::status::Failure;
use core_garner::gather::{Config, Gatherer};
use garner_devices::KINDS;
use std::ffi::{CStr, c_char, c_int};
use std::ops::Deref;
use std::sync::Arc;

/// Most slots a gatherer may have: more threads than this run nothing faster.
const MAX_SLOTS: usize = 4_096;

/// `garner_config`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerConfig {
    size: usize,
    device: *const c_char,
    slots: usize,
    queue_limit: usize,
}

// SAFETY: numbers and a pointer; NULL is a pointer.
unsafe impl Plain for GarnerConfig {
    const NAME: &'static str = "garner_config";
}

/// The gatherer a call uses.
pub enum Context {
    /// That of the process.
    Global(&'static Gatherer),
    /// One of the caller's.
    Own(Arc<Gatherer>),
}

impl Context {
    /// Refuses a handle that is none, also where a key that the daemon holds needs no gatherer.
    pub fn check(handle: *const GarnerContext) -> Result<(), Failure> {
        if handle.is_null() { Ok(()) } else { handles::get(handle).map(drop) }
    }

    /// NULL is the gatherer of the process.
    pub fn get(handle: *const GarnerContext) -> Result<Context, Failure> {
        if handle.is_null() {
            let gatherer = garner_devices::gatherer()?;
            end::opened();
            return Ok(Context::Global(gatherer));
        }
        handles::get(handle).map(Context::Own)
    }
}

impl Deref for Context {
    type Target = Gatherer;
    fn deref(&self) -> &Gatherer {
        match self {
            Context::Global(gatherer) => gatherer,
            Context::Own(gatherer) => gatherer,
        }
    }
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_new(config: *const GarnerConfig, gatherer: *mut *mut GarnerContext) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("gatherer", gatherer)? };
        let settings = if config.is_null() {
            garner_devices::config()?
        } else {
            // SAFETY: the caller's promise, for the structure and for the string in it.
            let (given, device) = unsafe {
                let given = memory::structure(config)?;
                (given, (!given.device.is_null()).then(|| CStr::from_ptr(given.device)))
            };
            settings(&given, device)?
        };
        place.write(handles::insert(Arc::new(Gatherer::new(settings))));
        Ok(())
    })
}

fn settings(given: &GarnerConfig, device: Option<&CStr>) -> Result<Config, Failure> {
    let mut config = match device {
        None => garner_devices::config()?,
        Some(names) => Config::named(&names.to_string_lossy(), KINDS)?,
    };
    if given.slots > MAX_SLOTS {
        return Err(Failure::argument("slots", format!("{} is more than {MAX_SLOTS}", given.slots)));
    }
    if given.slots > 0 {
        config.slots = given.slots;
    }
    if given.queue_limit > 0 {
        config.queue_limit = given.queue_limit;
    }
    Ok(config)
}

/// See `garner.h`.
#[unsafe(no_mangle)]
pub extern "C" fn garner_free(gatherer: *mut GarnerContext) -> c_int {
    freeing(|| {
        if let Some(gatherer) = handles::remove(gatherer)? {
            gatherer.shutdown();
        }
        Ok(())
    })
}
