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
use garner_gpu_kernels::{Kernel, LANES, ptx};
pub use queue::DriverQueue;
use std::collections::HashMap;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

/// Registers that each of a multiprocessor's four schedulers has for its warps, on every architecture there is.
const REGISTERS: usize = 16_384;
const SCHEDULERS: usize = 4;

/// One GPU.
pub struct Driver {
    name: String,
    model: String,
    width: usize,
    /// Ten times its compute capability.
    architecture: u32,
    /// Bytes on the chip that a block may have.
    shared_limit: usize,
    /// Dropped with care, for that makes it current.
    context: ManuallyDrop<Arc<CudaContext>>,
    /// Compiled kernels by name, each behind a lock of its own: compiling one takes seconds, and holds up no other.
    functions: Mutex<HashMap<String, Arc<Mutex<Option<Function>>>>>,
    /// Bit i: a queue has place i of the kernels' variables in constant memory.
    constant_places: AtomicU32,
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
        let [major, minor] = [
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR)?,
            attribute(Attribute::CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR)?,
        ];
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
            architecture: (10 * major + minor) as u32,
            shared_limit,
            context: ManuallyDrop::new(context),
            functions: Mutex::new(HashMap::new()),
            constant_places: AtomicU32::new(0),
        })
    }

    /// The context, for measurements beside the kernels.
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.context
    }

    /// The kernel, compiled by the driver when it is first asked for; and the warps of a block, with their memory.
    fn function(&self, kernel: &Kernel) -> Result<(Function, usize, usize), DeviceError> {
        let bytes = kernel.program.shared_bytes();
        // Warps share nothing: blocks of one fill what memory on the chip there is best.
        let warps = if bytes == 0 { ptx::MOST_WARPS } else { 1 };
        if bytes > self.shared_limit {
            let limit = self.shared_limit;
            return Err(DeviceError(format!("{} needs {bytes} bytes on the chip, there are {limit}", kernel.name)));
        }
        let mut functions = lock(&self.functions);
        let compiled = Arc::clone(functions.entry(kernel.name.clone()).or_default());
        drop(functions);
        let mut compiled = lock(&compiled);
        if let Some(function) = *compiled {
            return Ok((function, warps, bytes));
        }
        let function = compile(kernel)?;
        *compiled = Some(function);
        Ok((function, warps, bytes))
    }

    /// A place of the kernels' variables in constant memory that no queue has.
    fn take_constant_place(&self) -> Result<usize, DeviceError> {
        let lowest_free = |places: u32| places.trailing_ones() as usize;
        let take = |places| (lowest_free(places) < ptx::CONSTANT_PLACES).then(|| places | 1 << lowest_free(places));
        let before = self.constant_places.fetch_update(Ordering::Relaxed, Ordering::Relaxed, take);
        before.map(lowest_free).map_err(|_| DeviceError("too many queues use constant memory".into()))
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

    fn has_tensor_cores(&self) -> bool {
        self.architecture >= ptx::TENSOR_CORES
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
