// SPDX-License-Identifier: Apache-2.0
//! Commands: the statistics, as doubles, and the settings, as text.
//!
//! Numbers 200 to 203 are those of engines of this kind since ZoTech's: operations, time in total, time on average,
//! load. `ENGINE_ctrl(e, 200, sizeof(double), &value, NULL)`.

use crate::call::called;
use crate::service::{service, with_settings};
use crate::sys::*;
use garner_openssl_common::Settings;
use garner_openssl_common::figures::{self, Value};
use garner_openssl_common::memory;
use std::ffi::{CStr, c_char, c_int, c_long, c_uint, c_void};
use std::ptr;

const fn figure(number: c_int, name: &'static CStr, description: &'static CStr) -> ENGINE_CMD_DEFN {
    let (name, description) = (name.as_ptr(), description.as_ptr());
    ENGINE_CMD_DEFN { number: (ENGINE_CMD_BASE + number) as c_uint, name, description, flags: ENGINE_CMD_FLAG_INTERNAL }
}

/// The setting of that place in [`Settings::NAMES`].
const fn setting(place: usize, name: &'static CStr) -> ENGINE_CMD_DEFN {
    let (name, description) = (name.as_ptr(), Settings::DESCRIPTIONS[place].as_ptr());
    ENGINE_CMD_DEFN {
        number: ENGINE_CMD_BASE as c_uint + (figures::CLASSIC + place) as c_uint,
        name,
        description,
        flags: ENGINE_CMD_FLAG_STRING,
    }
}

/// Settings follow the statistics, in the order of [`Settings::NAMES`].
pub static COMMANDS: [ENGINE_CMD_DEFN; 10] = [
    figure(0, c"TOTAL_OPERATIONS", c"operations answered (double)"),
    figure(1, c"TOTAL_TIME", c"time spent in batches, seconds (double)"),
    figure(2, c"AVERAGE_TIME", c"time per operation, microseconds (double)"),
    figure(3, c"AVERAGE_LOAD", c"part of the slots in use since the first operation, 0 to 1 (double)"),
    setting(0, c"DEVICE"),
    setting(1, c"SLOTS"),
    setting(2, c"QUEUE_LIMIT"),
    setting(3, c"FAILURES_ALLOWED"),
    setting(4, c"FAULTS_ALLOWED"),
    ENGINE_CMD_DEFN { number: 0, name: ptr::null(), description: ptr::null(), flags: 0 },
];

/// Called by libcrypto for every command.
pub unsafe extern "C" fn control(
    _: *mut ENGINE,
    command: c_int,
    size: c_long,
    pointer: *mut c_void,
    _: Option<unsafe extern "C" fn()>,
) -> c_int {
    let body = || {
        let number = usize::try_from(command - ENGINE_CMD_BASE).map_err(|_| "unknown command".to_owned())?;
        if pointer.is_null() {
            return Err("a command without a value".to_owned());
        }
        if number < figures::CLASSIC {
            if size != size_of::<f64>() as c_long {
                return Err("statistics are doubles: give sizeof(double) and a pointer to one".to_owned());
            }
            let value = service().map_or(0.0, |service| match service.figures()[number].1 {
                Value::Real(real) => real,
                Value::Count(count) => count as f64,
            });
            // SAFETY: the caller says that it is a double.
            unsafe { pointer.cast::<f64>().write_unaligned(value) };
            return Ok(());
        }
        let name = Settings::NAMES.get(number - figures::CLASSIC).ok_or_else(|| "unknown command".to_owned())?;
        // SAFETY: libcrypto passes text for commands that are declared to take it.
        let value = unsafe { CStr::from_ptr(pointer.cast::<c_char>()) }.to_string_lossy();
        if service().is_some() {
            return Err(format!("{name}: settings are made before the engine is initialised"));
        }
        with_settings(|settings| settings.set(name, &value)).map_err(|refused| refused.to_string())
    };
    if !memory::enter_or_raise() {
        return 0;
    }
    called(body)
}
