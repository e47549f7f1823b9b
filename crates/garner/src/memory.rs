// SPDX-License-Identifier: Apache-2.0
//! What is done where there is no memory for a number: the operation is given up by a panic that its batch, or the call from
//! C, catches; it is no defect, and writes nothing to the standard error of the host.

use crate::error::Error;
use openssl::error::ErrorStack;
use std::panic::resume_unwind;

/// Unwinds, for want of memory for what `wanted` says.
pub fn give_up(wanted: &'static str) -> ! {
    resume_unwind(Box::new(wanted))
}

/// For functions of libcrypto's that fail for want of memory only.
pub trait OrGiveUp<T> {
    /// What it made.
    ///
    /// # Panics
    /// It failed: [silently](give_up) for want of memory, as a defect for another reason.
    fn or_give_up(self, wanted: &'static str) -> T;
}

impl<T> OrGiveUp<T> for Result<T, ErrorStack> {
    #[track_caller]
    fn or_give_up(self, wanted: &'static str) -> T {
        match self {
            Ok(made) => made,
            Err(errors) if Error::refused(&errors, wanted) == Error::Memory => give_up(wanted),
            Err(errors) => panic!("{wanted}: {errors}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use openssl::bn::{BigNum, BigNumContext};
    use std::panic::{catch_unwind, set_hook, take_hook};
    use std::sync::atomic::{AtomicUsize, Ordering};

    /// How often the hook is called that writes to standard error, and what the panic carries.
    fn told(of: Result<(), ErrorStack>) -> (usize, Option<&'static str>) {
        static TOLD: AtomicUsize = AtomicUsize::new(0);
        let before = take_hook();
        let here = std::thread::current().id();
        set_hook(Box::new(move |_| {
            TOLD.fetch_add(usize::from(std::thread::current().id() == here), Ordering::Relaxed);
        }));
        let payload = catch_unwind(|| of.or_give_up("memory for a number")).unwrap_err();
        set_hook(before);
        (TOLD.swap(0, Ordering::Relaxed), payload.downcast_ref().copied())
    }

    #[test]
    fn want_of_memory_is_silent_and_a_defect_is_not() {
        // libcrypto had no memory for an error either.
        assert_eq!(told(Err(ErrorStack::get())), (0, Some("memory for a number")));
        let mut number = BigNum::new().unwrap();
        let zero = BigNum::new().unwrap();
        let division = number.nnmod(&BigNum::from_u32(7).unwrap(), &zero, &mut BigNumContext::new().unwrap());
        assert_eq!(told(division), (1, None));
    }
}
