//! The GPU's energy meter, by NVIDIA's management library where there is one.

use libloading::{Library, Symbol};
use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

type Device = *mut c_void;

/// The meter of one GPU.
pub struct Meter {
    library: Library,
    device: Device,
}

impl Meter {
    /// That of GPU `ordinal`; none where library or meter are missing.
    pub fn open(ordinal: usize) -> Option<Meter> {
        // SAFETY: NVIDIA's library, whose initialisers are trusted like the driver's; signatures as in nvml.h.
        unsafe {
            let library = Library::new("libnvidia-ml.so.1").ok()?;
            let init: Symbol<'_, unsafe extern "C" fn() -> c_int> = library.get(b"nvmlInit_v2\0").ok()?;
            if init() != 0 {
                return None;
            }
            let mut device: Device = std::ptr::null_mut();
            let get: Symbol<'_, unsafe extern "C" fn(c_uint, *mut Device) -> c_int> =
                library.get(b"nvmlDeviceGetHandleByIndex_v2\0").ok()?;
            let found = get(ordinal as c_uint, &mut device) == 0;
            let meter = Meter { library, device };
            (found && meter.joules().is_some()).then_some(meter)
        }
    }

    /// Energy since the driver was loaded.
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
}
