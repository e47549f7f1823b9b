//! Everything about Garner on a GPU in one run of some minutes: pipes, checks, rates, latencies, energy.
//!
//! | file | what it does |
//! |---|---|
//! | `pipes` | what the GPU's pipes can do |
//! | `kernels` | kernels alone |
//! | `operations` | private operations to and fro, and signatures through the gatherer |
//! | `samples` | times of batches |
//! | `energy` | the GPU's meter |
//! | `report` | what comes out |
//! | `plot` | rate and latency against the size of a batch |

mod energy;
mod kernels;
mod operations;
mod pipes;
mod plot;
mod report;
mod samples;

use clap::Parser;
use cudarc::driver::sys::CUdevice_attribute as Attribute;
use energy::Meter;
use garner::arithmetic;
use garner::device::DeviceError;
use garner::device::cuda::{Driver, Emulator, Gpu, Machine, OneKey, Style};
use garner_gpu_kernels::{PUBLIC_WORDS, Role};
use report::{Check, Report, Row};
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

/// Checks and measures everything Garner does on a GPU. Stops at the first wrong result.
#[derive(Parser)]
#[command(after_help = "\
Examples:
  garner-bench-gpu --out gpu.json                the whole run, about eight minutes
  garner-bench-gpu --bits 2048 --seconds 0.5     RSA-2048 only, quickly
  garner-bench-gpu --emulate --bits 1024         a trial run without a GPU: shows that the program works, measures nothing
  garner-bench-gpu --pipe-ptx FOLDER             the pipe probes as text, for an assembler")]
struct Arguments {
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
    /// Where a picture of rates and latencies against the size of a batch goes
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// A result of another library on the same GPU: {"name": "CGBN", "rows": [{"bits": 2048, "per_s": 900000}, …]}
    #[arg(long, value_name = "FILE.json")]
    peer: Option<PathBuf>,
    /// Without a GPU: the kernels, interpreted
    #[arg(long)]
    emulate: bool,
    /// Write the PTX of the pipe probes into this folder, and stop
    #[arg(long, value_name = "FOLDER")]
    pipe_ptx: Option<PathBuf>,
}

/// Time that the batches of many sizes leave for what comes after them, in seconds.
const FOR_ONE_KEY: f64 = 90.0;

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
    if let Some(folder) = &arguments.pipe_ptx {
        let written = std::fs::create_dir_all(folder).and_then(|()| {
            (0..pipes::COUNT).try_for_each(|i| std::fs::write(folder.join(format!("pipe_{i}.ptx")), pipes::text(i)))
        });
        return written.map_err(|error| format!("{}: {error}", folder.display()));
    }
    let arithmetic = arithmetic::best().map_err(|error| error.to_string())?;
    let report = Report {
        machine: report::Machine {
            gpu: String::new(),
            multiprocessors: 0,
            clock_mhz: 0.0,
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            kernels: arithmetic.name().to_owned(),
            openssl: openssl::version::version().to_owned(),
            seconds: SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_secs(),
        },
        command: std::env::args().collect::<Vec<_>>().join(" "),
        pipes: Vec::new(),
        checks: Vec::new(),
        rows: Vec::new(),
    };
    let mut run = Run { arguments, start, is_late: false, report, meter: None };
    let result = if arguments.emulate {
        run.all(&arithmetic, Emulator, &[1, 3], 32)
    } else {
        let driver = Driver::open(arguments.gpu).map_err(|error| error.0)?;
        let attribute = |attribute| driver.context().attribute(attribute).unwrap_or(0);
        let machine = &mut run.report.machine;
        machine.multiprocessors = attribute(Attribute::CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT) as u32;
        machine.clock_mhz = f64::from(attribute(Attribute::CU_DEVICE_ATTRIBUTE_CLOCK_RATE)) / 1e3;
        run.report.pipes = pipes::measure(driver.context());
        for pipe in &run.report.pipes {
            eprintln!("{:<40}{:>10.2} a clock and multiprocessor", pipe.name, pipe.per_clock_and_processor);
        }
        run.meter = Meter::open(arguments.gpu);
        let batches: Vec<usize> = (0..=16).map(|log| 1 << log).collect();
        run.all(&arithmetic, Arc::new(driver), &batches, 8192)
    };
    // What was measured before a failure is worth keeping.
    let report = &run.report;
    match &arguments.out {
        Some(file) => report.save(file)?,
        None => print!("{}", report.text()),
    }
    if let Some(file) = &arguments.plot {
        let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
        if let Some(picture) = plot::draw(&report.rows, &report.machine.gpu).map_err(|error| failed(&error))? {
            std::fs::write(file, picture).map_err(|error| failed(&error))?;
        }
    }
    result.and_then(|()| arguments.peer.as_deref().map_or(Ok(()), |file| compare(file, &report.rows)))
}

/// Another library's rates.
#[derive(serde::Deserialize)]
struct Peer {
    name: String,
    rows: Vec<PeerRow>,
}

#[derive(serde::Deserialize)]
struct PeerRow {
    bits: usize,
    per_s: f64,
}

