// SPDX-License-Identifier: Apache-2.0
//! The simulated device of `hw/sim/device.h`, loaded from the library that `garner_hw.device` builds.
//!
//! A [`Model`] is the library, compiled for one set of parameters; a [`Device`] is one instance of the design.

use libloading::Library;
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr;
use std::sync::Arc;

/// `GARNER_DEVICE_VERSION` of the header whose declarations are repeated here.
const VERSION: u32 = 4;
/// Draws what registers start with that no reset sets: the same in every run.
const SEED: u32 = 1;

type Instance = *mut c_void;

/// What is around a device. `now` is the cycle, `engine` the one whose rings or data these are, from 0.
pub trait Host: Send {
    /// Fills `data` from `address` on.
    ///
    /// # Errors
    /// The bus then answers the burst with an error.
    fn read(&mut self, now: u64, engine: u32, address: u64, data: &mut [u8]) -> Result<(), BusError>;

    /// Writes `data`, a burst of the device.
    ///
    /// # Errors
    /// As for `read`.
    fn write(&mut self, now: u64, engine: u32, address: u64, data: &[u8]) -> Result<(), BusError>;

    /// These interrupt lines came up.
    fn interrupt(&mut self, lines: u32);
}

/// An access that a bus answers with an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BusError;

/// `garner_host`.
#[repr(C)]
struct RawHost {
    context: *mut c_void,
    read: unsafe extern "C" fn(*mut c_void, u32, u64, *mut c_void, usize) -> c_int,
    write: unsafe extern "C" fn(*mut c_void, u32, u64, *const c_void, usize) -> c_int,
    interrupt: unsafe extern "C" fn(*mut c_void, u32),
}

/// `garner_timing`: what the memory bus takes, in cycles.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct Timing {
    /// From a read's address to its first data, and from a write's last data to its being in memory.
    pub latency: u64,
    /// Payload bytes a cycle in one direction.
    pub bytes_per_cycle: f64,
    /// Bursts under way in each direction.
    pub outstanding: u32,
}

/// Why a model cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    /// It cannot be loaded.
    #[error("{path}: {reason}; `make board` builds models")]
    Load {
        /// The file.
        path: String,
        /// What the loader said.
        reason: String,
    },
    /// It was built for another garner-board.
    #[error("{0}: built for another version of garner-board; `make board` builds it anew")]
    Version(String),
    /// It was built without waveforms.
    #[error("this model writes no waveforms; build one with `python -m garner_hw.device --waves`")]
    NoWaves,
}

struct Functions {
    engines: unsafe extern "C" fn() -> u32,
    new: unsafe extern "C" fn(*const RawHost, u32) -> Instance,
    free: unsafe extern "C" fn(Instance),
    reset: unsafe extern "C" fn(Instance),
    read: unsafe extern "C" fn(Instance, u32, *mut u32) -> c_int,
    write: unsafe extern "C" fn(Instance, u32, u32) -> c_int,
    run: unsafe extern "C" fn(Instance, u64) -> u64,
    cycles: unsafe extern "C" fn(Instance) -> u64,
    quiet: unsafe extern "C" fn(Instance) -> u64,
    timing: unsafe extern "C" fn(Instance, *const Timing),
    hold_bus: unsafe extern "C" fn(Instance, c_int),
    flip_memory: unsafe extern "C" fn(Instance, u64),
    stop_core: unsafe extern "C" fn(Instance),
    wave: unsafe extern "C" fn(Instance, *const c_char, u64, u64) -> c_int,
    /// Keeps the code of the pointers above in memory.
    _library: Library,
}

/// The compiled design.
#[derive(Clone)]
pub struct Model(Arc<Functions>);

