// SPDX-License-Identifier: Apache-2.0
//! The vector arithmetic as it runs: the kernels that the processor has, and the code around them.

use super::{Expected, SECRETS, Traced};
use crate::scenarios::{Words, reference};
use crate::trace::Case;
use garner::arithmetic::vectors::Native;
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};

/// How so many jobs run.
fn shape(arithmetic: Native, jobs: usize) -> &'static str {
    match jobs {
        _ if arithmetic.name() == "avx2" => "double precision",
        _ if arithmetic.lanes() == 4 && jobs > 2 => "256-bit registers",
        1 | 2 => "folded over lanes",
        3 | 4 => "four lanes, or folded over eight",
        _ => "512-bit registers",
    }
}

/// What a call does with its numbers.
#[derive(Clone, Copy)]
enum Operation {
    Multiply,
    PowerSecret,
    PowerPublic,
}

/// The numbers of one job; for a multiplication `exponent` is the second factor.
#[derive(Clone)]
struct Numbers {
    modulus: Vec<u64>,
    base: Vec<u64>,
    exponent: Vec<u64>,
    /// The third factor of a multiplication.
    third: Vec<u64>,
    expected: Vec<u64>,
}

struct Call {
    operation: Operation,
    arithmetic: Native,
    secrets: [Vec<Numbers>; SECRETS],
    /// What the call works on: the same memory for every secret.
    moduli: Vec<Modulus>,
    current: Vec<Numbers>,
    results: Vec<Vec<u64>>,
}

impl Call {
    /// Random numbers; the last two secrets have the exponents (factors) zero and all ones (modulus - 1).
    fn new(arithmetic: Native, operation: Operation, jobs: usize, bits: usize, exponent_words: usize) -> Call {
        let mut random = Words(bits as u64);
        let secrets: [Vec<Numbers>; SECRETS] = std::array::from_fn(|secret| {
            let numbers = |_| {
                let modulus = random.odd(bits);
                let base = random.below(&modulus);
                let mut exponent = match operation {
                    Operation::Multiply => random.below(&modulus),
                    Operation::PowerSecret => random.take(exponent_words),
                    Operation::PowerPublic => vec![65537],
                };
                match (operation, SECRETS - secret) {
                    (Operation::PowerPublic, _) | (_, 3..) => {}
                    (_, 2) => exponent.fill(0),
                    (Operation::Multiply, _) => {
                        exponent.clone_from(&modulus);
                        exponent[0] -= 1;
                    }
                    _ => exponent.fill(u64::MAX),
                }
                let third = random.below(&modulus);
                let expected = match operation {
                    Operation::Multiply => {
                        reference::multiply(&base, &reference::multiply(&exponent, &third, &modulus), &modulus)
                    }
                    _ => reference::power(&base, &exponent, &modulus),
                };
                Numbers { modulus, base, exponent, third, expected }
            };
            (0..jobs).map(numbers).collect()
        });
        let current = secrets[0].clone();
        let results = vec![vec![0; bits.div_ceil(64)]; jobs];
        Call { operation, arithmetic, secrets, moduli: Vec::with_capacity(jobs), current, results }
    }
}

impl Case for Call {
    fn select(&mut self, secret: usize) {
        self.moduli.clear();
        for (current, chosen) in self.current.iter_mut().zip(&self.secrets[secret]) {
            current.base.copy_from_slice(&chosen.base);
            current.exponent.copy_from_slice(&chosen.exponent);
            current.expected.copy_from_slice(&chosen.expected);
            current.third.copy_from_slice(&chosen.third);
            self.moduli.push(Modulus::new(&chosen.modulus).expect("odd"));
        }
    }

    fn call(&mut self) {
        let numbers = self.moduli.iter().zip(&self.current).zip(&mut self.results);
        if let Operation::Multiply = self.operation {
            let mut jobs: Vec<Multiply<'_>> = numbers
                .map(|((modulus, Numbers { base, exponent, third, .. }), result)| Multiply {
                    modulus,
                    a: base,
                    b: exponent,
                    c: Some(third),
                    result,
                })
                .collect();
            return self.arithmetic.multiply(&mut jobs);
        }
        let mut jobs: Vec<Power<'_>> = numbers
            .map(|((modulus, Numbers { base, exponent, .. }), result)| Power { modulus, base, exponent, result })
            .collect();
        match self.operation {
            Operation::PowerPublic => self.arithmetic.power_public(&mut jobs),
            _ => self.arithmetic.power_secret(&mut jobs),
        }
    }

    fn verify(&mut self) -> bool {
        self.results.iter().zip(&self.current).all(|(result, numbers)| *result == numbers.expected)
    }
}

pub fn all(long: bool) -> Vec<Traced> {
    Native::available().into_iter().flat_map(|arithmetic| all_of(arithmetic, long)).collect()
}

fn all_of(arithmetic: Native, long: bool) -> Vec<Traced> {
    let mut all = Vec::new();
    let mut call = |name: &str, operation, jobs: usize, bits, exponent_words| {
        if jobs > arithmetic.lanes() && jobs != 16 {
            // Only several passes of the same.
            return;
        }
        let name = format!("{}: {name}, {bits} bits, {jobs} jobs, {}", arithmetic.name(), shape(arithmetic, jobs));
        let call = move || Call::new(arithmetic, operation, jobs, bits, exponent_words);
        all.push(Traced::new(name, Expected::Equal, call));
    };
    for bits in [512, 1024, 1536, 2048, 4096] {
        for jobs in [1, 2, 4, 8] {
            call("multiply", Operation::Multiply, jobs, bits, 0);
        }
    }
    for jobs in [1, 2, 4] {
        call("power_public", Operation::PowerPublic, jobs, 1024, 0);
    }
    for (jobs, bits) in [(2, 512), (4, 512), (8, 512), (2, 1024), (4, 1024), (8, 1024), (2, 1536), (8, 1536)] {
        call("power_secret", Operation::PowerSecret, jobs, bits, 1);
    }
    if arithmetic.lanes() == 8 {
        // Two passes, in turn where that is faster, from the second word on.
        call("power_secret", Operation::PowerSecret, 16, 512, 2);
    }
    if long {
        for jobs in [2, 4, 8] {
            call("power_secret", Operation::PowerSecret, jobs, 2048, 1);
        }
    }
    all
}
