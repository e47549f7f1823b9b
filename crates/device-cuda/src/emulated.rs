// SPDX-License-Identifier: Apache-2.0
//! A GPU that is not there: the kernels, run by their interpreter. Slow, and for tests and trial runs of `bench/gpu` only.

use super::machine::{Buffer, Machine, Queue};
use garner::device::DeviceError;
use garner_gpu_kernels::Kernel;
use garner_gpu_kernels::interpreter::{Array, run};
use std::panic::{AssertUnwindSafe, catch_unwind};
use zeroize::Zeroize;

/// The emulated GPU.
#[derive(Debug, Clone, Copy, Default)]
pub struct Emulator;

/// Its queue: every call is done when it returns.
#[derive(Default)]
pub struct EmulatedQueue {
    buffers: [Vec<u32>; Buffer::COUNT],
}

impl Machine for Emulator {
    type Queue = EmulatedQueue;

    fn name(&self) -> &str {
        "emulated"
    }

    fn model(&self) -> &str {
        "interpreter of the kernels"
    }

    fn width(&self) -> usize {
        64
    }

    fn has_tensor_cores(&self) -> bool {
        true
    }

    fn queue(&self) -> Result<EmulatedQueue, DeviceError> {
        Ok(EmulatedQueue::default())
    }
}

impl EmulatedQueue {
    /// All of a buffer.
    pub fn buffer(&self, buffer: Buffer) -> &[u32] {
        &self.buffers[buffer.0]
    }
}

impl Queue for EmulatedQueue {
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        let buffer = &mut self.buffers[buffer.0];
        if buffer.len() < words {
            buffer.zeroize();
            *buffer = vec![0; words];
        }
        Ok(())
    }

    fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError> {
        let to = &mut self.buffers[buffer.0][offset..offset + words];
        to.fill(0);
        fill(to);
        Ok(())
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError> {
        let arrays: Vec<Array> =
            arrays.iter().map(|(buffer, offset)| Array { buffer: buffer.0, offset: *offset }).collect();
        let mut buffers: Vec<&mut [u32]> = self.buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
        // A broken promise of a kernel is a failed launch, as it would be there.
        catch_unwind(AssertUnwindSafe(|| run(&kernel.program, &mut buffers, &arrays, tiles, number)))
            .map(|_| ())
            .map_err(|_| DeviceError(format!("{} broke a promise", kernel.name)))
    }

    fn is_done(&mut self) -> Result<bool, DeviceError> {
        Ok(true)
    }

    fn fetch(&mut self, _: Buffer, _: usize) -> Result<(), DeviceError> {
        Ok(())
    }

    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) {
        take(&self.buffers[buffer.0][..words]);
    }

    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.buffers[buffer.0][..words].zeroize();
        Ok(())
    }

    /// Nothing: copies go through nothing here.
    fn clear(&mut self, _: Buffer, _: usize) {}

    fn abandon(&mut self) {}
}

impl Drop for EmulatedQueue {
    fn drop(&mut self) {
        self.buffers.iter_mut().for_each(Zeroize::zeroize);
    }
}
