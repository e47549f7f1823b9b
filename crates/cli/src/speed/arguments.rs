// SPDX-License-Identifier: Apache-2.0
//! The options of `garner speed`, and what they may be.

use super::energy;
use crate::devices::{self, parse_seconds};
use clap::{Args, ValueEnum};
use std::fmt;
use std::path::PathBuf;
use std::thread;
use std::time::Duration;

const EXAMPLES: &str = "\
Examples:
  garner speed                                            RSA-1024 to 4096, the whole table
  garner speed --bits 2048 --callers 1,2,4,8,16,64,256    how throughput grows with the callers
  garner speed --bits 2048 --plot speed.svg               the same, drawn
  garner speed --operation exp --batch 256 --json         raw exponentiations, for a script
  garner speed --operation keygen,decrypt,latency         what the table leaves out
  taskset -c 0 garner speed                               on one core
  garner speed --json >day.json                           with the commit, and the machine's load before
  garner speed --from day.json --plot day.svg             the table and the picture of that run, once more
  garner speed --energy --bits 2048                       joules an operation, too, where they are counted
  garner speed --peer ./newest-openssl                    beside a second OpenSSL, see bench/

How it measures: each row gives every system the same number of threads and the same kind of work, in turn,
in many short rounds; a ratio is the median of the rounds' ratios. Times to a key scatter widely: of keygen
all figures are means over the threads' own times, over 50 keys by each system at least, however long these take. OpenSSL's threads each have their own
precomputed key; blinding is on, on both sides. All of Garner's results are checked by OpenSSL outside the
measured time. In whole batches the latency is that of the batch. Interrupted (Ctrl-C), it shows the rows measured
so far.";

/// Longest and shortest keys the library takes.
const BITS: std::ops::RangeInclusive<i64> = 512..=8_192;

/// Callers when a curve is to be drawn.
const CURVE: [usize; 7] = [1, 2, 4, 8, 16, 64, 256];

/// Callers otherwise.
const CALLERS: [usize; 3] = [1, 8, 64];

/// Keys asked for at once at most.
const KEYS: usize = 64;

/// Options of `garner speed`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Key sizes in bits, 512 to 8192
    #[arg(long, value_delimiter = ',', default_values_t = [1024, 2048, 3072, 4096], value_name = "LIST",
          value_parser = parse_bits)]
    pub bits: Vec<u32>,

    /// Operations: signing and verifying are PKCS#1 v1.5 with SHA-256, decrypting is OAEP with SHA-256, exp is a raw
    /// modular exponentiation, latency is that of one signature at a time
    #[arg(long, value_enum, value_delimiter = ',', default_values_t = [Kind::Sign, Kind::Verify], value_name = "LIST")]
    pub operation: Vec<Kind>,

    /// Numbers of threads that each wait for one answer at a time [default: 1,8,64; with --plot 1,2,4,8,16,64,256]
    #[arg(long, value_delimiter = ',', value_name = "LIST", value_parser = parse_callers)]
    pub callers: Option<Vec<usize>>,

    /// Also measure whole batches of this many operations, on one thread; 0 for none
    #[arg(long, value_name = "N", default_value_t = 64, value_parser = parse_batch)]
    pub batch: usize,

    /// Batches that may run at the same time; more than callers give Garner threads that the other systems have not
    /// [default: as many as processors, at most as many as callers]
    #[arg(long, value_name = "N", value_parser = parse_slots)]
    pub slots: Option<usize>,

    #[command(flatten)]
    pub device: devices::Choice,

    /// Measured time for each system in each row
    #[arg(long, value_name = "S", default_value_t = 1.0, value_parser = parse_seconds)]
    seconds: f64,

    /// Also measure energy, joules an operation, by the counters that Linux shows in this folder; they count whole
    /// processors, with all that runs there
    #[arg(long, value_name = "FOLDER", num_args = 0..=1, require_equals = true, default_missing_value = energy::POWERCAP)]
    pub energy: Option<PathBuf>,

    /// Print JSON
    #[arg(long)]
    pub json: bool,

    /// Also draw throughput, ratio and latency against callers
    #[arg(long, value_name = "FILE.svg")]
    pub plot: Option<PathBuf>,

    /// Measure nothing: print the table, and draw the picture, of an earlier run with --json
    #[arg(long, value_name = "FILE.json", conflicts_with_all = ["json", "peer", "bits", "operation", "callers", "batch",
          "slots", "seconds", "device", "energy"])]
    pub from: Option<PathBuf>,

    /// Measure nothing: print commit, load and machine as a line of JSON, for benchmarks of other programs
    #[arg(long, hide = true, exclusive = true)]
    pub origin: bool,

    /// Also measure the program this shell command starts, which speaks the protocol of bench/peer
    #[arg(long, value_name = "COMMAND")]
    pub peer: Option<String>,
}

