// SPDX-License-Identifier: Apache-2.0
//! A compiled model of the design, loaded from the library that `hw/board/model/build.py` makes.

use libloading::{Library, Symbol};
use std::ffi::{CString, c_char, c_int, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

/// What the board drives into the design. The twin of `GarnerIn` in model/model.h; names are the ports'.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct In {
    pub rst_n: bool,
    pub awvalid: bool,
    pub wvalid: bool,
    pub bready: bool,
    pub arvalid: bool,
    pub rready: bool,
    pub awaddr: u16,
    pub araddr: u16,
    pub wdata: u32,
    pub m_arready: bool,
    pub m_rvalid: bool,
    pub m_rresp: u8,
    pub m_rlast: bool,
    pub m_awready: bool,
    pub m_wready: bool,
    pub m_bvalid: bool,
    pub m_bresp: u8,
    pub m_rdata: u64,
}

/// What the design drives in the same cycle. The twin of `GarnerOut`; one-bit signals are 0 or 1.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
#[allow(missing_docs)]
pub struct Out {
    pub awready: u8,
    pub wready: u8,
    pub bvalid: u8,
    pub bresp: u8,
    pub arready: u8,
    pub rvalid: u8,
    pub rresp: u8,
    pub m_arvalid: u8,
    pub m_arlen: u8,
    pub m_rready: u8,
    pub m_awvalid: u8,
    pub m_awlen: u8,
    pub m_wvalid: u8,
    pub m_wstrb: u8,
    pub m_wlast: u8,
    pub m_bready: u8,
    pub irq: u8,
    pub rdata: u32,
    pub m_araddr: u64,
    pub m_awaddr: u64,
    pub m_wdata: u64,
}

const VERSION: u32 = 2;

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
    #[error("this model writes no waveforms; build one with `hw/board/model/build.py --waves`")]
    NoWaves,
}

/// One instance of the design.
pub struct Model {
    instance: *mut c_void,
    cycle: unsafe extern "C" fn(*mut c_void, *const In, *mut Out),
    free: unsafe extern "C" fn(*mut c_void),
    flip_memory: unsafe extern "C" fn(*mut c_void, u64),
    stop_core: unsafe extern "C" fn(*mut c_void),
    wave_start: unsafe extern "C" fn(*mut c_void, *const c_char) -> c_int,
    wave_stop: unsafe extern "C" fn(*mut c_void),
    /// Keeps the code of the pointers above in memory.
    _library: Library,
}

// SAFETY: the instance is used by one thread at a time (`&mut self`) and depends on no thread-local state.
unsafe impl Send for Model {}

impl Model {
    /// A fresh instance, not yet reset.
    ///
    /// # Errors
    /// [`ModelError`] when the file is no such library or one of another version.
    pub fn load(path: &Path) -> Result<Model, ModelError> {
        let name = path.display().to_string();
        let failed = |error: libloading::Error| ModelError::Load { path: name.clone(), reason: error.to_string() };
        // SAFETY: loading runs the library's initialisers; the operator chose the file, as he chose this program.
        let library = unsafe { Library::new(path) }.map_err(failed)?;
        // SAFETY: the signatures are those of model.h; version and sizes are compared before any other call.
        unsafe {
            let version: Symbol<unsafe extern "C" fn() -> u32> =
                library.get(b"garner_model_version").map_err(failed)?;
            let sizes: Symbol<unsafe extern "C" fn() -> u32> = library.get(b"garner_model_sizes").map_err(failed)?;
            if version() != VERSION || sizes() != (size_of::<In>() << 16 | size_of::<Out>()) as u32 {
                return Err(ModelError::Version(name));
            }
            let new: Symbol<unsafe extern "C" fn() -> *mut c_void> =
                library.get(b"garner_model_new").map_err(failed)?;
            Ok(Model {
                instance: new(),
                cycle: *library.get(b"garner_model_cycle").map_err(failed)?,
                free: *library.get(b"garner_model_free").map_err(failed)?,
                flip_memory: *library.get(b"garner_model_flip_memory").map_err(failed)?,
                stop_core: *library.get(b"garner_model_stop_core").map_err(failed)?,
                wave_start: *library.get(b"garner_model_wave_start").map_err(failed)?,
                wave_stop: *library.get(b"garner_model_wave_stop").map_err(failed)?,
                _library: library,
            })
        }
    }

    /// One clock cycle: what the design drove just before the edge that took `pins`.
    pub fn cycle(&mut self, pins: &In) -> Out {
        let mut out = Out::default();
        // SAFETY: the instance lives until drop, the structures are those of model.h.
        unsafe { (self.cycle)(self.instance, pins, &mut out) };
        out
    }

    /// Turns over one bit of the memories in the cores, chosen by `dice`.
    pub fn flip_memory(&mut self, dice: u64) {
        // SAFETY: as in `cycle`.
        unsafe { (self.flip_memory)(self.instance, dice) };
    }

    /// Brings the first core into a state from which only a reset leads out.
    pub fn stop_core(&mut self) {
        // SAFETY: as in `cycle`.
        unsafe { (self.stop_core)(self.instance) };
    }

    /// Starts a waveform.
    ///
    /// # Errors
    /// [`ModelError::NoWaves`].
    pub fn wave_start(&mut self, path: &Path) -> Result<(), ModelError> {
        let path = CString::new(path.as_os_str().as_bytes()).map_err(|_| ModelError::NoWaves)?;
        // SAFETY: as in `cycle`; the string outlives the call.
        match unsafe { (self.wave_start)(self.instance, path.as_ptr()) } {
            0 => Ok(()),
            _ => Err(ModelError::NoWaves),
        }
    }

    /// Ends the waveform, if there is one.
    pub fn wave_stop(&mut self) {
        // SAFETY: as in `cycle`.
        unsafe { (self.wave_stop)(self.instance) };
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        // SAFETY: made by `garner_model_new`, freed once.
        unsafe { (self.free)(self.instance) };
    }
}
