// SPDX-License-Identifier: Apache-2.0
//! An emulated GPU for tests, with a fault of its own, that notes what it was asked for.

use super::emulated::EmulatedQueue;
use super::machine::{Buffer, Machine, Queue};
use garner::device::DeviceError;
use garner_gpu_kernels::{Kernel, LANES, Role};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

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

/// The GPU.
#[derive(Clone)]
pub struct Faulty {
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
    /// The kernels that were started.
    pub launched: Mutex<Vec<Role>>,
    /// How many tiles each of them was given.
    pub tiles: Mutex<Vec<usize>>,
    /// Queues that were made.
    pub queues: AtomicUsize,
    /// Queues that were abandoned while something was under way in them.
    pub abandoned: AtomicUsize,
}

impl Faulty {
    /// One that two tiles of numbers fill.
    pub fn new(fault: Fault) -> Faulty {
        Faulty { fault, width: 2 * LANES, seen: Arc::default() }
    }
}

/// Its queue.
pub struct FaultyQueue {
    queue: EmulatedQueue,
    fault: Fault,
    seen: Arc<Seen>,
    is_busy: bool,
    is_abandoned: bool,
}

impl Machine for Faulty {
    type Queue = FaultyQueue;

    fn name(&self) -> &str {
        "faulty"
    }

    fn model(&self) -> &str {
        "faulty"
    }

    fn width(&self) -> usize {
        self.width
    }

    fn has_tensor_cores(&self) -> bool {
        true
    }

    fn patience(&self) -> Duration {
        Duration::from_millis(50)
    }

    fn queue(&self) -> Result<FaultyQueue, DeviceError> {
        self.seen.queues.fetch_add(1, Ordering::Relaxed);
        let (queue, seen) = (EmulatedQueue::default(), Arc::clone(&self.seen));
        Ok(FaultyQueue { queue, fault: self.fault, seen, is_busy: false, is_abandoned: false })
    }
}

impl FaultyQueue {
    /// What nobody may do while the GPU may be at work on the queue.
    fn needs_idle(&self) {
        assert!(!self.is_busy && !self.is_abandoned, "used while something is under way");
    }
}

impl Queue for FaultyQueue {
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.needs_idle();
        self.queue.reserve(buffer, words)
    }

    fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError> {
        self.needs_idle();
        self.queue.write(buffer, offset, words, fill)
    }

    fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError> {
        assert!(!self.is_abandoned, "used after it was abandoned");
        self.seen.launched.lock().unwrap().push(kernel.role);
        self.seen.tiles.lock().unwrap().push(tiles);
        match self.fault {
            Fault::Lost => Err(DeviceError("the GPU has fallen off the bus".into())),
            Fault::Hangs => {
                self.is_busy = true;
                Ok(())
            }
            Fault::Skips(role) if role == kernel.role => Ok(()),
            Fault::None | Fault::Lies | Fault::Skips(_) => self.queue.launch(kernel, arrays, tiles, number),
        }
    }

    fn is_done(&mut self) -> Result<bool, DeviceError> {
        assert!(!self.is_abandoned, "used after it was abandoned");
        Ok(!self.is_busy)
    }

    fn fetch(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.needs_idle();
        self.queue.fetch(buffer, words)
    }

    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) {
        self.needs_idle();
        let lies = self.fault == Fault::Lies;
        self.queue.take(buffer, words, &mut |words| {
            let mut words = words.to_vec();
            words[4 * 20] ^= u32::from(lies);
            take(&words);
        });
    }

    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.needs_idle();
        self.queue.wipe(buffer, words)
    }

    fn clear(&mut self, buffer: Buffer, words: usize) {
        self.needs_idle();
        self.queue.clear(buffer, words);
    }

    fn abandon(&mut self) {
        assert!(!self.is_abandoned, "abandoned twice");
        self.is_abandoned = true;
        self.seen.abandoned.fetch_add(usize::from(self.is_busy), Ordering::Relaxed);
    }
}

impl Drop for FaultyQueue {
    fn drop(&mut self) {
        // A driver would wait here for ever.
        if !std::thread::panicking() {
            self.needs_idle();
        }
    }
}
