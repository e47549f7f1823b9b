// SPDX-License-Identifier: Apache-2.0
//! A stream of the GPU with buffers on both sides.
//!
//! Host memory that copies start from and end in is page-locked, so that the GPU fetches and delivers by itself.

use super::Driver;
use super::context::{CurrentContext, failed};
use super::function::Function;
use crate::machine::{Buffer, Queue};
use cudarc::driver::{CudaStream, result, sys};
use garner::device::DeviceError;
use garner_gpu_kernels::{Kernel, LANES};
use std::ffi::c_void;
use std::mem::ManuallyDrop;
use std::sync::Arc;
use zeroize::Zeroize;

/// A stream with buffers on both sides.
pub struct DriverQueue {
    /// Dropped with care like the stream, for that makes their context current.
    driver: ManuallyDrop<Arc<Driver>>,
    stream: ManuallyDrop<Arc<CudaStream>>,
    buffers: [Option<Memory>; Buffer::COUNT],
}

/// Memory on the GPU.
struct Memory {
    there: sys::CUdeviceptr,
    words: usize,
    /// Whether it is allocated and freed in the stream's order. What is freed otherwise waits for all of the GPU's streams.
    ordered: bool,
    /// What copies go through; made by the first, for tables are never copied.
    staging: Option<Staging>,
}

/// Page-locked memory of this host.
struct Staging {
    here: *mut u32,
    words: usize,
}

// SAFETY: the pointer is owned, and everything is done through `&mut DriverQueue`.
unsafe impl Send for Staging {}

impl Staging {
    fn new(words: usize) -> Result<Staging, DeviceError> {
        // SAFETY: the caller has bound the context; freed by `drop`.
        let here = unsafe { result::malloc_host(words * 4, 0) }.map_err(failed("allocating page-locked memory"))?;
        // SAFETY: `words` words, just allocated.
        unsafe { std::ptr::write_bytes(here.cast::<u32>(), 0, words) };
        Ok(Staging { here: here.cast(), words })
    }

    /// The first `words` words. No copy may be under way.
    fn words(&mut self, words: usize) -> &mut [u32] {
        assert!(words <= self.words, "within what was allocated");
        // SAFETY: initialised, that long, and borrowed with `self`.
        unsafe { std::slice::from_raw_parts_mut(self.here, words) }
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let all = self.words;
        self.words(all).zeroize();
        // SAFETY: from `malloc_host`, freed once.
        let _ = unsafe { result::free_host(self.here.cast()) };
    }
}

impl DriverQueue {
    /// A stream of its own, without any buffers yet.
    pub(super) fn new(driver: &Arc<Driver>) -> Result<DriverQueue, DeviceError> {
        let _before = CurrentContext::change_to(&driver.context)?;
        let stream = driver.context.new_stream().map_err(failed("making a stream"))?;
        let buffers = [const { None }; Buffer::COUNT];
        let (driver, stream) = (ManuallyDrop::new(Arc::clone(driver)), ManuallyDrop::new(stream));
        Ok(DriverQueue { driver, stream, buffers })
    }

    /// Makes the GPU's context current until what is returned is dropped.
    fn bind(&self) -> Result<CurrentContext, DeviceError> {
        CurrentContext::change_to(&self.driver.context)
    }

    fn memory(&self, buffer: Buffer, words: usize) -> &Memory {
        let memory = self.buffers[buffer.0].as_ref().expect("reserved before");
        assert!(words <= memory.words, "within what was reserved");
        memory
    }

    /// Where a buffer is there, and staging of at least `words` words for it. The caller has bound the context.
    fn staged(&mut self, buffer: Buffer, words: usize) -> Result<(sys::CUdeviceptr, &mut [u32]), DeviceError> {
        let memory = self.buffers[buffer.0].as_mut().expect("reserved before");
        assert!(words <= memory.words, "within what was reserved");
        if memory.staging.as_ref().is_none_or(|staging| staging.words < words) {
            memory.staging = None;
            memory.staging = Some(Staging::new(words.next_multiple_of(1 << 10))?);
        }
        let staging = memory.staging.as_mut().expect("made above");
        Ok((memory.there, staging.words(words)))
    }

    /// Wipes and frees; best effort, for the GPU may be lost.
    fn free(&mut self, buffer: usize) {
        let Some(Memory { there, words, ordered, staging }) = self.buffers[buffer].take() else { return };
        let stream = self.stream.cu_stream();
        // SAFETY: ours alone, and freed once, as it was allocated: in the stream's order, or after all that is in the stream.
        unsafe {
            let _ = result::memset_d8_async(there, 0, words * 4, stream);
            if ordered {
                let _ = result::free_async(there, stream);
            } else {
                let _ = result::stream::synchronize(stream);
                let _ = result::free_sync(there);
            }
        }
        drop(staging);
    }
}

