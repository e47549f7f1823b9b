// SPDX-License-Identifier: Apache-2.0
//! `garner speed`: real keys and real messages, Garner and OpenSSL in turn, every result checked.
//!
//! | file | what it does |
//! |---|---|
//! | [`arguments`] | the options, and what they may be |
//! | [`keys`] | keys, messages and numbers to work on |
//! | [`round`] | some threads, one window of time |
//! | [`ours`], [`baseline`], [`peer`] | the systems measured |
//! | [`decrypt`], [`keygen`] | these operations, by both |
//! | [`energy`] | joules, where the machine counts them |
//! | [`measure`] | many rounds in turn, and what they come to |
//! | [`report`], [`show`] | the rows so far, of an interrupted run too, and where they are shown |
//! | [`table`], [`json`] (read again, too), [`plot`] (of [`panel`]s and a [`legend`]) | what is shown |

mod arguments;
mod baseline;
mod decrypt;
mod energy;
mod json;
mod keygen;
mod keys;
mod legend;
mod measure;
mod ours;
mod panel;
mod peer;
mod plot;
mod report;
mod round;
mod show;
mod table;

pub use arguments::Arguments;

use crate::failure::Failure;
use crate::files::{Destination, Input};
use crate::interruption::Interruptible;
use crate::machine::Machine;
use crate::output;
use arguments::{Kind, Shape};
use energy::{Energy, Meter};
use garner::arithmetic::Arithmetic;
use garner::gather::{Config, Gatherer};
use garner_origin::Origin;
use indicatif::{ProgressBar, ProgressStyle};
use keys::Keys;
use measure::{Row, Side};
use peer::Peer;
use report::Report;
use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;
use std::sync::Arc;

/// Longest report that is read again, in bytes.
const LONGEST: usize = 16 << 20;

/// Runs the command.
pub fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(path) = &arguments.from {
        return show_again(path, arguments);
    }
    let origin = Origin::now();
    if let Some(warning) = origin.warning() {
        output::complain(warning);
    }
    let config = arguments.device.config()?;
    let machine = Machine::here(&*config.arithmetic);
    if arguments.origin {
        return output::write(&json::origin(&origin, &machine));
    }
    // A path that cannot be written is refused now, not after two minutes of measuring.
    if let Some(path) = &arguments.plot {
        Destination::new(Some(path), true)?.try_out()?;
    }
    let peer = match &arguments.peer {
        Some(command) => Some(Rc::new(RefCell::new(Peer::start(command)?))),
        None => None,
    };
    let shapes = arguments.operation.iter().map(|&kind| arguments.shapes(kind).len());
    let all = arguments.bits.len() * shapes.sum::<usize>();
    let progress = progress(all);
    let bar = progress.clone();
    let command = table::command();
    let (json, plot) = (arguments.json, arguments.plot.clone());
    let (meter, energy) = meter(arguments);
    let report = Report { origin, machine, command, energy, rows: Vec::new(), all, json, plot };
    let report = Interruptible::new(report, move |report| {
        bar.finish_and_clear();
        report.show_what_there_is()
    })?;
    let outcome = measure_all(arguments, &config, peer.as_ref(), meter.as_ref(), &progress, &report);
    progress.finish_and_clear();
    report.complete(|report| match outcome {
        Ok(()) => report.show(),
        // What was measured before is worth as much, unless a result was wrong.
        Err(failure @ Failure::Check(_)) => Err(failure),
        Err(failure) => {
            let _ = report.show_what_there_is();
            Err(failure)
        }
    })
}

/// Shows what an earlier run has measured: the same table, and the same picture.
fn show_again(path: &Path, arguments: &Arguments) -> Result<(), Failure> {
    let input = Input::open(Some(path), "the report")?.read_all(LONGEST)?;
    let report = json::read(&input).map_err(|reason| Failure::Input(format!("{}: {reason}", path.display())))?;
    Report { plot: arguments.plot.clone(), ..report }.show()
}

/// The energy counters, if they were asked for and can be read; and what they show before anything is measured.
fn meter(arguments: &Arguments) -> (Option<Meter>, Option<Energy>) {
    let Some(folder) = &arguments.energy else { return (None, None) };
    let meter = Meter::open(folder).and_then(|meter| meter.idle_watts().map(|idle_watts| (meter, idle_watts)));
    match meter {
        Ok((meter, idle_watts)) => (Some(meter), Some(Energy::Measured { idle_watts })),
        Err(reason) => (None, Some(Energy::NotMeasurable(reason))),
    }
}