impl Arguments {
    /// The time for each system in each row.
    pub fn seconds(&self) -> Duration {
        Duration::from_secs_f64(self.seconds)
    }

    /// In which shapes an operation is measured.
    pub fn shapes(&self, kind: Kind) -> Vec<Shape> {
        let alone = Shape { callers: 1, batch: 1 };
        match kind {
            Kind::Latency => vec![alone],
            Kind::Keygen => {
                // Keys take long, and nothing is gathered: more threads than processors would only share them.
                let cores = thread::available_parallelism().map_or(1, usize::from);
                let batch = Shape { callers: 1, batch: self.batch.min(KEYS) };
                let mut shapes: Vec<Shape> = [batch, alone].into_iter().filter(|shape| shape.batch > 0).collect();
                shapes.push(Shape { callers: cores, batch: 1 });
                shapes.dedup();
                shapes
            }
            _ => self.every_shape(),
        }
    }

    fn every_shape(&self) -> Vec<Shape> {
        let callers = match (&self.callers, &self.plot) {
            (Some(callers), _) => callers,
            (None, Some(_)) => &CURVE[..],
            (None, None) => &CALLERS[..],
        };
        let batches = (self.batch > 0).then_some(Shape { callers: 1, batch: self.batch });
        batches.into_iter().chain(callers.iter().map(|&callers| Shape { callers, batch: 1 })).collect()
    }
}

/// What is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Kind {
    /// Sign messages
    Sign,
    /// Verify signatures
    Verify,
    /// Raise signatures to the public exponent, without hash and padding
    Public,
    /// Raise to secret exponents as long as the modulus, which libcrypto prepares anew each time
    Exp,
    /// Decrypt ciphertexts
    Decrypt,
    /// Generate keys
    Keygen,
    /// Sign one message at a time, by one caller alone
    Latency,
}

impl Kind {
    /// Whether figures are rates; else they are times.
    pub fn is_rate(self) -> bool {
        self != Kind::Latency
    }

    /// How many rounds are summed up.
    pub fn summary(self) -> Summary {
        match self {
            // The mean time to a key over 50, whatever their number in a round.
            Kind::Keygen => Summary::Mean { operations: 50 },
            _ => Summary::Median,
        }
    }
}

/// What rounds come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Summary {
    /// The medians of the rounds' rates and ratios: a round that was disturbed does not count.
    Median,
    /// All operations over all the time, and the ratio of these: for operations whose times scatter by themselves.
    Mean {
        /// Operations of each system at least.
        operations: u64,
    },
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Kind::Sign => "sign",
            Kind::Verify => "verify",
            Kind::Public => "public",
            Kind::Exp => "exp",
            Kind::Decrypt => "decrypt",
            Kind::Keygen => "keygen",
            Kind::Latency => "latency",
        })
    }
}

/// How operations come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shape {
    /// Threads.
    pub callers: usize,
    /// Operations each thread hands over at once.
    pub batch: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Shape { callers: 1, batch: 1 } => f.write_str("1 caller"),
            Shape { callers, batch: 1 } => write!(f, "{callers} callers"),
            Shape { batch, .. } => write!(f, "batches of {batch}"),
        }
    }
}

fn parse_bits(text: &str) -> Result<u32, String> {
    let bits = number(text)?;
    let range = || format!("RSA-{bits} is not supported; keys have {} to {} bits", BITS.start(), BITS.end());
    if BITS.contains(&bits) { Ok(bits as u32) } else { Err(range()) }
}

fn parse_callers(text: &str) -> Result<usize, String> {
    match number(text)? {
        callers @ 1..=4_096 => Ok(callers as usize),
        _ => Err("from 1 to 4096 threads".into()),
    }
}

fn parse_batch(text: &str) -> Result<usize, String> {
    match number(text)? {
        batch @ 0..=16_384 => Ok(batch as usize),
        _ => Err("from 0 to 16384 operations".into()),
    }
}

fn parse_slots(text: &str) -> Result<usize, String> {
    match number(text)? {
        slots @ 1..=1_024 => Ok(slots as usize),
        _ => Err("from 1 to 1024 slots".into()),
    }
}

fn number(text: &str) -> Result<i64, String> {
    text.trim().parse().map_err(|_| "not a whole number".into())
}
