// SPDX-License-Identifier: Apache-2.0
//! Measures the vector kernels against this processor's own limit, and RSA-sized powers against OpenSSL.
//!
//! Cycles are core cycles: the time divided by that of a chain of dependent additions, measured beside it. The limit is
//! the multiply-adds an operation executes, at the rate measured in the same run. Best of many runs.
//!
//! Run on one core: `taskset -c 1 cargo run --release --example kernels`; with the argument `each`, every kernel by
//! itself; with `folded`, only numbers folded over lanes. Without AVX-512 IFMA, the kernels in double precision.

use garner::arithmetic::vectors::class::{
    Blocks, CLASSES, Class, DOUBLE_PAIRS, DOUBLE_QUADS, DOUBLES, PAIRS, Products, QUADS,
};
use garner::arithmetic::vectors::field::Field;
use garner::arithmetic::vectors::kernels::{self, Assembly, At, Kernel, Kernels, Sequence};
use garner::arithmetic::vectors::workspace::{Layout, Workspace};
use garner::arithmetic::vectors::{Native, Vectors};
use garner::arithmetic::{Arithmetic, Modulus, Multiply, Power};
use openssl::rsa::{Padding, Rsa};
use std::arch::asm;
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;

fn main() {
    let Some(assembly) = Assembly::new() else {
        return doubles();
    };
    let madds_per_cycle = madd_rate();
    println!(
        "clock {:.2} GHz (dependent additions); {madds_per_cycle:.2} multiply-adds a cycle\n",
        1.0 / cycle_seconds() / 1e9
    );
    if std::env::args().any(|argument| argument == "each") {
        return each_kernel(&assembly, madds_per_cycle);
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

    fn products(&self, blocks: &'static Blocks) -> &'static Products {
        self.0.products(blocks)
    }
}

/// Every kernel by itself, on the same operands again and again.
fn each_kernel(assembly: &Assembly, rate: f64) {
    println!("kernel                      madds    limit  cycles  of limit");
    let mut workspace = Workspace::new(2000);
    for kernel in kernels::ALL {
        let cycles = cycles(|| assembly.run(kernel, workspace.rows(), [0, 400, 700, 1000, 1100, 1500]));
        let limit = kernel.multiply_adds as f64 / rate;
        println!(
            "{:<25} {:>7} {limit:>8.0} {cycles:>7.0} {:>7.1} %",
            kernel.name,
            kernel.multiply_adds,
            100.0 * limit / cycles
        );
    }
}

/// Core cycles of one run of `work`: the shortest time of several, in cycles calibrated among them.
fn cycles(mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let first = once().min(once());
    let repeats = (200e-6 / first).ceil().max(1.0) as usize;
    let rounds = ((0.25 / (first * repeats as f64)) as usize).clamp(5, 200);
    let (mut best, mut clock) = (f64::MAX, f64::MAX);
    for _ in 0..rounds {
        clock = clock.min(cycle_seconds());
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        best = best.min(start.elapsed().as_secs_f64() / repeats as f64);
    }
    best / clock
}

/// Seconds per core cycle.
fn cycle_seconds() -> f64 {
    let run = || {
        let start = Instant::now();
        let mut sum = black_box(1u64);
        // SAFETY: changes only the registers it names.
        unsafe {
            asm!(
                "2:",
                "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
                "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}", "add {x}, {y}",
                "dec {n}",
                "jnz 2b",
                x = inout(reg) sum, y = in(reg) 3u64, n = inout(reg) 2_000u64 => _,
                options(nomem, nostack)
            );
        }
        black_box(sum);
        start.elapsed().as_secs_f64() / 20_000.0
    };
    (0..5).map(|_| run()).fold(f64::MAX, f64::min)
}

/// Multiply-adds this processor does in a cycle, rounded to a quarter: twelve independent sums.
fn madd_rate() -> f64 {
    let run = || {
        let start = Instant::now();
        // SAFETY: changes only the registers it names; the caller has made sure of the instructions.
        unsafe {
            asm!(
                "2:",
                "vpmadd52luq zmm0, zmm30, zmm31", "vpmadd52huq zmm1, zmm30, zmm31",
                "vpmadd52luq zmm2, zmm30, zmm31", "vpmadd52huq zmm3, zmm30, zmm31",
                "vpmadd52luq zmm4, zmm30, zmm31", "vpmadd52huq zmm5, zmm30, zmm31",
                "vpmadd52luq zmm6, zmm30, zmm31", "vpmadd52huq zmm7, zmm30, zmm31",
                "vpmadd52luq zmm8, zmm30, zmm31", "vpmadd52huq zmm9, zmm30, zmm31",
                "vpmadd52luq zmm10, zmm30, zmm31", "vpmadd52huq zmm11, zmm30, zmm31",
                "dec {n}",
                "jnz 2b",
                "vzeroupper",
                n = inout(reg) 2_000u64 => _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                options(nomem, nostack)
            );
        }
        start.elapsed().as_secs_f64() / 24_000.0
    };
    let best = (0..50).map(|_| run() / cycle_seconds()).fold(f64::MAX, f64::min);
    (4.0 / best).round() / 4.0
}

/// Fused multiply-adds this processor does in a cycle beside the copy, the subtraction and the two additions that go with two
/// of them: products of five factors with a limb, added to columns, all in registers and none waiting for another.
fn product_rate() -> f64 {
    macro_rules! products {
        ($($factor:literal $column:literal $next:literal)*) => {
            concat!($(
                "vmovapd ymm13, ymm15\n",
                "vfmadd231pd ymm13, ymm", $factor, ", ymm10\n",
                "vsubpd ymm11, ymm14, ymm13\n",
                "vfmadd231pd ymm11, ymm", $factor, ", ymm10\n",
                "vpaddq ymm", $column, ", ymm", $column, ", ymm11\n",
                "vpaddq ymm", $next, ", ymm", $next, ", ymm13\n",
            )*)
        };
    }
    let run = || {
        let start = Instant::now();
        // SAFETY: changes only the registers it names; the caller has made sure of the instructions.
        unsafe {
            asm!(
                "vzeroall",
                "2:",
                products!("0" "5" "6" "1" "6" "7" "2" "7" "8" "3" "8" "9" "4" "9" "5"),
                products!("0" "6" "7" "1" "7" "8" "2" "8" "9" "3" "9" "5" "4" "5" "6"),
                "dec {n}",
                "jnz 2b",
                "vzeroupper",
                n = inout(reg) 2_000u64 => _,
                out("ymm0") _, out("ymm1") _, out("ymm2") _, out("ymm3") _, out("ymm4") _, out("ymm5") _,
                out("ymm6") _, out("ymm7") _, out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _,
                out("ymm12") _, out("ymm13") _, out("ymm14") _, out("ymm15") _,
                options(nomem, nostack)
            );
        }
        start.elapsed().as_secs_f64() / 40_000.0
    };
    let (mut best, mut clock) = (f64::MAX, f64::MAX);
    for _ in 0..200 {
        clock = clock.min(cycle_seconds());
        best = best.min(run());
    }
    clock / best
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