/// Measures row after row for the report.
fn measure_all(
    arguments: &Arguments,
    config: &Config,
    peer: Option<&Rc<RefCell<Peer>>>,
    meter: Option<&Meter>,
    progress: &ProgressBar,
    report: &Interruptible<Report>,
) -> Result<(), Failure> {
    let mut gatherers = Gatherers { config, made: Vec::new() };
    let names: Vec<&str> = config.devices.iter().map(|device| device.name()).collect();
    let device = if names.is_empty() { "libcrypto".to_owned() } else { names.join(", ") };
    for &bits in &arguments.bits {
        progress.set_message(format!("RSA-{bits}: making a key"));
        let keys = Keys::generate(bits)?;
        if let Some(peer) = peer {
            peer.borrow_mut().set_key(keys.der())?;
        }
        for &kind in &arguments.operation {
            for shape in arguments.shapes(kind) {
                progress.set_message(format!("RSA-{bits} {kind}, {shape}"));
                // Never more threads at work than callers: neither side gets help that the other has not.
                let slots = arguments.slots.unwrap_or(config.slots.min(shape.callers));
                let gatherer = gatherers.with_slots(slots);
                let mut sides = sides(&config.arithmetic, &gatherer, &keys, kind, shape)?;
                if let Some(peer) = peer {
                    sides.extend(peer::side(peer, kind, shape));
                }
                let before = gatherer.statistics();
                let outcomes = measure::contest(&mut sides, arguments.seconds(), kind.summary(), meter, progress)?;
                let fill = measure::fill(&before, &gatherer.statistics());
                let row = Row { kind, bits, device: device.clone(), shape, slots, fill, outcomes };
                report.with(|report| report.rows.push(row));
            }
        }
    }
    Ok(())
}

/// Gatherers by their slots, kept to the end: whoever watches `garner stats` sees figures that only grow.
struct Gatherers<'a> {
    config: &'a Config,
    made: Vec<(usize, Arc<Gatherer>)>,
}

impl Gatherers<'_> {
    fn with_slots(&mut self, slots: usize) -> Arc<Gatherer> {
        if let Some((_, gatherer)) = self.made.iter().find(|made| made.0 == slots) {
            return Arc::clone(gatherer);
        }
        let mut config = self.config.clone();
        config.slots = slots;
        let gatherer = Arc::new(Gatherer::new(config));
        self.made.push((slots, Arc::clone(&gatherer)));
        gatherer
    }
}

/// Garner and the libcrypto of this process.
fn sides(
    arithmetic: &Arc<dyn Arithmetic>,
    gatherer: &Arc<Gatherer>,
    keys: &Keys,
    kind: Kind,
    shape: Shape,
) -> Result<Vec<Box<dyn Side>>, Failure> {
    Ok(match kind {
        Kind::Sign | Kind::Latency => vec![ours::signing(gatherer, keys, shape)?, baseline::signing(keys, shape)?],
        Kind::Verify => vec![ours::verifying(gatherer, keys, shape)?, baseline::verifying(keys, shape)?],
        Kind::Public => vec![ours::public(gatherer, keys, shape)?, baseline::public(keys, shape)?],
        Kind::Decrypt => {
            let cases = decrypt::cases(keys)?;
            vec![decrypt::ours(gatherer, keys, &cases, shape), decrypt::baseline(keys, &cases, shape)?]
        }
        Kind::Keygen => vec![keygen::ours(arithmetic, keys.bits(), shape), keygen::baseline(keys.bits(), shape)?],
        Kind::Exp => {
            let powers = Arc::new(keys.powers()?);
            vec![ours::exponentiation(gatherer, &powers, shape)?, baseline::exponentiation(&powers, shape)?]
        }
    })
}

/// One step in a thousand per row; hidden where standard error is not a terminal.
fn progress(rows: usize) -> ProgressBar {
    let style = ProgressStyle::with_template("{bar:30} {percent:>3} %  {msg}  ({eta} left)");
    let style = style.unwrap_or_else(|_| ProgressStyle::default_bar());
    ProgressBar::new(rows as u64 * measure::STEPS).with_style(style)
}