/// Says how our kernels stand to the peer's.
fn compare(file: &std::path::Path, rows: &[Row]) -> Result<(), String> {
    let failed = |error: &dyn std::fmt::Display| format!("{}: {error}", file.display());
    let text = std::fs::read_to_string(file).map_err(|error| failed(&error))?;
    let peer: Peer = serde_json::from_str(&text).map_err(|error| failed(&error))?;
    for PeerRow { bits, per_s } in &peer.rows {
        let ours = rows.iter().filter(|row| row.op == "kernel" && row.bits == *bits).map(|row| row.garner_per_s);
        let ours = ours.fold(0.0, f64::max);
        eprintln!("RSA-{bits}: {ours:.0}/s against {per_s:.0}/s of {}: {:.2}", peer.name, ours / per_s);
    }
    Ok(())
}

/// A device's reason.
fn reason(error: DeviceError) -> String {
    error.0
}

struct Run<'a> {
    arguments: &'a Arguments,
    start: Instant,
    /// Whether something was left out for want of time.
    is_late: bool,
    report: Report,
    meter: Option<Meter>,
}

impl Run<'_> {
    fn all<M: Machine + Clone>(
        &mut self,
        arithmetic: &Arc<dyn arithmetic::Arithmetic>,
        machine: M,
        batches: &[usize],
        gathered: usize,
    ) -> Result<(), String> {
        self.report.machine.gpu = machine.model().to_owned();
        let of_one_key = machine.clone();
        let gpu = Arc::new(Gpu::new(machine));
        let machine = gpu.machine();
        eprintln!("{} {}, {} numbers at once", machine.name(), machine.model(), machine.width());
        let time = Duration::from_secs_f64(self.arguments.seconds);
        for &bits in &self.arguments.bits {
            let what = format!("exponentiations of {} bits, private operations of {bits} bits", bits / 2);
            self.check(what, || gpu.test(bits / 2).map_err(reason))?;
        }
        // The bars first, then what fills the curve.
        for &bits in &self.arguments.bits {
            let keys = operations::keys(bits, 8)?;
            let words = bits / 64;
            let full = machine.width() / 2;
            let usual = Style::usual(words);
            let mut walks = vec![Role::Walk(usual), Role::WalkAlike(usual)];
            if words == 32 && !self.arguments.emulate {
                let resident = Role::Walk(Style::Resident);
                self.check(format!("private operations of {bits} bits, Resident"), || {
                    match kernels::agree(machine, words, Role::Walk(usual), resident).map_err(reason)? {
                        true => Ok(()),
                        false => Err(format!("WRONG RESULT: private operations of {bits} bits, Resident")),
                    }
                })?;
                walks.push(resident);
            }
            for walk in walks {
                for count in [full, 2 * full] {
                    self.row(words, 0.0, |meter| {
                        kernels::private(machine, meter, words, walk, count, time).map_err(reason)
                    })?;
                }
            }
            // Batches that fill parts of the GPU: from where on is a thread for each number better?
            for count in [full / 32, full / 16, full / 8, full / 4] {
                for style in [usual, Style::Spread] {
                    self.row(words, 0.0, |_| {
                        kernels::private(machine, None, words, Role::Walk(style), count, time / 4).map_err(reason)
                    })?;
                }
            }
            let kernel = self.best(bits);
            let of_kernel = |row| Row { baseline: "kernel", baseline_per_s: kernel, ..row };
            // With mixed keys; then with one, as a server has it.
            for (keys, count) in [(&keys[..], full), (&keys, 2 * full), (&keys[..1], 2 * full)] {
                self.row(words, 0.0, |meter| {
                    operations::private(&gpu, &**arithmetic, meter, keys, count, time).map(of_kernel)
                })?;
            }
            self.row(words, 0.0, |_| {
                operations::gathered(Arc::clone(&gpu), arithmetic, &keys, gathered, 2 * time).map(of_kernel)
            })?;
            self.row(words, 0.0, |_| operations::by_openssl(bits, time))?;
            if let [.., ours, without] = &self.report.rows[..]
                && without.device == "openssl"
            {
                let beside = ours.garner_per_s / without.garner_per_s;
                eprintln!("RSA-{bits}: {beside:.1} times OpenSSL on all processors of this host");
            }
        }
        for words in PUBLIC_WORDS.into_iter().filter(|words| self.arguments.bits.contains(&(32 * words))) {
            let what = format!("public operations of {} bits", 32 * words);
            self.check(what, || gpu.test_public(32 * words).map_err(reason))?;
            self.row(words, 0.0, |meter| {
                kernels::public(machine, meter, words, machine.width() / 4, time / 2).map_err(reason)
            })?;
        }
        for &bits in &self.arguments.bits {
            // Private operations in batches of many sizes.
            let keys = operations::keys(bits, 8)?;
            for &count in batches {
                self.row(bits / 64, FOR_ONE_KEY, |meter| {
                    operations::private(&gpu, &**arithmetic, meter, &keys, count, time / 8)
                })?;
            }
        }
        for one_key in [OneKey::Tensor, OneKey::Constant] {
            // Last: who knows what state a form that fails leaves the GPU in.
            self.with_one_key(&Gpu::choosing(of_one_key.clone(), one_key), one_key, &**arithmetic, time)?;
        }
        Ok(())
    }

    /// A form for batches of one key that nothing uses by itself: the kernel alone, and whole operations. One that fails
    /// is said to, and stops nothing but itself; one whose results are wrong stops all.
    fn with_one_key<M: Machine>(
        &mut self,
        gpu: &Gpu<M>,
        one_key: OneKey,
        arithmetic: &dyn arithmetic::Arithmetic,
        time: Duration,
    ) -> Result<(), String> {
        let machine = gpu.machine();
        if one_key == OneKey::Tensor && !machine.has_tensor_cores() {
            eprintln!("{}: no tensor cores that multiply bytes", machine.name());
            return Ok(());
        }
        for &bits in &self.arguments.bits {
            let (words, full) = (bits / 64, machine.width() / 2);
            let walk = match one_key {
                OneKey::Tensor => Role::WalkTensor,
                _ => Role::WalkConstant(Style::usual(words)),
            };
            let what = format!("private operations of {bits} bits with one key, {one_key:?}");
            let kernels = || -> Result<(), String> {
                self.check(what, || gpu.test(bits / 2).map_err(reason))?;
                for count in [full, 2 * full] {
                    self.row(words, 0.0, |_| {
                        kernels::private(machine, None, words, walk, count, time).map_err(reason)
                    })?;
                }
                Ok(())
            };
            if let Err(reason) = kernels() {
                eprintln!("RSA-{bits}, one key, {one_key:?}: {reason}");
                return Ok(());
            }
            let form = |row: &&Row| row.device.ends_with(&format!("{one_key:?}")) && row.bits == bits;
            let kernel = self.report.rows.iter().filter(form).map(|row| row.garner_per_s).fold(0.0, f64::max);
            let keys = operations::keys(bits, 1)?;
            self.row(words, 0.0, |meter| {
                let row = operations::private(gpu, arithmetic, meter, &keys, 2 * full, time)?;
                let device = format!("{} {one_key:?}", row.device);
                Ok(Row { device, baseline: "kernel", baseline_per_s: kernel, ..row })
            })?;
        }
        Ok(())
    }

    /// Whether less than `left` seconds are left; says so once.
    fn is_late(&mut self, left: f64) -> bool {
        let is_late = self.start.elapsed().as_secs_f64() > self.arguments.limit - left;
        if is_late && !self.is_late {
            eprintln!("the time is up: what is missing was not measured");
        }
        self.is_late |= is_late;
        is_late
    }

    /// Measures and notes a row, unless fewer than `left` seconds are left.
    fn row(
        &mut self,
        words: usize,
        left: f64,
        measure: impl FnOnce(Option<&Meter>) -> Result<Row, String>,
    ) -> Result<(), String> {
        if self.is_late(left) {
            return Ok(());
        }
        let row = measure(self.meter.as_ref())?;
        self.add(row, words)
    }

    /// Has `check` say whether `what` is right, and notes that, unless the time is up.
    fn check(&mut self, what: String, check: impl FnOnce() -> Result<(), String>) -> Result<(), String> {
        if self.is_late(0.0) {
            return Ok(());
        }
        let start = Instant::now();
        check()?;
        let seconds = start.elapsed().as_secs_f64();
        eprintln!("{what}: right, {seconds:.1} s");
        self.report.checks.push(Check { what, seconds });
        Ok(())
    }

    /// The highest rate of a kernel so far.
    fn best(&self, bits: usize) -> f64 {
        let of = self.report.rows.iter().filter(|row| row.op == "kernel" && row.bits == bits);
        of.map(|row| row.garner_per_s).fold(0.0, f64::max)
    }

    fn add(&mut self, mut row: Row, words: usize) -> Result<(), String> {
        if row.op == "kernel" {
            // The bound: the products that an operation needs, at the rate of the pipe measured above.
            let wide = self.report.pipes.iter().find(|pipe| pipe.name == pipes::BOUND);
            let wide = wide.map_or(0.0, |pipe| pipe.per_clock_and_processor);
            let machine = &self.report.machine;
            let rate = wide * f64::from(machine.multiprocessors) * machine.clock_mhz * 1e6;
            row.baseline = "products";
            row.baseline_per_s = rate / kernels::products(words);
        }
        if row.baseline_per_s > 0.0 {
            row.ratio = row.garner_per_s / row.baseline_per_s;
        }
        let device = format!("{}{}", row.device, if row.one_key { ", one key" } else { "" });
        let energy = row.joules_per_op.map_or(String::new(), |joules| format!("{:10.2} uJ", joules * 1e6));
        eprintln!(
            "{:<8}{:>6} bits {device:<25} batch {:>6}: {:>12.0}/s  p50 {:>10.0} us  of {:<9}{:5.2}{energy}",
            row.op, row.bits, row.batch, row.garner_per_s, row.p50_us, row.baseline, row.ratio
        );
        self.report.rows.push(row);
        // A run that is stopped from outside shall not have been for nothing.
        self.arguments.out.as_deref().map_or(Ok(()), |file| self.report.save(file))
    }
}
