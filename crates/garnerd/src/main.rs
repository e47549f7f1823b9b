// SPDX-License-Identifier: Apache-2.0
//! `garnerd`: gathers the RSA private operations of many processes, and holds their keys.
//!
//! | module | subject |
//! |---|---|
//! | [`config`] | the configuration file |
//! | [`keys`], [`policy`] | the keys, and who may do what with them |
//! | [`lent`] | keys that programs lend |
//! | [`listen`], [`systemd`] | the socket, which the system's manager may hand over |
//! | [`descriptor_limit`] | as many as its clients and workers take |
//! | [`serve`] | the workers: collect, run, answer |
//! | [`collect`] | when a batch is whole |
//! | [`turns`] | whose requests come next |
//! | [`session`], [`clients`] | one connection, and all of them |
//! | [`expected`] | clients that are likely to ask soon |
//! | [`figures`], [`metrics`] | what was done, as OpenMetrics, and the socket that gives it |
//! | [`admission`], [`audit`] | whether a client may have a request done; the log's lines of keys |
//! | [`work`] | from a request to an operation, and from its output to an answer |

#![deny(unsafe_code)]

mod admission;
mod audit;
mod clients;
mod collect;
mod config;
mod descriptor_limit;
mod expected;
mod figures;
mod keys;
mod lent;
mod listen;
mod log;
mod metrics;
mod policy;
mod serve;
mod session;
#[cfg(test)]
mod simulation;
#[allow(unsafe_code, reason = "descriptors known by their numbers")]
mod systemd;
mod turns;
mod work;

use clap::Parser;
use clients::Limits;
use collect::Collector;
use config::{Config, Fault};
use garner::gather;
use keys::Keys;
use listen::Listener;
use log::say;
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, getpriority_process, set_dumpable_behavior, setpriority_process};
use sd_notify::NotifyState;
use serve::Daemon;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

const FILE: &str = "/etc/garner/garnerd.toml";

const EXAMPLES: &str = "\
Examples:
  garnerd --check                                        say what is wrong with configuration and keys, and end
  garnerd --config ./garnerd.toml
  garnerd --socket /tmp/garnerd/socket --keys ./keys     for a try; programs find it by GARNER_SOCKET

