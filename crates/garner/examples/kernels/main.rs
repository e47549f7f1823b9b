// SPDX-License-Identifier: Apache-2.0
//! Measures the vector kernels against this processor's own limit, and RSA-sized powers against OpenSSL.
//!
//! Cycles are core cycles: the time divided by that of multiply-adds (without AVX-512 IFMA, of a chain of dependent additions),
//! measured beside it. The limit is the multiply-adds an operation executes, at the rate measured in the same run. Of many runs
//! the lower quartile.
//!
//! Run on one core: `taskset -c 1 cargo run --release --example kernels`; with the argument `each`, every kernel by
//! itself, with the bound of the port model where there is one of this processor; with `folded`, only numbers folded over
//! lanes; with `latencies`, what single instructions take, beside the port model; with `steps`, what an operation in batches
//! spends its cycles on; with `few`, how long one to eight secret powers take; with `exponents`, whether the time of windows
//! depends on the exponents. Without AVX-512 IFMA, the kernels in double precision. With `--for golden-cove`,
//! `sunny-cove`, `zen4` or `zen5`, nothing is measured: what the port model says of that processor is printed, on any.

use garner::arithmetic::vectors::class::{
    Blocks, CLASSES, Class, Composition, DOUBLE_PAIRS, DOUBLE_QUADS, DOUBLES, Direct, DirectKernels, PAIRS, QUADS,
};
use garner::arithmetic::vectors::field::Field;
use garner::arithmetic::vectors::kernels::{self, Assembly, At, InTurn, Kernel, Kernels, Sequence};
use garner::arithmetic::vectors::workspace::{Layout, Workspace};
use garner::arithmetic::vectors::{Native, Vectors};
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use openssl::rsa::{Padding, Rsa};
use std::sync::atomic::{AtomicUsize, Ordering};

mod exponents;
mod latencies;
mod model;
mod rates;
mod steps;

use rates::{cycle_seconds, cycles, madd_rate, product_rate};

fn main() {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some("--for") {
        return model::print(&arguments.next().unwrap_or_default());
    }
    let Some(assembly) = Assembly::new() else {
        return doubles();
    };
    if std::env::args().any(|argument| argument == "latencies") {
        return latencies::print();
    }
    if std::env::args().any(|argument| argument == "exponents") {
        return exponents::print(&assembly);
    }
    let madds_per_cycle = madd_rate();
    println!(
        "clock {:.2} GHz (dependent additions); {madds_per_cycle:.2} multiply-adds a cycle\n",
        1.0 / cycle_seconds() / 1e9
    );
    if std::env::args().any(|argument| argument == "each") {
        return each_kernel(&assembly, madds_per_cycle);
    }
    if std::env::args().any(|argument| argument == "steps") {
        return steps::print(assembly, Vectors::over(assembly), madds_per_cycle);
    }
    if std::env::args().any(|argument| argument == "few") {
        return few(Vectors::over(assembly));
    }
    folded(&assembly);
    if std::env::args().any(|argument| argument == "folded") {
        return;
    }
    println!("\neight lanes             limbs   madds    limit  cycles  of limit");
    CLASSES.iter().for_each(|class| operations_of(class, &assembly, madds_per_cycle));
    rsa(assembly, madds_per_cycle);
}

/// What processors without IFMA run.
fn doubles() {
    // Not every processor rounds as it should.
    let usable = Native::available().iter().any(|native| native.name() == "avx2");
    let Some(assembly) = Assembly::avx2().filter(|_| usable) else {
        println!("this processor has neither IFMA nor AVX2 and FMA: nothing to measure");
        return;
    };
    let rate = product_rate();
    println!(
        "clock {:.2} GHz (dependent additions); {rate:.2} fused multiply-adds a cycle, beside what else a product takes\n",
        1.0 / cycle_seconds() / 1e9
    );
    println!("double precision        limbs   madds    limit  cycles  of limit");
    DOUBLES.iter().for_each(|class| operations_of(class, &assembly, rate));
    println!("\ntwo numbers folded      limbs   madds    limit  cycles  of limit");
    DOUBLE_PAIRS.iter().for_each(|class| operations_of(class, &assembly, rate));
    println!("\none number folded       limbs   madds    limit  cycles  of limit");
    DOUBLE_QUADS.iter().for_each(|class| operations_of(class, &assembly, rate));
    rsa(assembly, rate);
}

/// The assembly, and a count of the multiply-adds it executes.
#[derive(Clone, Copy)]
struct Counted(Assembly);

static MULTIPLY_ADDS: AtomicUsize = AtomicUsize::new(0);