impl Queue for DriverQueue {
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        if self.buffers[buffer.0].as_ref().is_some_and(|memory| memory.words >= words) {
            return Ok(());
        }
        let _before = self.bind()?;
        self.free(buffer.0);
        // A little more than is asked for, so that batches which grow slowly do not allocate each time.
        let words = words.next_multiple_of(1 << 16);
        let (stream, ordered) = (self.stream.cu_stream(), self.driver.context.has_async_alloc());
        // SAFETY: the context is bound; what is allocated is used in this stream only, and freed by `free`.
        let there =
            unsafe { if ordered { result::malloc_async(stream, words * 4) } else { result::malloc_sync(words * 4) } };
        let there = there.map_err(failed("allocating on the GPU"))?;
        self.buffers[buffer.0] = Some(Memory { there, words, ordered, staging: None });
        // SAFETY: just allocated, that long.
        unsafe { result::memset_d8_async(there, 0, words * 4, stream) }.map_err(failed("clearing memory"))
    }

    fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError> {
        self.memory(buffer, offset + words);
        let _before = self.bind()?;
        let stream = self.stream.cu_stream();
        let (there, here) = self.staged(buffer, words)?;
        here.fill(0);
        fill(here);
        // SAFETY: within the buffer there; the memory here stays until the stream was waited for.
        unsafe { result::memcpy_htod_async(there + 4 * offset as u64, here, stream) }
            .map_err(failed("copying to the GPU"))
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let Function(function) = self.driver.function(kernel)?;
        assert_eq!(arrays.len(), usize::from(kernel.program.parameters), "arrays of {}", kernel.name);
        let mut addresses: Vec<u64> =
            arrays.iter().map(|(buffer, offset)| self.memory(*buffer, *offset).there + 4 * *offset as u64).collect();
        let mut number = number;
        let mut arguments: Vec<*mut c_void> =
            addresses.iter_mut().map(|address| std::ptr::from_mut(address).cast()).collect();
        arguments.push(std::ptr::from_mut(&mut number).cast());
        let (grid, block, bytes) = ((tiles as u32, 1, 1), (LANES as u32, 1, 1), kernel.program.shared_bytes() as u32);
        // SAFETY: the arguments are those the kernel's PTX declares; the arrays are as long as its contract asks, which
        // the emulator checks for the same calls; nothing is freed before the stream was waited for.
        unsafe { result::launch_kernel(function, grid, block, bytes, self.stream.cu_stream(), &mut arguments) }
            .map_err(failed(&format!("starting {}", kernel.name)))
    }

    fn is_done(&mut self) -> Result<bool, DeviceError> {
        let _before = self.bind()?;
        // SAFETY: our stream.
        match unsafe { sys::cuStreamQuery(self.stream.cu_stream()) } {
            sys::CUresult::CUDA_ERROR_NOT_READY => Ok(false),
            result => result.result().map(|()| true).map_err(failed("waiting for the GPU")),
        }
    }

    fn fetch(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let stream = self.stream.cu_stream();
        let (there, here) = self.staged(buffer, words)?;
        // SAFETY: within the buffer there; waited for before anything else is done with the memory here.
        unsafe { result::memcpy_dtoh_async(here, there, stream) }.map_err(failed("copying from the GPU"))
    }

    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) {
        let staging = self.buffers[buffer.0].as_mut().and_then(|memory| memory.staging.as_mut());
        take(staging.expect("fetched before").words(words));
    }

    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        let _before = self.bind()?;
        let there = self.memory(buffer, words).there;
        // SAFETY: within the buffer.
        unsafe { result::memset_d8_async(there, 0, words * 4, self.stream.cu_stream()) }
            .map_err(failed("clearing memory"))
    }

    fn clear(&mut self, buffer: Buffer, words: usize) {
        if let Some(staging) = self.buffers[buffer.0].as_mut().and_then(|memory| memory.staging.as_mut()) {
            let words = words.min(staging.words);
            staging.words(words).zeroize();
        }
    }

    fn abandon(&mut self) {
        (0..Buffer::COUNT).for_each(|buffer| self.clear(Buffer(buffer), usize::MAX));
    }
}

impl Drop for DriverQueue {
    fn drop(&mut self) {
        let _before = CurrentContext::keep();
        if self.driver.context.bind_to_thread().is_ok() {
            (0..Buffer::COUNT).for_each(|buffer| self.free(buffer));
        }
        // SAFETY: neither is used again.
        unsafe {
            ManuallyDrop::drop(&mut self.stream);
            ManuallyDrop::drop(&mut self.driver);
        }
    }
}
