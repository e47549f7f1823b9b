// SPDX-License-Identifier: Apache-2.0
//! Kernels, compiled by the driver.

use super::context::failed;
use cudarc::driver::{result, sys};
use garner::device::DeviceError;
use garner_gpu_kernels::{Kernel, Role, ptx};
use std::ffi::{CStr, CString, c_void};

/// A compiled kernel; lives as long as the context.
#[derive(Clone, Copy)]
pub(super) struct Function(pub(super) sys::CUfunction);

// SAFETY: a handle that the driver lets every thread use.
unsafe impl Send for Function {}

/// Has the driver compile a kernel for the GPU whose context is bound to this thread.
pub(super) fn compile(kernel: &Kernel) -> Result<Function, DeviceError> {
    use sys::CUfunction_attribute_enum as Attribute;
    let what = format!("compiling {}", kernel.name);
    let text = CString::new(ptx::module(kernel)).expect("PTX has no zero bytes");
    let name = CString::new(kernel.name.to_string()).expect("names have no zero bytes");
    // SAFETY: the context is bound to this thread.
    let module = unsafe { load(&text, &what) }?;
    // SAFETY: the module was just loaded and is never unloaded.
    let handle = unsafe { result::module::get_function(module, name) }.map_err(failed(&what))?;
    // SAFETY: a function of this context.
    let kept =
        unsafe { result::function::get_function_attribute(handle, Attribute::CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES) };
    leaves_nothing(kernel, kept.map_err(failed(&what))?)?;
    let bytes = kernel.program.shared_bytes();
    if bytes > 0 {
        let set = |attribute, value: i32| {
            // SAFETY: a function of this context.
            unsafe { result::function::set_function_attribute(handle, attribute, value) }
        };
        set(Attribute::CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, bytes as i32).map_err(failed(&what))?;
        // In per cent, as room for as many warps as the registers allow. A wish; nothing depends on it.
        let _ = set(Attribute::CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT, 100);
    }
    Ok(Function(handle))
}

/// Refuses a kernel that works on secrets and keeps `bytes` of each thread in memory, which nothing wipes.
fn leaves_nothing(kernel: &Kernel, bytes: i32) -> Result<(), DeviceError> {
    let name = kernel.name;
    let reason = || format!("{name} is not used: the driver's compiler keeps {bytes} bytes of each thread in memory");
    let is_good = bytes == 0 || name.role == Role::Public;
    is_good.then_some(()).ok_or_else(|| DeviceError(reason()))
}

/// Loads a module; where it cannot, with what the driver's compiler says.
///
/// # Safety
/// The context is bound to this thread.
unsafe fn load(text: &CStr, what: &str) -> Result<sys::CUmodule, DeviceError> {
    use sys::CUjit_option::{CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES};
    let mut log = vec![0_u8; 4096];
    let mut options = [CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES];
    // A size is given as the pointer itself.
    let mut values = [log.as_mut_ptr().cast::<c_void>(), std::ptr::without_provenance_mut(log.len() - 1)];
    let mut module = std::ptr::null_mut();
    // SAFETY: PTX that ends with a zero byte, and two options with a value each; the log is one byte longer than they say.
    let loaded = unsafe {
        sys::cuModuleLoadDataEx(&mut module, text.as_ptr().cast(), 2, options.as_mut_ptr(), values.as_mut_ptr())
    };
    loaded.result().map(|()| module).map_err(|error| {
        let DeviceError(reason) = failed(what)(error);
        let said = CStr::from_bytes_until_nul(&log).map(|said| said.to_string_lossy().trim().replace('\n', "; "));
        match said {
            Ok(said) if !said.is_empty() => DeviceError(format!("{reason}: {said}")),
            _ => DeviceError(reason),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kernel_that_would_leave_words_of_secrets_in_memory_is_refused_with_the_reason() {
        let of = |role| Kernel::new(role, 64);
        let DeviceError(reason) = leaves_nothing(&of(Role::Walk), 48).unwrap_err();
        assert_eq!(
            reason,
            "garner_walk_2048 is not used: the driver's compiler keeps 48 bytes of each thread in memory"
        );
        assert!(leaves_nothing(&of(Role::Walk), 0).is_ok() && leaves_nothing(&of(Role::Public), 48).is_ok());
    }
}
