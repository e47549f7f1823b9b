// SPDX-License-Identifier: Apache-2.0
//! What a GPU must be able to do: keep buffers, copy, run kernels. The driver's GPU is one machine, the emulator another,
//! so that everything above is tested without a GPU.

use garner::device::DeviceError;
use garner_gpu_kernels::Kernel;
use std::time::Duration;

/// A buffer of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer(pub usize);

impl Buffer {
    /// One row per lane: where in the records its key's part is, for p first, then for q.
    pub const INDEX: Buffer = Buffer(0);
    /// Moduli.
    pub const MODULUS: Buffer = Buffer(1);
    /// R modulo them.
    pub const ONE: Buffer = Buffer(2);
    /// Exponents, most significant word first.
    pub const EXPONENT: Buffer = Buffer(3);
    /// Bases, twice as long as moduli.
    pub const BASE: Buffer = Buffer(4);
    /// Tables of powers.
    pub const TABLE: Buffer = Buffer(5);
    /// Powers.
    pub const POWER: Buffer = Buffer(6);
    /// q^-1 R mod p.
    pub const INVERSE: Buffer = Buffer(7);
    /// Results, twice as long as moduli.
    pub const RESULT: Buffer = Buffer(8);
    /// R² modulo moduli, for public operations.
    pub const SQUARE: Buffer = Buffer(9);
    /// Records of keys, one buffer for each length of primes.
    pub const fn records(length: usize) -> Buffer {
        Buffer(10 + length)
    }
    /// How many there are.
    pub const COUNT: usize = 10 + garner_gpu_kernels::HALF_WORDS.len();
}

/// A GPU.
pub trait Machine: Send + Sync + 'static {
    /// What its work goes through.
    type Queue: Queue;

    /// `cuda:0`
    fn name(&self) -> &str;

    /// The model, for people.
    fn model(&self) -> &str;

    /// Numbers it works on at the same time when full.
    fn width(&self) -> usize;

    /// How long a queue may take to finish what it was asked for before the GPU is given up: many times as long as the
    /// longest batches of a small GPU take that several processes share.
    fn patience(&self) -> Duration {
        Duration::from_secs(10)
    }

    /// A queue of its own: work in different queues may run at the same time.
    ///
    /// # Errors
    /// The GPU is lost, or has no memory left.
    fn queue(&self) -> Result<Self::Queue, DeviceError>;
}

/// Copies and kernels, run in order, and buffers for them.
///
/// Nothing here waits for the GPU: [`Watched`](super::Watched) does, and calls only `launch`, `is_done` and `abandon` while
/// something is under way. Dropping it wipes and frees the buffers.
pub trait Queue: Send {
    /// Makes `buffer` at least `words` long. When it was shorter, what was in it is wiped and gone.
    ///
    /// # Errors
    /// The GPU is lost, or has no memory left.
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError>;

    /// Has `fill` write `words` words, zero before, and starts copying them to `buffer`, from word `offset` on.
    ///
    /// # Errors
    /// The GPU is lost.
    fn write(
        &mut self,
        buffer: Buffer,
        offset: usize,
        words: usize,
        fill: &mut dyn FnMut(&mut [u32]),
    ) -> Result<(), DeviceError>;

    /// Starts a kernel on `tiles` tiles of 32 numbers of arrays, each given by its buffer and its start in words.
    ///
    /// # Errors
    /// The GPU is lost, or refuses the kernel.
    fn launch(
        &mut self,
        kernel: &Kernel,
        arrays: &[(Buffer, usize)],
        tiles: usize,
        number: u32,
    ) -> Result<(), DeviceError>;

    /// Whether all that was asked for is done.
    ///
    /// # Errors
    /// The GPU is lost, or a kernel failed.
    fn is_done(&mut self) -> Result<bool, DeviceError>;

    /// Starts copying the first `words` words of `buffer` here.
    ///
    /// # Errors
    /// The GPU is lost.
    fn fetch(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError>;

    /// Has `take` read the words that the last [`Queue::fetch`] brought.
    fn take(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32]));

    /// Starts zeroing the first `words` words of `buffer`.
    ///
    /// # Errors
    /// The GPU is lost.
    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError>;

    /// Zeroes what copies of up to `words` words of `buffer` left here.
    fn clear(&mut self, buffer: Buffer, words: usize);

    /// Zeroes all that copies left here, and leaves the rest to a GPU that will never be done: the queue is neither used nor
    /// dropped after that.
    fn abandon(&mut self);
}
