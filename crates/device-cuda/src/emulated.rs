// SPDX-License-Identifier: Apache-2.0
//! A GPU that is not there: the kernels, run by their interpreter. It notes what it was asked for, and may have a fault. Slow, and
//! for tests and trial runs of `bench/gpu` only.

use super::machine::{Buffer, Machine, Queue};
use garner::device::DeviceError;
use garner_gpu_kernels::interpreter::{Array, run};
use garner_gpu_kernels::{Kernel, LANES, Role};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use zeroize::Zeroize;

/// What is wrong with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It is gone: it runs nothing.
    Lost,
    /// It computes one bit wrongly, of number 20.
    Lies,
    /// It leaves out kernels that do this.
    Skips(Role),
    /// What it was asked for first is never done, and the rest not after that.
    Hangs,
}

/// The emulated GPU.
#[derive(Clone)]
pub struct Emulator {
    /// What is wrong with it.
    pub fault: Fault,
    /// Numbers at the same time.
    pub width: usize,
    /// What it was asked for.
    pub seen: Arc<Seen>,
}

/// What it was asked for.
#[derive(Default)]
pub struct Seen {
    /// For each kernel that was started, how many tiles it was given.
    pub launched: Mutex<Vec<usize>>,
    /// Queues that were made.
    pub queues: AtomicUsize,
    /// Queues that were abandoned while something was under way in them.
    pub abandoned: AtomicUsize,
}

impl Emulator {
    /// One that two tiles of numbers fill.
    pub fn new(fault: Fault) -> Emulator {
        Emulator { fault, width: 2 * LANES, seen: Arc::default() }
    }
}

/// Its queue: every call is done when it returns, if the GPU does not hang.
pub struct EmulatedQueue {
    buffers: [Vec<u32>; Buffer::COUNT],
    fault: Fault,
    seen: Arc<Seen>,
    is_busy: bool,
    is_abandoned: bool,
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
        self.width
    }

    /// Nothing but a fault makes anybody wait.
    fn patience(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn queue(&self) -> Result<EmulatedQueue, DeviceError> {
        self.seen.queues.fetch_add(1, Ordering::Relaxed);
        let (fault, seen) = (self.fault, Arc::clone(&self.seen));
        Ok(EmulatedQueue { buffers: Default::default(), fault, seen, is_busy: false, is_abandoned: false })
    }
}

impl EmulatedQueue {
    /// All of a buffer.
    pub fn buffer(&self, buffer: Buffer) -> &[u32] {
        &self.buffers[buffer.0]
    }

    /// What nobody may do while the GPU may be at work on the queue.
    fn needs_idle(&self) {
        assert!(!self.is_busy && !self.is_abandoned, "used while something is under way");
    }
}

impl Queue for EmulatedQueue {
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.needs_idle();
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
        self.needs_idle();
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
        assert!(!self.is_abandoned, "used after it was abandoned");
        self.seen.launched.lock().unwrap().push(tiles);
        match self.fault {
            Fault::Lost => return Err(DeviceError("the GPU has fallen off the bus".into())),
            Fault::Hangs => self.is_busy = true,
            Fault::Skips(role) if role == kernel.name.role => {}
            Fault::None | Fault::Lies | Fault::Skips(_) => {
                let array = |(buffer, offset): &(Buffer, usize)| Array { buffer: buffer.0, offset: *offset };
                let arrays: Vec<Array> = arrays.iter().map(array).collect();
                let mut buffers: Vec<&mut [u32]> = self.buffers.iter_mut().map(|buffer| &mut buffer[..]).collect();
                // A broken promise of a kernel is a failed launch, as it would be there.
                catch_unwind(AssertUnwindSafe(|| run(&kernel.program, &mut buffers, &arrays, tiles, number)))
                    .map_err(|_| DeviceError(format!("{} broke a promise", kernel.name)))?;
            }
        }
        Ok(())
    }

    fn is_done(&mut self) -> Result<bool, DeviceError> {
        assert!(!self.is_abandoned, "used after it was abandoned");
        Ok(!self.is_busy)
    }

    fn fetch(&mut self, _: Buffer, _: usize) -> Result<(), DeviceError> {
        self.needs_idle();
        Ok(())
    }

    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) {
        self.needs_idle();
        let mut words = self.buffers[buffer.0][..words].to_vec();
        words[4 * 20] ^= u32::from(self.fault == Fault::Lies);
        take(&words);
        words.zeroize();
    }

    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.needs_idle();
        self.buffers[buffer.0][..words].zeroize();
        Ok(())
    }

    /// Nothing: copies go through nothing here.
    fn clear(&mut self, _: Buffer, _: usize) {
        self.needs_idle();
    }

    fn abandon(&mut self) {
        assert!(!self.is_abandoned, "abandoned twice");
        self.is_abandoned = true;
        self.seen.abandoned.fetch_add(usize::from(self.is_busy), Ordering::Relaxed);
    }
}

impl Drop for EmulatedQueue {
    fn drop(&mut self) {
        // A driver would wait here for ever.
        if !std::thread::panicking() {
            self.needs_idle();
        }
        self.buffers.iter_mut().for_each(Zeroize::zeroize);
    }
}
