// SPDX-License-Identifier: Apache-2.0
//! Everything about Garner on a GPU in one run of some minutes: pipes, checks, rates, latencies, energy.
//!
//! | file | what it does |
//! |---|---|
//! | `run` | the clock, the report, what went wrong |
//! | `plan` | what is measured, in which order |
//! | `pipes` | what the GPU's pipes can do |
//! | `kernels` | kernels alone |
//! | `operations` | private operations to and fro, and signatures through the gatherer |
//! | `samples` | times of batches |
//! | `energy` | the GPU's meter, and its clock |
//! | `report` | what comes out |

mod energy;
mod kernels;
mod operations;
mod pipes;
mod plan;
mod report;
mod run;
mod samples;

use clap::Parser;
use cudarc::driver::sys;
use energy::Meter;
use garner::arithmetic;
use garner::device::DeviceError;
use garner_device_cuda::{Driver, Emulator, Fault};
use plan::Plan;
use run::Run;
use std::ffi::CStr;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// Checks and measures everything Garner does on a GPU. What fails is noted, and the rest goes on.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  garner-bench-gpu --out gpu.json                the whole run, some minutes
  garner-bench-gpu --bits 2048 --seconds 0.5     RSA-2048 only, quickly
  garner-bench-gpu --emulate --bits 1024         a trial run without a GPU: shows that the program works, measures nothing
Ends with status 1 if a result was wrong or a measurement failed; \"complete\" and \"stopped_by\" in the report say whether
all was measured.")]
pub struct Arguments {
    /// Which GPU
    #[arg(long, default_value_t = 0, value_name = "N")]
    gpu: usize,
    /// Key sizes in bits
    #[arg(long, value_delimiter = ',', default_values_t = [2048, 3072, 4096, 1024], value_name = "LIST")]
    bits: Vec<usize>,
    /// Time for each measurement, in seconds
    #[arg(long, default_value_t = 2.0, value_name = "S")]
    seconds: f64,
    /// Stop measuring after so many seconds, and report what there is
    #[arg(long, default_value_t = 540.0, value_name = "S")]
    limit: f64,
    /// Where the report goes; else to the standard output
    #[arg(long, value_name = "FILE.json")]
    out: Option<PathBuf>,
    /// Without a GPU: the kernels, interpreted
    #[arg(long)]
    emulate: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse(), Instant::now()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("garner-bench-gpu: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments, start: Instant) -> Result<(), String> {
    let arithmetic = arithmetic::best().map_err(|error| error.to_string())?;
    let machine = report::Machine {
        gpu: String::new(),
        multiprocessors: 0,
        clock_mhz: 0.0,
        cores: std::thread::available_parallelism().map_or(1, usize::from),
        kernels: arithmetic.name().to_owned(),
        openssl: openssl::version::version().to_owned(),
        seconds: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
    };
    let mut run = Run::new(arguments, start, machine);
    // A place where nothing can be written is found before anything is measured.
    run.save()?;
    let arithmetic = &arithmetic;
    // Stays until all is written: letting go of a GPU that hangs would take for ever.
    let mut opened = None;
    if arguments.emulate {
        let machine = Emulator::new(Fault::None);
        Plan { machine, arithmetic, batches: &[1, 3], gathered: 32 }.run(&mut run);
    } else {
        let driver = Driver::open(arguments.gpu).map_err(|DeviceError(reason)| {
            run.report.stopped_by = Some(reason.clone());
            run.save().err().unwrap_or(reason)
        })?;
        let driver = opened.insert(Arc::new(driver));
        look_at(driver, &mut run);
        run.save()?;
        let batches: Vec<usize> = (0..=16).map(|log| 1 << log).collect();
        let machine = Arc::clone(driver);
        Plan { machine, arithmetic, batches: &batches, gathered: 8192 }.run(&mut run);
    }
    let result = end(&mut run);
    if run.is_hung() {
        if let Err(error) = &result {
            eprintln!("garner-bench-gpu: {error}");
        }
        leave_at_once(1);
    }
    result
}

/// What the driver says of a GPU, and what its pipes do.
fn look_at(driver: &Driver, run: &mut Run<'_>) {
    use sys::CUdevice_attribute as Attribute;
    let context = driver.context();
    let attribute = |attribute| context.attribute(attribute).unwrap_or(0);
    let machine = &mut run.report.machine;
    machine.multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) as u32;
    machine.clock_mhz = f64::from(attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)) / 1e3;
    run.report.pipes = pipes::measure(context);
    for pipe in &run.report.pipes {
        eprintln!("{:<40}{:>10.2} a clock and multiprocessor", pipe.name, pipe.per_clock_and_processor);
    }
    let mut place = [0_u8; 32];
    // SAFETY: one byte less than there are, so that a zero ends it.
    let found = unsafe { sys::cuDeviceGetPCIBusId(place.as_mut_ptr().cast(), 31, context.cu_device()) };
    run.meter =
        (found.result().is_ok()).then(|| CStr::from_bytes_until_nul(&place).ok().and_then(Meter::open)).flatten();
    if run.meter.is_none() {
        eprintln!("no library of NVIDIA's for meters: no energy, and bounds by the highest clock");
    }
}

/// Writes what there is, whatever went wrong before, and says what went wrong.
fn end(run: &mut Run<'_>) -> Result<(), String> {
    let result = run.finish();
    if run.arguments.out.is_none() {
        print!("{}", run.report.text());
    }
    result
}

/// Leaves without what a process does at its end: the driver's part of that would wait for a GPU that hangs.
fn leave_at_once(status: i32) -> ! {
    unsafe extern "C" {
        fn _exit(status: i32) -> !;
    }
    // SAFETY: has no preconditions.
    unsafe { _exit(status) }
}