Configuration (/etc/garner/garnerd.toml; all of it may be left out):
  keys = \"/etc/garner/keys\"             # NAME.pem each, mode 600
  connections = 4096                    # at once; connections_per_user = 2048
  metrics = [\"127.0.0.1:9464\"]          # figures for Prometheus; \"/run/garnerd/metrics\" for garner stats
  linger_us = 1000                      # how long a batch yields its processor to clients that are expected
  nice = 5                              # at least so much it gives way, for clients to get to their requests first
  [key.www]                             # without users and groups a key is root's and the daemon's
  users = [\"www-data\"]                  # groups = [\"ssl-cert\"]
  operations = [\"sign\", \"decrypt\"]      # \"raw\": the private operation of any block
  paddings = [\"pkcs1v15\", \"pss\", \"oaep\"]
  per_second = 5000                     # for each user
  [lend]                                # who may have operations done with keys of their own (device = garnerd)
  users = [\"www-data\"]                  # groups, per_second; without, root and the daemon's user

Signals: SIGHUP reads configuration and keys again, SIGTERM and SIGINT end it.";

/// Gathers the RSA private operations of many processes, and holds their keys
#[derive(Parser)]
#[command(name = "garnerd", version, after_help = EXAMPLES)]
struct Arguments {
    /// The configuration; the default may be missing
    #[arg(long, value_name = "FILE", default_value = FILE)]
    config: PathBuf,

    /// Listen here instead of where the configuration says
    #[arg(long, value_name = "PATH")]
    socket: Option<PathBuf>,

    /// Take keys from this folder instead of the configuration's
    #[arg(long, value_name = "FOLDER")]
    keys: Option<PathBuf>,

    /// Only say whether configuration and keys are right
    #[arg(long)]
    check: bool,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            say(fault);
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Fault> {
    let here = |reason: &dyn ToString| Fault::of(Path::new("garnerd"), reason.to_string());
    // No other process of the daemon's user may look into this one, and no core is written.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(|error| here(&error))?;
    let (config, keys) = configuration(arguments)?;
    if arguments.check {
        println!("{} keys", keys.len());
        return Ok(());
    }
    if let Err(error) = give_way(config.nice) {
        // No reason not to serve.
        say(format_args!("nice = {}: {error}; under systemd the unit's Nice= sets it", config.nice));
    }
    let held = keys.len();
    let mut signals = Signals::new([SIGHUP, SIGTERM, SIGINT]).map_err(|error| here(&error))?;
    let (listener, handed) = Listener::open(&config.socket)?;
    let metrics = metrics::open(&config.metrics, handed)?;
    let settings = garner_devices::config().map_err(|error| here(&error))?;
    if let Err(permitted) = descriptor_limit::permit(config.connections as u64, serve::workers(&settings) as u64) {
        let wanted = config.connections;
        say(format_args!(
            "connections = {wanted}: the system permits {permitted} descriptors (`ulimit -n`), and clients beyond \
             them wait; under systemd the unit's LimitNOFILE= sets them"
        ));
    }
    let capacity = capacity(&settings);
    let collector = Collector { capacity, linger: Duration::from_micros(config.linger_us) };
    let limits = Limits { connections: config.connections, per_user: config.connections_per_user };
    let listening = listener.fd.try_clone().map_err(|error| here(&error))?;
    let daemon = Daemon::new(&settings, keys, listening, collector, limits);
    let daemon = Arc::new(daemon.map_err(|error| here(&error))?);
    for listener in metrics {
        let daemon = Arc::clone(&daemon);
        // It is not waited for: it may be in the midst of a reader that takes its time.
        thread::spawn(move || listener.serve(|| daemon.figures()));
    }
    thread::scope(|scope| {
        scope.spawn(|| daemon.work());
        say(format_args!("{held} keys, listening at {}", config.socket.display()));
        notify(&[NotifyState::Ready]);
        for signal in signals.forever() {
            if signal != SIGHUP {
                break;
            }
            reload(arguments, &daemon);
        }
        notify(&[NotifyState::Stopping]);
        daemon.end();
    });
    let (operations, batches) = daemon.done();
    let fill = operations as f64 / batches.max(1) as f64;
    say(format_args!("ended; {operations} operations in {batches} batches, {fill:.2} each"));
    Ok(())
}

/// Sets how much this thread, and those that it begins, give way to other processes; never to less than it is.
///
/// Where the processors are busy, a client that has not asked yet runs before the batch of one that has, so that batches are fuller.
fn give_way(nice: i32) -> Result<(), Errno> {
    if getpriority_process(None)? < nice { setpriority_process(None, nice) } else { Ok(()) }
}

/// Most operations in a worker's batch: the private operations, of two exponentiations each, that one slot does at once. Of a
/// larger batch the first part would be done while the rest waits for another slot, and its clients, who could ask again,
/// would wait for all of it.
fn capacity(settings: &gather::Config) -> usize {
    let exponentiations = settings.devices.iter().map(|device| device.preferred_batch()).max();
    exponentiations.map_or(1, |count| (count / 2).max(1))
}

/// The configuration with the command line over it, and the keys.
fn configuration(arguments: &Arguments) -> Result<(Config, Keys), Fault> {
    let mut config = if arguments.config == Path::new(FILE) && !arguments.config.exists() {
        Config::default()
    } else {
        Config::read(&arguments.config)?
    };
    if let Some(socket) = &arguments.socket {
        config.socket.clone_from(socket);
    }
    if let Some(keys) = &arguments.keys {
        config.keys.clone_from(keys);
    }
    let owners = keys::owners(&config.keys, arguments.check)?;
    let keys = Keys::read(&config, &arguments.config, &owners)?;
    Ok((config, keys))
}

/// Reads configuration and keys again. If anything is wrong with them, the daemon goes on with those it has.
fn reload(arguments: &Arguments, daemon: &Daemon) {
    match NotifyState::monotonic_usec_now() {
        Ok(now) => notify(&[NotifyState::Reloading, now]),
        Err(_) => notify(&[NotifyState::Reloading]),
    }
    match configuration(arguments) {
        Ok((_, keys)) => {
            let count = keys.len();
            daemon.replace(keys);
            say(format_args!("{count} keys, read again"));
        }
        Err(fault) => say(format_args!("{fault}; nothing was changed")),
    }
    notify(&[NotifyState::Ready]);
}

/// Tells the system's manager, if it wants to know.
fn notify(states: &[NotifyState<'_>]) {
    let _ = sd_notify::notify(states);
}
