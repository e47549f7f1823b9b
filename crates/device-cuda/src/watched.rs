// SPDX-License-Identifier: Apache-2.0
//! A queue with somebody who looks at the clock: a GPU that never finishes must not keep its callers for ever.
//!
//! This is the only place that waits for a GPU. What is not done in time never will be: the GPU is given up, with all of its
//! queues. Whoever waits gets an error, as from a GPU that is lost, and nothing of the queue is freed, for freeing would
//! wait, and the GPU may still write to where it was told to.

use super::machine::{Buffer, Machine, Queue};
use garner::device::DeviceError;
use garner_gpu_kernels::Kernel;
use std::mem::forget;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A queue that is waited for no longer than its machine's patience.
pub struct Watched<Q: Queue> {
    /// Some until dropped.
    queue: Option<Q>,
    /// Whether the GPU was given up; the same for all of its queues.
    given_up: Arc<AtomicBool>,
    patience: Duration,
}

impl<Q: Queue> Watched<Q> {
    /// A new queue of `machine`, all of whose queues share `given_up`.
    ///
    /// # Errors
    /// The GPU was given up; and those of [`Machine::queue`].
    pub fn new<M: Machine<Queue = Q>>(machine: &M, given_up: &Arc<AtomicBool>) -> Result<Watched<Q>, DeviceError> {
        answers(given_up)?;
        let (queue, given_up) = (Some(machine.queue()?), Arc::clone(given_up));
        Ok(Watched { queue, given_up, patience: machine.patience() })
    }

    /// What it goes through.
    #[cfg(test)]
    pub fn queue(&self) -> &Q {
        self.queue.as_ref().expect("some until dropped")
    }

    fn queue_mut(&mut self) -> &mut Q {
        self.queue.as_mut().expect("some until dropped")
    }

    /// [`Queue::reserve`]
    ///
    /// # Errors
    /// As [`Watched::wait`], or there is no memory left.
    pub fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError> {
        self.wait()?;
        self.queue_mut().reserve(buffer, words)
    }

    /// [`Queue::write`]; of a key's record nothing stays here.
    ///
    /// # Errors
    /// As [`Watched::wait`].
    pub fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError> {
        self.wait()?;
        let written = self.queue_mut().write(buffer, offset, words, fill);
        if buffer.0 >= Buffer::records(0).0 {
            self.wait()?;
            self.queue_mut().clear(buffer, words);
        }
        written
    }

    /// [`Queue::launch`]
    ///
    /// # Errors
    /// As [`Queue::launch`], or the GPU was given up.
    pub fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError> {
        answers(&self.given_up)?;
        self.queue_mut().launch(kernel, arrays, tiles, number)
    }

    /// Waits for all that was asked for, and has `take` read the first `words` words of `buffer`.
    ///
    /// # Errors
    /// As [`Watched::wait`].
    pub fn read(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) -> Result<(), DeviceError> {
        self.wait()?;
        self.queue_mut().fetch(buffer, words)?;
        self.wait()?;
        self.queue_mut().take(buffer, words, take);
        Ok(())
    }

    /// Zeroes so many words of these buffers, there and on the way there.
    ///
    /// # Errors
    /// As [`Watched::wait`].
    pub fn wipe(&mut self, buffers: &[(Buffer, usize)]) -> Result<(), DeviceError> {
        let mut result = self.wait();
        if answers(&self.given_up).is_ok() {
            for (buffer, words) in buffers {
                self.queue_mut().clear(*buffer, *words);
                result = result.and(self.queue_mut().wipe(*buffer, *words));
            }
        }
        result
    }

    /// Waits for all that was asked for.
    ///
    /// # Errors
    /// The GPU is lost, a kernel failed, or the GPU was given up: now, or by another of its queues.
    pub fn wait(&mut self) -> Result<(), DeviceError> {
        // Copies take microseconds, batches milliseconds, of which a sleep loses a few per cent at most.
        self.wait_by(|waited| {
            if waited < Duration::from_micros(50) {
                thread::yield_now();
            } else {
                thread::sleep((waited / 32).clamp(Duration::from_micros(20), Duration::from_millis(1)));
            }
        })
    }

    /// The same without sleeping, at the cost of a processor: for whoever measures.
    ///
    /// # Errors
    /// As [`Watched::wait`].
    pub fn spin(&mut self) -> Result<(), DeviceError> {
        self.wait_by(|_| std::hint::spin_loop())
    }

    /// Waits, between one look and the next by `pause`, which is told for how long.
    fn wait_by(&mut self, pause: impl Fn(Duration)) -> Result<(), DeviceError> {
        let start = Instant::now();
        loop {
            answers(&self.given_up)?;
            if self.queue_mut().is_done()? {
                return Ok(());
            }
            let waited = start.elapsed();
            if waited >= self.patience {
                self.given_up.store(true, Ordering::Release);
                let patience = self.patience.as_secs_f64();
                return Err(DeviceError(format!("not done within {patience} s: the GPU is given up")));
            }
            pause(waited);
        }
    }
}

/// That the GPU was not given up.
fn answers(given_up: &AtomicBool) -> Result<(), DeviceError> {
    let answers = !given_up.load(Ordering::Acquire);
    answers.then_some(()).ok_or_else(|| DeviceError("the GPU was given up: it did not answer".into()))
}

impl<Q: Queue> Drop for Watched<Q> {
    fn drop(&mut self) {
        // A GPU that failed otherwise lets go of what it had.
        let _ = self.wait();
        if answers(&self.given_up).is_err()
            && let Some(mut queue) = self.queue.take()
        {
            queue.abandon();
            forget(queue);
        }
    }
}
