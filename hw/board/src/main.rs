// SPDX-License-Identifier: Apache-2.0
//! garner-board: simulated boards behind vfio-user sockets.

use clap::Parser;
use garner_board::device::{Model, ModelError};
use garner_board::faults::Plan;
use garner_board::function::Function;
use garner_board::link::{Events, PLACED_CLOCK_MHZ, link_timing};
use garner_board::memory::Memory;
use garner_board::simulation::{Parts, Simulation, Wave};
use garner_vfio_user::Error;
use std::fs::OpenOptions;
use std::io::Write as _;
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
  garner-board --model MODEL --socket /tmp/board0
  garner-board --model MODEL --socket /tmp/board0 --socket /tmp/board1      two boards
  garner-board --model MODEL --socket /tmp/board0 --inject flip=0.1         one result in ten is wrong
  garner-board --model MODEL --socket /tmp/board0 --inject absent-after=9   pulled out after nine results
  garner-board --model MODEL --socket /tmp/board0 --wave run.fst --wave-from 30000 --wave-cycles 5000

`make board` builds a model. A client that leaves leaves a reset board behind; its keys are overwritten."
)]
struct Arguments {
    /// The compiled design: a library that `python -m garner_hw.device` built.
    #[arg(long)]
    model: PathBuf,
    /// Where to listen; several times for several boards.
    #[arg(long, required = true)]
    socket: Vec<PathBuf>,
    /// The design's clock in MHz, which relates the link's time to cycles. The default is the slowest of three placements.
    #[arg(long, default_value_t = PLACED_CLOCK_MHZ, value_parser = positive)]
    clock_mhz: f64,
    /// The link's latency in microseconds, for a read from address to data and for a write to be in memory.
    #[arg(long, default_value_t = 1.0, value_parser = not_negative)]
    latency: f64,
    /// The link's payload in MB/s and direction. The default is PCIe 2.0 x4: 2,000 MB/s less the heads of packets of 256 bytes.
    #[arg(long, default_value_t = 1820.0, value_parser = positive)]
    bandwidth: f64,
    /// Append a line of JSON to this file whenever a client leaves: what was done for it, in device time.
    #[arg(long, value_name = "FILE")]
    statistics: Option<PathBuf>,
    /// Faults on purpose, with commas between: flip=SHARE (of RSA's results), flip-memory=CYCLES (a bit of the cores'
    /// memories every so many), lost-interrupt=SHARE; after so many results, hang-after=N (its bus), hang-core-after=N
    /// (one core, until a reset), absent-after=N (pulled out); after so many completions, twice-after=N (each is written twice).
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
                let (name, file) = (socket.display().to_string(), arguments.statistics.clone());
                let clock = arguments.clock_mhz;
                threads.push(std::thread::spawn(move || attend(&function, &listener, &name, clock, file.as_deref())));
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

/// Listens; a socket that nobody listens on any more is replaced. The socket appears under its name when it takes clients in,
/// not between `bind` and `listen`: whoever waits for the file may connect.
fn listen(path: &Path) -> std::io::Result<UnixListener> {
    let mut unnamed = path.as_os_str().to_owned();
    unnamed.push(format!(".{}", std::process::id()));
    let listener = UnixListener::bind(&unnamed)?;
    if std::os::unix::net::UnixStream::connect(path)
        .is_err_and(|error| error.kind() == std::io::ErrorKind::ConnectionRefused)
    {
        std::fs::remove_file(path)?;
    }
    let named = std::fs::hard_link(&unnamed, path);
    std::fs::remove_file(&unnamed)?;
    match named {
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Err(std::io::ErrorKind::AddrInUse.into()),
        named => named.map(|()| listener),
    }
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
        timing: link_timing(arguments.latency, arguments.bandwidth, arguments.clock_mhz),
        memory: Arc::clone(&memory),
        events: Arc::clone(&events),
        faults: arguments.inject.unwrap_or_default(),
        wave,
    })?;
    Ok(Function { simulation, memory, events })
}

/// Serves clients, one at a time, for ever.
fn attend(function: &Function, listener: &UnixListener, name: &str, clock_mhz: f64, file: Option<&Path>) {
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
        let done = function.simulation.statistics().since(before);
        eprintln!("{name}: {why}; {done}");
        if let Some(path) = file
            && let Err(error) = append(path, &done.json(name, clock_mhz))
        {
            eprintln!("garner-board: {}: {error}", path.display());
        }
    }
}

fn append(path: &Path, line: &serde_json::Value) -> std::io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).open(path)?;
    // One write, so that the lines of several boards do not mix.
    file.write_all(format!("{line}\n").as_bytes())
}

fn positive(text: &str) -> Result<f64, String> {
    not_negative(text).and_then(|number| if number > 0.0 { Ok(number) } else { Err("must be above 0".to_owned()) })
}

fn not_negative(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(number) if number.is_finite() && number >= 0.0 => Ok(number),
        _ => Err("must be a number of at least 0".to_owned()),
    }
}
