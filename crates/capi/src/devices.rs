// SPDX-License-Identifier: Apache-2.0
//! The devices of this machine.

use crate::call::unit;
use crate::memory::{self, Place, Plain, Report};
use crate::status::Failure;
use core_garner::arithmetic::libcrypto::Libcrypto;
use core_garner::device::{Cpu, Device};
use core_garner::gather::Config;
use garner_devices::config;
use std::ffi::{c_char, c_int};
use std::sync::Arc;

/// `garner_device`
#[derive(Clone, Copy)]
#[repr(C)]
pub struct GarnerDevice {
    size: usize,
    name: [c_char; 64],
    min_bits: usize,
    max_bits: usize,
    preferred_batch: usize,
}

// SAFETY: numbers only.
unsafe impl Plain for GarnerDevice {
    const NAME: &'static str = "garner_device";
}

/// All devices, the preferred one first; libcrypto is always there, as the last resort.
fn all(config: &Config) -> Vec<Arc<dyn Device>> {
    let mut devices = config.devices.clone();
    let last: Arc<dyn Device> = Arc::new(Cpu::new(Arc::new(Libcrypto)));
    if !devices.iter().any(|device| device.name() == last.name()) {
        devices.push(last);
    }
    devices
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_device_count(count: *mut usize) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let place = unsafe { Place::new("count", count)? };
        place.write(all(&config()?).len());
        Ok(())
    })
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_device_get(index: usize, device: *mut GarnerDevice) -> c_int {
    unit(|| {
        // SAFETY: the caller's promise.
        let report = unsafe { Report::new(device)? };
        let devices = all(&config()?);
        let Some(device) = devices.get(index) else {
            return Err(Failure::argument("index", format!("{index}, but there are {} devices", devices.len())));
        };
        let mut value: GarnerDevice = memory::zeroed();
        value.size = size_of::<GarnerDevice>();
        let room = value.name.len() - 1;
        for (to, from) in value.name[..room].iter_mut().zip(device.name().bytes()) {
            *to = from as c_char;
        }
        let limits = device.limits();
        (value.min_bits, value.max_bits) = (limits.min_bits, limits.max_bits);
        value.preferred_batch = device.preferred_batch();
        report.write(value);
        Ok(())
    })
}
