// SPDX-License-Identifier: Apache-2.0
//! Runs one batch along its paths, until every operation has an answer that passed its check, or an error.

use super::class::{Class, Kind};
use super::operation::{Operation, Output, Work};
use super::route::Route;
use crate::arithmetic::libcrypto::Libcrypto;
use crate::arithmetic::{Arithmetic, Power};
use crate::device::DeviceError;
use crate::error::{Error, Result};
use crate::kept::Block;
use crate::private_op::{self, PrivateOp, RunError};
use crate::secret::released;
use crate::stats::{Counter, Page};
use crate::words;
use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

/// Why an attempt gave nothing.
enum Failure {
    /// This path failed; another may do.
    Path(String),
    /// No path can do: there is no randomness, or no memory.
    All(Error),
}

/// A batch that was run.
pub struct Done {
    /// One for each operation, in order.
    pub answers: Vec<Result<Output>>,
    /// The path that computed it first; where none could, the one that was to.
    pub path: usize,
}

/// Runs `operations`, all of one class, first by path `first`. Counts into `page`.
///
/// A failed batch is run again on the next path; an operation with a wrong result on another path, and if it is wrong again,
/// by the last resort: that alone shares neither device nor host arithmetic with the others. (It has itself to turn to, once.)
pub fn run(
    route: &Route,
    arithmetic: &dyn Arithmetic,
    page: &Page,
    class: Class,
    first: usize,
    operations: &[&Operation],
) -> Done {
    let (order, last_resort) = (route.order(class, first), [route.last_resort()]);
    let attempts = Attempts { route, arithmetic, page, class };
    let Ran { place, faults, mut outputs } = match attempts.along(&order, operations) {
        Ok(ran) => ran,
        Err(error) => return Done { answers: operations.iter().map(|_| Err(error.clone())).collect(), path: first },
    };
    let answers = with_outputs(operations, &mut outputs)
        .zip(&faults)
        .map(|((operation, output), &fault)| if fault { Err(Error::Fault) } else { Ok(operation.to_bytes(output)) })
        .collect();
    let mut done = Done { answers, path: order[place] };
    let places: Vec<usize> = (0..faults.len()).filter(|&i| faults[i]).collect();
    if !places.is_empty() {
        page.add(Counter::Faults, places.len() as u64);
        let mut wrong = Wrong { places, by: vec![done.path] };
        let rest = match &order[place + 1..] {
            [] => &last_resort,
            rest => rest,
        };
        let mut again = |paths| attempts.again(paths, operations, &mut wrong, &mut done.answers);
        if again(rest).is_some_and(|path| path != last_resort[0]) {
            again(&last_resort);
        }
    }
    done
}

/// Operations that had wrong results so far.
struct Wrong {
    places: Vec<usize>,
    /// The paths that had all of them wrong.
    by: Vec<usize>,
}

/// How a batch ran.
struct Ran {
    /// The place in the order of the path that did it.
    place: usize,
    /// Who has a wrong result.
    faults: Vec<bool>,
    /// See [`with_outputs`].
    outputs: Block,
}

/// The operations with the places of their results: each as long as its modulus, one after the other.
fn with_outputs<'a>(
    operations: &'a [&Operation],
    mut outputs: &'a mut [u64],
) -> impl Iterator<Item = (&'a Operation, &'a mut [u64])> {
    operations.iter().map(move |operation| {
        let (output, rest) = mem::take(&mut outputs).split_at_mut(operation.output_words());
        outputs = rest;
        (*operation, output)
    })
}

/// What every attempt at a batch works with.
#[derive(Clone, Copy)]
struct Attempts<'a> {
    route: &'a Route,
    arithmetic: &'a dyn Arithmetic,
    page: &'a Page,
    class: Class,
}