impl Model {
    /// Loads a library.
    ///
    /// # Errors
    /// [`ModelError`] when the file is no such library or one of another version.
    pub fn load(path: &Path) -> Result<Model, ModelError> {
        let name = path.display().to_string();
        let failed = |error: libloading::Error| ModelError::Load { path: name.clone(), reason: error.to_string() };
        // SAFETY: loading runs the library's initialisers; the operator chose the file, as he chose this program.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: the signatures are those of device.h; the version is compared before any other call.
        unsafe {
            let version = library.get::<unsafe extern "C" fn() -> u32>(b"garner_device_version").map_err(failed)?;
            if version() != VERSION {
                return Err(ModelError::Version(name));
            }
            Ok(Model(Arc::new(Functions {
                engines: *library.get(b"garner_device_engines").map_err(failed)?,
                new: *library.get(b"garner_device_new").map_err(failed)?,
                free: *library.get(b"garner_device_free").map_err(failed)?,
                reset: *library.get(b"garner_device_reset").map_err(failed)?,
                read: *library.get(b"garner_device_read").map_err(failed)?,
                write: *library.get(b"garner_device_write").map_err(failed)?,
                run: *library.get(b"garner_device_run").map_err(failed)?,
                cycles: *library.get(b"garner_device_cycles").map_err(failed)?,
                quiet: *library.get(b"garner_device_quiet").map_err(failed)?,
                timing: *library.get(b"garner_device_timing").map_err(failed)?,
                hold_bus: *library.get(b"garner_device_hold_bus").map_err(failed)?,
                flip_memory: *library.get(b"garner_device_flip_memory").map_err(failed)?,
                stop_core: *library.get(b"garner_device_stop_core").map_err(failed)?,
                wave: *library.get(b"garner_device_wave").map_err(failed)?,
                _library: library,
            })))
        }
    }

    /// How many engines it has: 1, RSA, or 3, with AES encryption and decryption. Each has a page of registers.
    #[must_use]
    pub fn engines(&self) -> usize {
        // SAFETY: device.h; it looks at nothing.
        unsafe { (self.0.engines)() as usize }
    }
}

/// What the library calls back with.
struct Around<H> {
    host: H,
    instance: Instance,
    cycles: unsafe extern "C" fn(Instance) -> u64,
}

impl<H> Around<H> {
    fn now(&self) -> u64 {
        // SAFETY: called by the instance, so it is there; device.h allows this call from within a callback.
        unsafe { (self.cycles)(self.instance) }
    }
}

/// One instance of the design, with its host around it.
pub struct Device<H: Host> {
    functions: Arc<Functions>,
    instance: Instance,
    /// A box. The library holds this pointer too, and uses it while one of the methods of `self` runs and at no other time.
    around: *mut Around<H>,
}

// SAFETY: the instance is used by one thread at a time (`&mut self`) and depends on no thread-local state; so is the host.
unsafe impl<H: Host> Send for Device<H> {}

impl<H: Host> Device<H> {
    /// A device out of reset.
    pub fn new(model: &Model, host: H) -> Device<H> {
        let functions = Arc::clone(&model.0);
        let around = Box::into_raw(Box::new(Around { host, instance: ptr::null_mut(), cycles: functions.cycles }));
        let raw = RawHost { context: around.cast(), read: read::<H>, write: write::<H>, interrupt: interrupt::<H> };
        // SAFETY: `raw` is copied, and what it points to lives as long as the instance. In reset nothing is called back.
        let instance = unsafe { (functions.new)(&raw, SEED) };
        // SAFETY: nobody else uses it now.
        unsafe { (*around).instance = instance };
        Device { functions, instance, around }
    }

    /// What is around it.
    pub fn host(&mut self) -> &mut H {
        // SAFETY: `&mut self`, so no method runs that the library could call back from.
        unsafe { &mut (*self.around).host }
    }

    /// Resets it; what is under way on the buses is dropped.
    pub fn reset(&mut self) {
        // SAFETY: the instance lives until drop; so for the methods below.
        unsafe { (self.functions.reset)(self.instance) };
    }

