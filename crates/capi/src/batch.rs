// SPDX-License-Identifier: Apache-2.0
//! Batches: an array of operations, each with its own status.

use crate::call::call;
use crate::context::Context;
use crate::handles::GarnerContext;
use crate::memory::{self, Output};
use crate::operation::{GarnerOperation, Outcome};
use crate::status::{Failure, Status};
use garner_remote::key::Task;
use garner_reserve::{OPERATION, Promise};
use std::ffi::c_int;
use std::ptr;

/// The caller's array. Its elements are as far apart as the first one says it is long.
struct Rows {
    first: *mut u8,
    stride: usize,
    count: usize,
}

impl Rows {
    /// The array at `first`, whose elements all state the same size.
    ///
    /// # Safety
    /// As `garner.h` says under "Memory", until the call ends.
    unsafe fn new(first: *mut GarnerOperation, count: usize) -> Result<Rows, Failure> {
        // SAFETY: the caller's promise; there is at least one element.
        let stride = unsafe { memory::stated_size(first.cast_const())? };
        if stride.checked_mul(count).is_none_or(|total| total > isize::MAX as usize) {
            return Err(Failure::argument("count", format!("{count} operations cannot be")));
        }
        let rows = Rows { first: first.cast(), stride, count };
        for index in 0..count {
            // SAFETY: as above.
            let size = unsafe { memory::stated_size(rows.at(index).cast_const()) };
            if size.as_ref() != Ok(&stride) {
                let text = format!("operation {index} does not state the size {stride} of the first");
                return Err(Failure::argument("operations", text));
            }
        }
        Ok(rows)
    }

    fn at(&self, index: usize) -> *mut GarnerOperation {
        self.first.wrapping_add(index * self.stride).cast()
    }

    /// A copy of an element.
    fn read(&self, index: usize) -> Result<GarnerOperation, Failure> {
        // SAFETY: by `new`, valid elements.
        unsafe { memory::structure(self.at(index).cast_const()) }
    }

    /// The place for the output of an element.
    fn output(&self, index: usize, operation: &GarnerOperation) -> Result<Output, Failure> {
        // SAFETY: by `new`, valid elements; a member's address within one is taken without following anything.
        unsafe {
            let length = ptr::addr_of_mut!((*self.at(index)).output_length);
            Output::new("output", operation.output, length)
        }
    }

    fn set_all(&self, status: Status) {
        (0..self.count).for_each(|index| self.set_status(index, status));
    }

    fn set_status(&self, index: usize, status: Status) {
        // SAFETY: by `new`, a valid element; alignment is not needed.
        unsafe { ptr::addr_of_mut!((*self.at(index)).status).write_unaligned(status as c_int) }
    }
}

/// See `garner.h`.
///
/// # Safety
/// As `garner.h` says under "Memory".
#[unsafe(no_mangle)]
pub unsafe extern "C" fn garner_run(
    gatherer: *mut GarnerContext,
    operations: *mut GarnerOperation,
    count: usize,
) -> c_int {
    call(|| {
        if count == 0 {
            return Ok(Status::Ok);
        }
        // SAFETY: the caller's promise.
        let rows = unsafe { Rows::new(operations, count)? };
        // Whatever becomes of this call: what has no status of its own yet did not succeed.
        rows.set_all(Status::Internal);
        Context::check(gatherer).inspect_err(|failure| rows.set_all(failure.status))?;
        let memory = Promise::of(count.saturating_mul(OPERATION)).ok_or_else(Failure::memory);
        let _promise = memory.inspect_err(|failure| rows.set_all(failure.status))?;

        let mut accepted = Vec::new();
        let mut waiting: Vec<Result<(Outcome, Output), Failure>> = Vec::new();
        for index in 0..count {
            let prepared = rows.read(index).and_then(|operation| {
                // SAFETY: the caller's promise.
                let prepared = unsafe { operation.prepare()? };
                let size = prepared.outcome.size();
                // A verification has no output, whatever its members say.
                let verdict = matches!(prepared.outcome, Outcome::Judge(_));
                let output = if verdict { Output::none() } else { rows.output(index, &operation)? };
                output.fits(size)?;
                Ok((prepared, output))
            });
            waiting.push(prepared.map(|(prepared, output)| {
                accepted.push(prepared.task);
                (prepared.outcome, output)
            }));
        }

        let answers = Task::run_all(|| Context::get(gatherer), accepted);
        let mut answers = answers.inspect_err(|failure| rows.set_all(failure.status))?.into_iter();
        let mut first = None;
        for (index, waiting) in waiting.into_iter().enumerate() {
            let result = waiting.and_then(|(outcome, output)| {
                let answer = answers.next().expect("an answer for every operation")?;
                output.write(&outcome.of(answer)?)
            });
            rows.set_status(index, result.as_ref().map_or_else(|failure| failure.status, |()| Status::Ok));
            if let Err(failure) = result {
                first.get_or_insert(Failure::new(failure.status, format!("operation {index}: {}", failure.text)));
            }
        }
        first.map_or(Ok(Status::Ok), Err)
    })
}
