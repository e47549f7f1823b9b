// SPDX-License-Identifier: Apache-2.0
//! The GPU's meter of energy and its clock, by NVIDIA's management library where there is one.

use libloading::{Library, Symbol};
use std::ffi::{CStr, c_char, c_int, c_uint, c_ulonglong, c_void};

type Device = *mut c_void;

/// The clock of the multiprocessors, in nvml.h.
const SM_CLOCK: c_uint = 1;

/// The meter of one GPU.
pub struct Meter {
    library: Library,
    device: Device,
}

impl Meter {
    /// That of the GPU at this place on the PCI bus, for the library counts GPUs in another way than the driver; none where
    /// the library is missing.
    pub fn open(place: &CStr) -> Option<Meter> {
        // SAFETY: NVIDIA's library, whose initialisers are trusted like the driver's; signatures as in nvml.h.
        unsafe {
            let library = Library::new("libnvidia-ml.so.1").ok()?;
            let init: Symbol<'_, unsafe extern "C" fn() -> c_int> = library.get(b"nvmlInit_v2\0").ok()?;
            if init() != 0 {
                return None;
            }
            let mut device: Device = std::ptr::null_mut();
            let get: Symbol<'_, unsafe extern "C" fn(*const c_char, *mut Device) -> c_int> =
                library.get(b"nvmlDeviceGetHandleByPciBusId_v2\0").ok()?;
            let found = get(place.as_ptr(), &mut device) == 0;
            found.then_some(Meter { library, device })
        }
    }

    /// Energy since the driver was loaded, where the GPU has a meter.
    pub fn joules(&self) -> Option<f64> {
        let mut millijoules: c_ulonglong = 0;
        // SAFETY: signature as in nvml.h; the device is one that the library gave.
        let result = unsafe {
            let read: Symbol<'_, unsafe extern "C" fn(Device, *mut c_ulonglong) -> c_int> =
                self.library.get(b"nvmlDeviceGetTotalEnergyConsumption\0").ok()?;
            read(self.device, &mut millijoules)
        };
        (result == 0).then_some(millijoules as f64 / 1e3)
    }

    /// The clock of the multiprocessors now.
    pub fn clock_mhz(&self) -> Option<f64> {
        let mut clock: c_uint = 0;
        // SAFETY: as above.
        let result = unsafe {
            let read: Symbol<'_, unsafe extern "C" fn(Device, c_uint, *mut c_uint) -> c_int> =
                self.library.get(b"nvmlDeviceGetClockInfo\0").ok()?;
            read(self.device, SM_CLOCK, &mut clock)
        };
        (result == 0).then_some(f64::from(clock))
    }
}
