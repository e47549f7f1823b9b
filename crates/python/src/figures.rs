// SPDX-License-Identifier: Apache-2.0
//! Statistics and devices, as `garner.figures` names them.

use crate::errors;
use crate::gatherer::gatherer;
use garner::arithmetic::libcrypto::Libcrypto;
use garner::device::{Cpu, Device};
use garner::gather::Gatherer;
use garner_devices::config;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use std::sync::Arc;

/// The figures of this process's gatherer: the fields of `garner.Statistics`.
#[pyfunction]
pub fn statistics(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    // The first use opens devices, which may be slow to answer.
    let figures = py.detach(|| gatherer().map(Gatherer::statistics)).map_err(|error| errors::raised(py, &error))?;
    let fields = PyDict::new(py);
    for (name, count) in [
        ("private_operations", figures.private_operations),
        ("public_operations", figures.public_operations),
        ("batches", figures.batches),
        ("public_batches", figures.public_batches),
        ("lanes_used", figures.lanes_used),
        ("lanes_offered", figures.lanes_offered),
        ("slots", figures.slots),
        ("queue", figures.queue),
        ("queue_high_water", figures.queue_high_water),
        ("faults", figures.faults),
        ("retries", figures.retries),
        ("device_failures", figures.device_failures),
        ("out_of_service", figures.out_of_service),
    ] {
        fields.set_item(name, count)?;
    }
    fields.set_item("mean_fill", figures.mean_fill())?;
    fields.set_item("load", figures.load())?;
    fields.set_item("device_seconds", figures.device_time.as_secs_f64())?;
    fields.set_item("running_seconds", figures.running.as_secs_f64())?;
    Ok(fields)
}

/// The devices of this machine, the preferred one first: name, shortest and longest modulus of one exponentiation in bits,
/// exponentiations wanted in one call. libcrypto is always there, as the last resort.
#[pyfunction]
pub fn devices(py: Python<'_>) -> PyResult<Vec<(String, usize, usize, usize)>> {
    let mut devices = py.detach(config).map_err(|error| errors::raised(py, &error))?.devices;
    let last: Arc<dyn Device> = Arc::new(Cpu::new(Arc::new(Libcrypto)));
    if !devices.iter().any(|device| device.name() == last.name()) {
        devices.push(last);
    }
    let fields = |device: Arc<dyn Device>| {
        let limits = device.limits();
        (device.name().to_owned(), limits.min_bits, limits.max_bits, device.preferred_batch())
    };
    Ok(devices.into_iter().map(fields).collect())
}