impl Counted {
    fn count(multiply_adds: usize) {
        // By one thread: no atomic addition, which takes as long as many multiply-adds.
        MULTIPLY_ADDS.store(MULTIPLY_ADDS.load(Ordering::Relaxed) + multiply_adds, Ordering::Relaxed);
    }

    /// What one run of `work` executes.
    fn multiply_adds(work: impl FnOnce()) -> usize {
        let before = MULTIPLY_ADDS.load(Ordering::Relaxed);
        work();
        MULTIPLY_ADDS.load(Ordering::Relaxed) - before
    }
}

impl Kernels for Counted {
    fn name(&self) -> &'static str {
        self.0.name()
    }

    fn classes(&self) -> &'static [Class; 8] {
        self.0.classes()
    }

    fn run(&self, kernel: &Kernel, memory: &mut [garner_kernels::Lanes], at: At) {
        Counted::count(kernel.multiply_adds);
        self.0.run(kernel, memory, at);
    }

    fn run_all(&self, sequence: &Sequence, memory: &mut [garner_kernels::Lanes]) {
        Counted::count(sequence.multiply_adds());
        self.0.run_all(sequence, memory);
    }

    fn for_lanes(&self, lanes: usize) -> Counted {
        Counted(self.0.for_lanes(lanes))
    }

    fn lanes(&self) -> usize {
        self.0.lanes()
    }

    fn halves_are_faster(&self) -> bool {
        self.0.halves_are_faster()
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        self.0.direct(direct)
    }

    fn in_turn(&self, direct: &'static Direct) -> Option<InTurn> {
        self.0.in_turn(direct)
    }

    fn composition(&self, blocks: &'static Blocks, windows: &dyn Fn(Composition) -> Sequence) -> Composition {
        self.0.composition(blocks, windows)
    }
}

/// Every kernel by itself, on the same operands again and again.
fn each_kernel(assembly: &Assembly, rate: f64) {
    let processor = model::this();
    match processor {
        Some(processor) => println!("bounds by the model of {}", processor.name),
        None => println!("there is no model of this processor's ports"),
    }
    println!("kernel                            madds    limit   bound  cycles  of limit");
    let mut workspace = Workspace::new(4000);
    for kernel in kernels::ALL.into_iter().chain(kernels::two_rows::ALL) {
        let cycles = cycles(|| assembly.run(kernel, workspace.rows(), [0, 400, 700, 1000, 1100, 1500]));
        let limit = kernel.multiply_adds as f64 / rate;
        let bound = processor.map_or("-".to_owned(), |processor| format!("{:.0}", model::bound(kernel, &processor)));
        println!(
            "{:<31} {:>7} {limit:>8.0} {bound:>7} {cycles:>7.0} {:>7.1} %",
            kernel.name,
            kernel.multiply_adds,
            100.0 * limit / cycles
        );
    }
}

fn folded(assembly: &Assembly) {
    // Of 256 bits, every processor with the instructions issues two a cycle.
    let (narrow, rate) = (assembly.for_lanes(4), 2.0);
    println!("two numbers folded      limbs   madds    limit  cycles  of limit");
    PAIRS.iter().for_each(|class| operations_of(class, &narrow, rate));
    println!("\none number folded       limbs   madds    limit  cycles  of limit");
    QUADS.iter().for_each(|class| operations_of(class, &narrow, rate));
}

fn operations_of(class: &'static Class, assembly: &Assembly, rate: f64) {
    let (n, layout, counted) = (class.limbs, Layout::of(class), Counted(*assembly));
    let mut workspace = Workspace::new(layout.with_table);
    let mut field = Field::new(&counted, class, workspace.rows());
    let wipe = cycles(|| drop(Workspace::new(layout.without_table)));
    println!("{:<24}{n:>5} {:>24.0}", "wipe", wipe);
    let [a, b, r] = layout.scratch;
    let shifted = layout.power;
    let mut report = |name: &str, work: &mut dyn FnMut(&mut Field<'_, Counted>)| {
        let madds = Counted::multiply_adds(|| work(&mut field));
        let (cycles, limit) = (cycles(|| work(&mut field)), madds as f64 / rate);
        println!("{name:<24}{n:>5} {madds:>7} {limit:>8.0} {cycles:>7.0} {:>7.1} %", 100.0 * limit / cycles);
    };
    report("square", &mut |field| field.square(a, a));
    report("four squares", &mut |field| field.square_times(a, 4));
    report("multiply", &mut |field| field.multiply(a, a, b));
    report("half multiply", &mut |field| field.half_multiply(a, b, shifted, a));
    report("half reduce", &mut |field| field.half_reduce(a, a));
    report("window", &mut |field| field.window());
    report("scan", &mut |field| field.scan());
    let words = vec![0x5555; 13 * n / 16];
    report("load", &mut |field| field.load(r, 0, |_| &words));
    report("unload", &mut |field| field.unload(r));
    report("canonical", &mut |field| field.canonical(r, a, 1));
}

