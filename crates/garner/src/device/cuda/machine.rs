//! What a GPU must be able to do: keep buffers, copy, run kernels. The driver's GPU is one machine, the emulator another,
//! so that everything above is tested without a GPU.

use crate::device::DeviceError;
use garner_gpu_kernels::Kernel;

/// A buffer of a queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Buffer(pub usize);

impl Buffer {
    /// One row per lane: the slot of its key.
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

    /// A queue of its own: work in different queues may run at the same time.
    ///
    /// # Errors
    /// The GPU is lost, or has no memory left.
    fn queue(&self) -> Result<Self::Queue, DeviceError>;
}

/// Copies and kernels, run in order, and buffers for them. Dropping it wipes and frees the buffers.
pub trait Queue: Send {
    /// Makes `buffer` at least `words` long. When it was shorter, what was in it is wiped and gone.
    ///
    /// # Errors
    /// The GPU is lost, or has no memory left.
    fn reserve(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError>;

    /// Has `fill` write `words` words, zero before, and copies them to `buffer`, from word `offset` on.
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

    /// Runs a kernel on `tiles` tiles of 32 numbers of arrays, each given by its buffer and its start in words.
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

    /// Waits for all that was asked for.
    ///
    /// # Errors
    /// The GPU is lost, or a kernel failed.
    fn wait(&mut self) -> Result<(), DeviceError>;

    /// Waits for all that was asked for, and has `take` read the first `words` words of `buffer`.
    ///
    /// # Errors
    /// The GPU is lost, or a kernel failed.
    fn read(&mut self, buffer: Buffer, words: usize, take: &mut dyn FnMut(&[u32])) -> Result<(), DeviceError>;

    /// Zeroes the first `words` words of `buffer`, there and on the way there.
    ///
    /// # Errors
    /// The GPU is lost.
    fn wipe(&mut self, buffer: Buffer, words: usize) -> Result<(), DeviceError>;
}
