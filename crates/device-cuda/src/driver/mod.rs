// SPDX-License-Identifier: Apache-2.0
//! The GPU behind NVIDIA's driver, which is loaded at run time: on a machine without it there is simply no GPU.

mod context;
mod function;
mod queue;

use super::machine::Machine;
use context::{CurrentContext, failed, is_ours};
use cudarc::driver::result::{self, DriverError};
use cudarc::driver::{CudaContext, sys};
use function::{Function, compile};
use garner::device::DeviceError;
use garner::environment;
use garner::fork::away_from_fork;
use garner::sync::lock;
use garner_gpu_kernels::{Kernel, LANES, Name};
pub use queue::DriverQueue;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::{Arc, Mutex};

/// Registers that each of a multiprocessor's four schedulers has for its warps, on every architecture there is.
const REGISTERS: usize = 16_384;
const SCHEDULERS: usize = 4;

/// One GPU.
pub struct Driver {
    name: String,
    model: String,
    width: usize,
    /// Bytes on the chip that a block may have.
    shared_limit: usize,
    /// Dropped with care, for that makes it current.
    context: ManuallyDrop<Arc<CudaContext>>,
    /// Compiled kernels by name, each behind a lock of its own: compiling one takes seconds, and holds up no other.
    functions: Mutex<HashMap<Name, Arc<Mutex<Option<Function>>>>>,
}

impl Driver {
    /// GPUs there are, at least one.
    ///
    /// # Errors
    /// There is none: no driver, one that does not work, this program has more rights than its user, or it is a child of a process that has loaded it.
    fn count() -> Result<usize, DeviceError> {
        let none = |reason: &str| Err(DeviceError(reason.into()));
        // The driver loads code and writes files that variables of the environment name.
        if environment::is_ignored() {
            return none("this program has more rights than its user, whose environment NVIDIA's driver would obey");
        }
        if !is_ours() {
            return none("a process that forked this one has loaded NVIDIA's driver, which works in no such child");
        }
        // The C library's loader is at work meanwhile.
        // SAFETY: loads NVIDIA's library if it is there, whose initialisers are trusted like libcrypto's.
        if !away_from_fork(|| unsafe { sys::is_culib_present() }) {
            return none("there is no driver of NVIDIA's: libcuda.so cannot be loaded");
        }
        match result::init() {
            Err(DriverError(sys::CUresult::CUDA_ERROR_NO_DEVICE)) => return none("NVIDIA's driver finds no GPU"),
            done => done.map_err(failed("starting NVIDIA's driver"))?,
        }
        match result::device::get_count().map_err(failed("counting GPUs"))? {
            count @ 1.. => Ok(count.unsigned_abs() as usize),
            _ => none("NVIDIA's driver finds no GPU"),
        }
    }

    /// The GPU of this number.
    ///
    /// # Errors
    /// The driver's reason.
    pub fn open(ordinal: usize) -> Result<Driver, DeviceError> {
        let count = Driver::count()?;
        if ordinal >= count {
            return Err(DeviceError(format!("there is no GPU number {ordinal}: NVIDIA's driver finds {count}")));
        }
        let _before = CurrentContext::keep()?;
        let context = CudaContext::new(ordinal).map_err(failed("opening the GPU"))?;
        let model = context.name().map_err(failed("asking for its name"))?;
        let attribute = |attribute| {
            context.attribute(attribute).map(|value| value.max(0) as usize).map_err(failed("asking for its limits"))
        };
        use sys::CUdevice_attribute as Attribute;
        let multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT)?;
        let shared_limit = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN)?;
        // Warps of the kernel that RSA-2048 spends its time in, blocks of one: 12 KB on the chip, besides what the driver
        // reserves for each, and 112 registers a thread.
        let shared = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR)?;
        // Older drivers do not know this one.
        let reserved = attribute(Attribute::CU_DEVICE_ATTRIBUTE_RESERVED_SHARED_MEMORY_PER_BLOCK).unwrap_or(0);
        let warps = (shared / (12_288 + reserved)).clamp(1, SCHEDULERS * (REGISTERS / (112 * LANES)));
        Ok(Driver {
            name: format!("cuda:{ordinal}"),
            model,
            width: multiprocessors * warps * LANES,
            shared_limit,
            context: ManuallyDrop::new(context),
            functions: Mutex::new(HashMap::new()),
        })
    }

    /// The context, for measurements beside the kernels.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The kernel, compiled by the driver when it is first asked for.
    fn function(&self, kernel: &Kernel) -> Result<Function, DeviceError> {
        let (bytes, limit) = (kernel.program.shared_bytes(), self.shared_limit);
        if bytes > limit {
            return Err(DeviceError(format!("{} needs {bytes} bytes on the chip, there are {limit}", kernel.name)));
        }
        let compiled = Arc::clone(lock(&self.functions).entry(kernel.name).or_default());
        let mut compiled = lock(&compiled);
        match *compiled {
            Some(function) => Ok(function),
            None => Ok(*compiled.insert(compile(kernel)?)),
        }
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _before = CurrentContext::keep();
        // SAFETY: not used again.
        unsafe { ManuallyDrop::drop(&mut self.context) };
    }
}

impl Machine for Arc<Driver> {
    type Queue = DriverQueue;

    fn name(&self) -> &str {
        &self.name
    }

    fn model(&self) -> &str {
        &self.model
    }

    fn width(&self) -> usize {
        self.width
    }

    fn queue(&self) -> Result<DriverQueue, DeviceError> {
        DriverQueue::new(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::fork::in_child;

    #[test]
    fn a_child_does_not_touch_the_driver_that_its_parent_may_have_loaded() {
        let _ = Driver::count();
        assert!(is_ours());
        assert!(in_child(|| {
            let refused = || Driver::open(0).is_err_and(|error| error.0.starts_with("a process that forked this one"));
            !is_ours() && refused()
        }));
    }

    #[test]
    fn a_gpu_that_is_not_there_is_refused_with_what_is_missing() {
        // No machine has so many.
        let DeviceError(reason) = Driver::open(9_999).err().unwrap();
        let known = ["there is no driver of NVIDIA's", "NVIDIA's driver finds no GPU", "there is no GPU number 9999: "];
        assert!(known.iter().any(|known| reason.starts_with(known)), "{reason}");
    }
}