impl Attempts<'_> {
    /// Runs by the first path of `order` that does not fail as a whole.
    fn along(&self, order: &[usize], operations: &[&Operation]) -> Result<Ran> {
        let Attempts { route, arithmetic, page, class } = *self;
        let words = operations.iter().map(|operation| operation.output_words()).sum();
        let mut error = Error::Fault;
        for (place, &index) in order.iter().enumerate() {
            if place > 0 {
                page.add(Counter::Retries, operations.len() as u64);
            }
            // For each attempt anew: nothing a failed device wrote is left.
            let mut outputs = Block::zeroed(words);
            let path = route.path(index);
            let _under_way = path.begin();
            let start = Instant::now();
            let attempt = || match class.kind {
                Kind::Private => attempt_private(route, index, operations, &mut outputs),
                Kind::Exponentiation => attempt_exponentiation(route, index, operations, &mut outputs),
                Kind::Public if index == route.last_resort() => {
                    public_by_host(arithmetic, page, operations, &mut outputs);
                    Ok(vec![false; operations.len()])
                }
                Kind::Public => attempt_public(route, index, operations, &mut outputs),
            };
            match catch_unwind(AssertUnwindSafe(attempt)).unwrap_or_else(|panic| Err(Failure::Path(message(&*panic)))) {
                Ok(faults) => {
                    path.went_well(class, operations.len(), start.elapsed().as_nanos() as u64);
                    return Ok(Ran { place, faults, outputs });
                }
                Err(Failure::All(error)) => return Err(error),
                Err(Failure::Path(reason)) => {
                    page.add(Counter::DeviceFailures, 1);
                    if route.failed(index, &reason) {
                        page.add(Counter::OutOfService, 1);
                    }
                    error = Error::Device { device: path.device.name().to_owned(), reason };
                }
            }
        }
        Err(error)
    }

    /// Runs again what is `wrong`, by the first of `paths` that does not fail as a whole. That path, if there was one and
    /// some are wrong still.
    fn again(
        &self,
        paths: &[usize],
        operations: &[&Operation],
        wrong: &mut Wrong,
        answers: &mut [Result<Output>],
    ) -> Option<usize> {
        self.page.add(Counter::Retries, wrong.places.len() as u64);
        let again: Vec<&Operation> = wrong.places.iter().map(|&i| operations[i]).collect();
        let mut ran = match self.along(paths, &again) {
            Ok(ran) => ran,
            Err(error) => {
                wrong.places.iter().for_each(|&i| answers[i] = Err(error.clone()));
                return None;
            }
        };
        let (mut still_wrong, mut proven) = (Vec::new(), 0);
        for ((&i, fault), (_, output)) in
            wrong.places.iter().zip(ran.faults).zip(with_outputs(&again, &mut ran.outputs))
        {
            if fault {
                still_wrong.push(i);
            } else {
                // What one path got right is sound, and those before were wrong.
                proven += usize::from(operations[i].proves_faults());
                answers[i] = Ok(operations[i].to_bytes(output));
            }
        }
        self.page.add(Counter::Faults, still_wrong.len() as u64);
        let out = wrong.by.iter().filter(|&&path| self.route.lied(path, proven)).count();
        self.page.add(Counter::OutOfService, out as u64);
        wrong.places = still_wrong;
        wrong.by.push(paths[ran.place]);
        Some(paths[ran.place]).filter(|_| !wrong.places.is_empty())
    }
}

fn attempt_private(
    route: &Route,
    index: usize,
    operations: &[&Operation],
    outputs: &mut [u64],
) -> Result<Vec<bool>, Failure> {
    let path = route.path(index);
    let mut batch = Vec::with_capacity(operations.len());
    for (operation, output) in with_outputs(operations, outputs) {
        if let Work::Private(key) = &operation.work {
            batch.push(PrivateOp { key, input: &operation.input, output });
        }
    }
    private_op::run(&*path.arithmetic, &*path.device, &mut batch).map_err(|error| match error {
        RunError::Device(DeviceError(reason)) => Failure::Path(reason),
        RunError::Random(reason) => Failure::All(Error::Random(reason)),
        RunError::Memory => Failure::All(Error::Memory),
    })
}

fn attempt_exponentiation(
    route: &Route,
    index: usize,
    operations: &[&Operation],
    outputs: &mut [u64],
) -> Result<Vec<bool>, Failure> {
    let mut jobs = Vec::with_capacity(operations.len());
    for (operation, result) in with_outputs(operations, outputs) {
        if let Work::Exponentiation { modulus, exponent } = &operation.work {
            jobs.push(Power { modulus, base: &operation.input, exponent, result });
        }
    }
    let device = &route.path(index).device;
    device.exponentiate(&mut jobs).map_err(|DeviceError(reason)| Failure::Path(reason))?;
    Ok(not_below_moduli(operations, outputs))
}

fn attempt_public(
    route: &Route,
    index: usize,
    operations: &[&Operation],
    outputs: &mut [u64],
) -> Result<Vec<bool>, Failure> {
    let device = &route.path(index).device;
    device
        .exponentiate_public(&mut public_jobs(operations, outputs))
        .map_err(|DeviceError(reason)| Failure::Path(reason))?;
    Ok(not_below_moduli(operations, outputs))
}

/// All that can be checked of an exponentiation that has no inverse.
fn not_below_moduli(operations: &[&Operation], outputs: &mut [u64]) -> Vec<bool> {
    with_outputs(operations, outputs)
        .map(|(operation, output)| !released(words::less(output, operation.modulus().words())))
        .collect()
}

fn public_jobs<'a>(operations: &'a [&Operation], outputs: &'a mut [u64]) -> Vec<Power<'a>> {
    let mut jobs = Vec::with_capacity(operations.len());
    for (operation, result) in with_outputs(operations, outputs) {
        if let Work::Public(key) = &operation.work {
            jobs.push(Power { modulus: key.modulus(), base: &operation.input, exponent: key.exponent(), result });
        }
    }
    jobs
}

/// Public operations by the host's arithmetic, then by libcrypto.
fn public_by_host(arithmetic: &dyn Arithmetic, page: &Page, operations: &[&Operation], outputs: &mut [u64]) {
    let attempt = AssertUnwindSafe(|| arithmetic.power_public(&mut public_jobs(operations, outputs)));
    if catch_unwind(attempt).is_err() {
        page.add(Counter::DeviceFailures, 1);
        page.add(Counter::Retries, operations.len() as u64);
        Libcrypto.power_public(&mut public_jobs(operations, outputs));
    }
}

/// What a panic said.
fn message(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    format!("panicked: {}", text.unwrap_or("no reason given"))
}