/// Powers of so many jobs at once, of the primes of RSA keys.
fn few(native: Native) {
    println!("cycles of powers           1        2        3        4        5        6        7        8");
    for bits in [512, 1024, 1536, 2048] {
        let modulus = Modulus::new(&vec![u64::MAX; bits / 64]).expect("odd");
        let (base, exponent) = (vec![0x0123_4567_89ab_cdef; bits / 32], vec![0x5555_6666_7777_1234; bits / 64]);
        print!("{bits:>4} bits         ");
        for count in 1..=8 {
            let mut results = vec![vec![0; bits / 64]; count];
            let jobs =
                results.iter_mut().map(|result| Power { modulus: &modulus, base: &base, exponent: &exponent, result });
            let mut jobs: Vec<Power<'_>> = jobs.collect();
            print!("{:>9.0}", cycles(|| native.power_secret(&mut jobs)));
        }
        println!();
    }
}

fn rsa(assembly: Assembly, rate: f64) {
    let native = Vectors::over(Counted(assembly));
    let lanes = native.lanes();
    println!("\nRSA            cycles/op      limit  of limit   OpenSSL cycles   ratio");
    for bits in [1024, 2048, 3072, 4096] {
        let key = Rsa::generate(bits as u32).expect("a key");
        let words = |number: &openssl::bn::BigNumRef| -> Vec<u64> {
            let mut words = vec![0; (number.num_bytes() as usize).div_ceil(8)];
            garner::words::from_be_bytes(&number.to_vec(), &mut words).expect("room");
            words
        };
        let halves = [(key.p(), key.dmp1()), (key.q(), key.dmq1())].map(|(prime, exponent)| {
            (Modulus::new(&words(prime.expect("a prime"))).expect("odd"), words(exponent.expect("an exponent")))
        });
        let base = vec![0x0123_4567_89ab_cdef; bits / 64];
        let mut results = vec![vec![0; bits / 128]; lanes];
        let mut jobs: Vec<Power<'_>> = results
            .iter_mut()
            .enumerate()
            .map(|(i, result)| {
                let (modulus, exponent) = &halves[i % 2];
                Power { modulus, base: &base, exponent, result }
            })
            .collect();
        let ours = cycles(|| native.power_secret(&mut jobs)) / lanes as f64 * 2.0;
        let limit = Counted::multiply_adds(|| native.power_secret(&mut jobs)) as f64 / rate / lanes as f64 * 2.0;
        let mut signature = vec![0; bits / 8];
        let message = vec![1; bits / 8];
        let theirs = cycles(|| {
            key.private_decrypt(&message, &mut signature, Padding::NONE).expect("a private operation");
        });
        report(bits, "private", ours, limit, theirs);
        let alone = cycles(|| native.power_secret(&mut jobs[..2]));
        report(bits, "alone", alone, limit, theirs);

        let modulus = Modulus::new(&words(key.n())).expect("odd");
        let mut results = vec![vec![0; bits / 64]; lanes];
        let mut jobs: Vec<Power<'_>> = results
            .iter_mut()
            .map(|result| Power { modulus: &modulus, base: &base, exponent: &[65537], result })
            .collect();
        let ours = cycles(|| native.power_public(&mut jobs)) / lanes as f64;
        let limit = Counted::multiply_adds(|| native.power_public(&mut jobs)) as f64 / rate / lanes as f64;
        let theirs = cycles(|| {
            key.public_encrypt(&message, &mut signature, Padding::NONE).expect("a public operation");
        });
        report(bits, "public", ours, limit, theirs);
        let alone = cycles(|| native.power_public(&mut jobs[..1]));
        report(bits, "alone", alone, limit, theirs);

        let mut jobs: Vec<Multiply<'_>> = results
            .iter_mut()
            .map(|result| Multiply { modulus: &modulus, a: &base, b: &base, result, c: None })
            .collect();
        let ours = cycles(|| native.multiply(&mut jobs)) / lanes as f64;
        let limit = Counted::multiply_adds(|| native.multiply(&mut jobs)) as f64 / rate / lanes as f64;
        println!("{bits:>4} {:<8} {ours:>10.0} {limit:>10.0} {:>8.1} %", "product", 100.0 * limit / ours);
    }
}

fn report(bits: usize, what: &str, ours: f64, limit: f64, theirs: f64) {
    let (share, ratio) = (100.0 * limit / ours, theirs / ours);
    println!("{bits:>4} {what:<8} {ours:>10.0} {limit:>10.0} {share:>8.1} % {theirs:>14.0} {ratio:>8.2}");
}
