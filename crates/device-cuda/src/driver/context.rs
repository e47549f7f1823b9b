// SPDX-License-Identifier: Apache-2.0
//! What every call of the driver needs: its errors, whether it may be used in this process, and the thread's current context.

use cudarc::driver::result::{self, DriverError};
use cudarc::driver::{CudaContext, sys};
use garner::device::DeviceError;
use garner::fork::generation;
use std::sync::atomic::{AtomicU64, Ordering};

/// An error of the driver, in its words.
pub(super) fn failed(what: &str) -> impl Fn(DriverError) -> DeviceError + '_ {
    move |error| {
        let text = error.error_string().map(|text| text.to_string_lossy().into_owned());
        DeviceError(format!("{what}: {}", text.unwrap_or_else(|_| format!("{error:?}"))))
    }
}

/// Whether the driver is this process's: that of the first that asks. It refuses to work in a child of a process that
/// uses it, and a lock of its own may be held there for ever.
pub(super) fn is_ours() -> bool {
    static LOADED_BY: AtomicU64 = AtomicU64::new(0);
    let ours = generation();
    match LOADED_BY.compare_exchange(0, ours, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(first) => first == ours,
    }
}

/// Puts back, when dropped, the context that was current in this thread: an application may use another GPU in it.
pub(super) struct CurrentContext(sys::CUcontext);

impl CurrentContext {
    pub(super) fn keep() -> Result<CurrentContext, DeviceError> {
        let before = result::ctx::get_current().map_err(failed("using the GPU"))?;
        Ok(CurrentContext(before.unwrap_or(std::ptr::null_mut())))
    }

    /// The same, and makes `context` current.
    pub(super) fn change_to(context: &CudaContext) -> Result<CurrentContext, DeviceError> {
        let before = CurrentContext::keep()?;
        context.bind_to_thread().map_err(failed("using the GPU"))?;
        Ok(before)
    }
}

impl Drop for CurrentContext {
    fn drop(&mut self) {
        // SAFETY: it was current, or none was.
        let _ = unsafe { result::ctx::set_current(self.0) };
    }
}