    /// Reads a register; `None` when the device refuses or does not answer.
    pub fn read(&mut self, offset: u16) -> Option<u32> {
        let mut value = 0;
        // SAFETY: as in `reset`; the value outlives the call.
        let outcome = unsafe { (self.functions.read)(self.instance, offset.into(), &mut value) };
        (outcome == 0).then_some(value)
    }

    /// Writes a register; `None` when the device refuses or does not answer.
    pub fn write(&mut self, offset: u16, value: u32) -> Option<()> {
        // SAFETY: as in `reset`.
        let outcome = unsafe { (self.functions.write)(self.instance, offset.into(), value) };
        (outcome == 0).then_some(())
    }

    /// Runs for at most `cycles`, less when an interrupt line comes up; the cycles run.
    pub fn run(&mut self, cycles: u64) -> u64 {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.run)(self.instance, cycles) }
    }

    /// Cycles so far.
    pub fn cycles(&self) -> u64 {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.cycles)(self.instance) }
    }

    /// For how many cycles there has been nothing under way on the memory bus.
    pub fn quiet(&self) -> u64 {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.quiet)(self.instance) }
    }

    /// What the memory bus takes from now on.
    pub fn set_timing(&mut self, timing: Timing) {
        // SAFETY: as in `reset`; the structure is that of device.h, and copied.
        unsafe { (self.functions.timing)(self.instance, &timing) };
    }

    /// The memory bus stands still, or not.
    pub fn hold_bus(&mut self, held: bool) {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.hold_bus)(self.instance, held.into()) };
    }

    /// Turns over one bit of the memories in the cores, chosen by `dice`.
    pub fn flip_memory(&mut self, dice: u64) {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.flip_memory)(self.instance, dice) };
    }

    /// Brings the first core into a state from which only a reset leads out.
    pub fn stop_core(&mut self) {
        // SAFETY: as in `reset`.
        unsafe { (self.functions.stop_core)(self.instance) };
    }

    /// A waveform of `cycles` cycles from cycle `from` on.
    ///
    /// # Errors
    /// [`ModelError::NoWaves`].
    pub fn wave(&mut self, path: &Path, from: u64, cycles: u64) -> Result<(), ModelError> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| ModelError::NoWaves)?;
        // SAFETY: as in `reset`; the string outlives the call, which copies it.
        match unsafe { (self.functions.wave)(self.instance, path.as_ptr(), from, cycles) } {
            0 => Ok(()),
            _ => Err(ModelError::NoWaves),
        }
    }
}

impl<H: Host> Drop for Device<H> {
    fn drop(&mut self) {
        // SAFETY: made by `garner_device_new`, freed once; and then its box, which nobody else points to any more.
        unsafe {
            (self.functions.free)(self.instance);
            drop(Box::from_raw(self.around));
        }
    }
}

/// SAFETY: `context` is an `Around<H>` that nobody else uses during the call, `data` has `length` bytes.
unsafe extern "C" fn read<H: Host>(
    context: *mut c_void,
    engine: u32,
    address: u64,
    data: *mut c_void,
    length: usize,
) -> c_int {
    // SAFETY: as above.
    let (around, data) =
        unsafe { (&mut *context.cast::<Around<H>>(), std::slice::from_raw_parts_mut(data.cast(), length)) };
    around.host.read(around.now(), engine, address, data).is_err().into()
}

/// SAFETY: as for `read`.
unsafe extern "C" fn write<H: Host>(
    context: *mut c_void,
    engine: u32,
    address: u64,
    data: *const c_void,
    length: usize,
) -> c_int {
    // SAFETY: as above.
    let (around, data) =
        unsafe { (&mut *context.cast::<Around<H>>(), std::slice::from_raw_parts(data.cast(), length)) };
    around.host.write(around.now(), engine, address, data).is_err().into()
}

/// SAFETY: as for `read`.
unsafe extern "C" fn interrupt<H: Host>(context: *mut c_void, lines: u32) {
    // SAFETY: as above.
    unsafe { (*context.cast::<Around<H>>()).host.interrupt(lines) };
}
