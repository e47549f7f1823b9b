//! garner-board: simulated boards behind vfio-user sockets.

use clap::Parser;
use garner_board::faults::Plan;
use garner_board::function::Function;
use garner_board::link::Timing;
use garner_board::memory::Memory;
use garner_board::model::{Model, ModelError};
use garner_board::simulation::{Events, Parts, Simulation, Statistics, Wave};
use garner_vfio_user::Error;
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::{Arc, Mutex};

/// Presents the accelerator, simulated, as a PCI function behind a vfio-user socket.
#[derive(Parser)]
#[command(
    version,
    after_help = "\
Examples:
  garner-board --model hw/build/board/default/libgarner_model.so --socket /tmp/board0
  garner-board --model MODEL --socket /tmp/board0 --socket /tmp/board1      two boards
  garner-board --model MODEL --socket /tmp/board0 --inject flip=0.1         one result in ten is wrong
  garner-board --model MODEL --socket /tmp/board0 --wave run.fst --wave-from 30000 --wave-cycles 5000

`make board` builds a model. A client that leaves leaves a reset board behind; its keys are overwritten."
)]
struct Arguments {
    /// The compiled design: a library made by hw/board/model/build.py.
    #[arg(long)]
    model: PathBuf,
    /// Where to listen; several times for several boards.
    #[arg(long, required = true)]
    socket: Vec<PathBuf>,
    /// The design's clock in MHz, which relates the link's time to cycles.
    #[arg(long, default_value_t = 100.0)]
    clock: f64,
    /// The link's latency in microseconds, for a read from address to data and for a write to be in memory.
    #[arg(long, default_value_t = 1.0)]
    latency: f64,
    /// The link's payload in MB/s and direction. The default is PCIe 2.0 x4: 2,000 MB/s less the heads of packets of 256 bytes.
    #[arg(long, default_value_t = 1820.0)]
    bandwidth: f64,
    /// Faults on purpose: flip=SHARE, lost-interrupt=SHARE, hang-after=RESULTS, with commas between.
    #[arg(long, value_name = "FAULTS")]
    inject: Option<Plan>,
    /// Write a waveform (FST) here, of the first board; the model must be built with --waves.
    #[arg(long, value_name = "FILE")]
    wave: Option<PathBuf>,
    /// The waveform's first cycle.
    #[arg(long, default_value_t = 0)]
    wave_from: u64,
    /// The waveform's length in cycles.
    #[arg(long, default_value_t = 100_000)]
    wave_cycles: u64,
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let mut threads = Vec::new();
    for (index, socket) in arguments.socket.iter().enumerate() {
        match board(&arguments, index == 0).map_err(|error| error.to_string()).and_then(|function| {
            let listener = listen(socket).map_err(|error| format!("{}: {error}", socket.display()))?;
            Ok((function, listener))
        }) {
            Ok((function, listener)) => {
                eprintln!("{}: a board is listening", socket.display());
                let name = socket.display().to_string();
                threads.push(std::thread::spawn(move || attend(&function, &listener, &name)));
            }
            Err(error) => {
                eprintln!("garner-board: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    for thread in threads {
        let _ = thread.join();
    }
    ExitCode::SUCCESS
}

/// Listens; a socket that nobody listens on any more is replaced.
fn listen(path: &Path) -> std::io::Result<UnixListener> {
    if std::os::unix::net::UnixStream::connect(path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    UnixListener::bind(path)
}

fn board(arguments: &Arguments, first: bool) -> Result<Function, ModelError> {
    let memory = Arc::new(Mutex::new(Memory::default()));
    let events = Events::default();
    let wave = arguments.wave.clone().filter(|_| first).map(|path| Wave {
        path,
        from: arguments.wave_from,
        cycles: arguments.wave_cycles,
    });
    let simulation = Simulation::start(Parts {
        model: Model::load(&arguments.model)?,
        timing: Timing {
            latency: (arguments.latency * arguments.clock).round() as u64,
            bytes_per_cycle: arguments.bandwidth / arguments.clock,
        },
        memory: Arc::clone(&memory),
        events: Arc::clone(&events),
        faults: arguments.inject.unwrap_or_default(),
        wave,
    })?;
    Ok(Function { simulation, memory, events })
}

/// Serves clients, one at a time, for ever.
fn attend(function: &Function, listener: &UnixListener, name: &str) {
    for stream in listener.incoming() {
        let before = function.simulation.statistics();
        let ended = match stream {
            Ok(stream) => function.serve(stream),
            Err(error) => Error::Socket(error),
        };
        let why = match ended {
            Error::Closed => "the client left".to_owned(),
            error => error.to_string(),
        };
        eprintln!("{name}: {why}; {}", summary(before, function.simulation.statistics()));
    }
}

/// What was simulated between two moments.
fn summary(before: Statistics, after: Statistics) -> String {
    let (cycles, awake) = (after.cycles - before.cycles, (after.awake - before.awake).as_secs_f64());
    format!(
        "{cycles} cycles in {awake:.2} s ({:.0} kcycles/s), {} bytes read, {} written, {} bus errors, {} interrupts",
        cycles as f64 / awake.max(1e-9) / 1e3,
        after.traffic.bytes_read - before.traffic.bytes_read,
        after.traffic.bytes_written - before.traffic.bytes_written,
        after.traffic.errors - before.traffic.errors,
        after.interrupts - before.interrupts,
    )
}
