// SPDX-License-Identifier: Apache-2.0
//! What a batched private operation spends its cycles on, step by step, as [`garner::private_op`] takes them.

use super::Counted;
use super::rates::cycles;
use garner::arithmetic::vectors::kernels::{Assembly, Kernels};
use garner::arithmetic::vectors::{Native, Vectors};
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use garner::device::Cpu;
use garner::gather::{Config, Gatherer, Operation};
use garner::key::PrivateKey;
use garner::keygen::{Options, generate_one};
use garner::padding::{Hash, pkcs1v15};
use garner::private_op::{self, PrivateOp};
use std::sync::Arc;

/// Operations that the gatherer gets at once.
const BATCH: usize = 64;

/// Every step by itself, in cycles an operation, beside what its multiply-adds take at least at `rate` a cycle.
pub fn print(assembly: Assembly, native: Native, rate: f64) {
    println!("RSA  step                     cycles/op      limit  of limit  of the whole");
    for bits in [1024, 2048, 3072, 4096] {
        let options = Options { below_fips: true, ..Options::default() };
        let key = Arc::new(generate_one(&native, bits, &options).expect("a key"));
        steps(assembly, native, &key, rate);
    }
}

fn steps(assembly: Assembly, native: Native, key: &Arc<PrivateKey>, rate: f64) {
    let counted = Vectors::over(Counted(assembly));
    let (lanes, bits) = (assembly.lanes(), key.public().bits());
    let mut encoded = vec![0; key.public().size()];
    pkcs1v15::encode(Hash::Sha256, &[7; 32], &mut encoded).expect("room for a digest");
    let mut input = vec![0; bits / 64];
    garner::words::from_be_bytes(&encoded, &mut input).expect("room");

    let gatherer = Gatherer::new(Config::with(Arc::new(native), vec![Arc::new(Cpu::new(Arc::new(native)))]));
    let run = || {
        let operation = || Operation::private(key, &encoded).expect("below the modulus");
        let answers = gatherer.run_batch((0..BATCH).map(|_| operation()).collect());
        assert!(answers.iter().all(Result::is_ok));
    };
    let whole = cycles(run) / BATCH as f64;
    let report = |step: &str, operations: usize, work: &mut dyn FnMut(&dyn Arithmetic)| {
        let multiply_adds = Counted::multiply_adds(|| work(&counted)) as f64 / operations as f64;
        let cycles = cycles(|| work(&native)) / operations as f64;
        let limit = multiply_adds / rate;
        println!(
            "{bits:>4} {step:<24} {cycles:>9.0} {limit:>10.0} {:>7.1} % {:>11.1} %",
            100.0 * limit / cycles,
            100.0 * cycles / whole
        );
    };

    let mut powers = vec![vec![0; bits / 64]; 2 * lanes];
    report("powers", lanes, &mut |arithmetic| {
        let halves = [(key.p(), key.dp()), (key.q(), key.dq())];
        let jobs = powers.iter_mut().enumerate().map(|(i, result)| {
            let (modulus, exponent) = halves[i % 2];
            Power { modulus, base: &input, exponent, result: &mut result[..modulus.words().len()] }
        });
        arithmetic.power_secret(&mut jobs.collect::<Vec<_>>());
    });
    let mut results = vec![vec![0; bits / 64]; lanes];
    let n = key.public().modulus();
    let multiply = |modulus: &Modulus, c: Option<&[u64]>, results: &mut [Vec<u64>], arithmetic: &dyn Arithmetic| {
        let words = modulus.words().len();
        let (a, c) = (&input[..words], c.map(|c| &c[..words]));
        let jobs = results.iter_mut().map(|result| Multiply { modulus, a, b: a, c, result: &mut result[..words] });
        arithmetic.multiply(&mut jobs.collect::<Vec<_>>());
    };
    report("blind", lanes, &mut |arithmetic| multiply(n, Some(&input), &mut results, arithmetic));
    report("recombine: product", lanes, &mut |arithmetic| multiply(key.p(), None, &mut results, arithmetic));
    report("unblind", lanes, &mut |arithmetic| multiply(n, Some(&input), &mut results, arithmetic));
    report("check", lanes, &mut |arithmetic| {
        let exponent = key.public().exponent();
        let jobs = results.iter_mut().map(|result| Power { modulus: n, base: &input, exponent, result });
        arithmetic.power_public(&mut jobs.collect::<Vec<_>>());
    });
    let (cpu, mut outputs) = (Cpu::new(Arc::new(native)), vec![vec![0; bits / 64]; lanes]);
    report("all of private_op", lanes, &mut |arithmetic| {
        let operation = |output| PrivateOp { key, input: &input, output };
        let mut operations: Vec<_> = outputs.iter_mut().map(|output| operation(output)).collect();
        let wrong = private_op::run(arithmetic, &cpu, &mut operations).expect("the CPU does not fail");
        assert!(!wrong.contains(&true));
    });
    println!("{bits:>4} {:<24} {whole:>9.0}", "whole, by the gatherer");
}
