// SPDX-License-Identifier: Apache-2.0
//! What single instructions take here, beside what the port model of this processor says of them.

use super::model;
use super::rates::{in_cycles, madd_rate};
use garner_kernels::ports::{Processor, Work};
use std::arch::asm;
use std::time::Instant;

/// Seconds of one of the instructions of a loop, which are `$count`, run a thousand times.
macro_rules! seconds {
    ($count:literal, $($line:expr),* $(,)?) => {{
        #[repr(align(64))]
        struct Row([u64; 8]);
        let mut row = Row([0; 8]);
        const RUNS: u64 = 1_000;
        let start = Instant::now();
        // SAFETY: changes only the registers it names, the row, and the upper halves of registers, which nothing holds here; the
        // caller has made sure of the instructions.
        unsafe {
            asm!(
                "2: // {row}",
                $($line,)*
                "dec {n}",
                "jnz 2b",
                "vzeroupper",
                n = inout(reg) RUNS => _,
                row = in(reg) row.0.as_mut_ptr(),
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("k1") _,
                options(nostack)
            );
        }
        start.elapsed().as_secs_f64() / (RUNS * $count) as f64
    }};
}

/// The instruction once for each of ten registers.
macro_rules! ten {
    ($before:literal, $after:literal) => {
        seconds!(
            10,
            concat!($before, "0", $after),
            concat!($before, "1", $after),
            concat!($before, "2", $after),
            concat!($before, "3", $after),
            concat!($before, "4", $after),
            concat!($before, "5", $after),
            concat!($before, "6", $after),
            concat!($before, "7", $after),
            concat!($before, "8", $after),
            concat!($before, "9", $after),
        )
    };
}

/// The same instruction ten times.
macro_rules! chain {
    ($line:expr) => {
        seconds!(10, $line, $line, $line, $line, $line, $line, $line, $line, $line, $line)
    };
}

/// Prints cycles of one among independent ones, and of one in a chain.
pub fn print() {
    println!("{:.2} multiply-adds a cycle; cycles measured, and what the model of this processor says\n", madd_rate());
    println!("{:<44}{:>9}{:>9}{:>9}{:>9}", "instruction, 512 bits", "one of", "model", "in a", "model");
    println!("{:<44}{:>9}{:>9}{:>9}{:>9}", "", "many", "", "chain", "");
    let model = model::this();
    let line = |name: &str, many: Option<f64>, chain: f64, says: Option<(f64, usize)>| {
        let cycles = |cycles: Option<f64>| {
            cycles.filter(|cycles| !cycles.is_nan()).map_or("-".to_owned(), |cycles| format!("{cycles:.2}"))
        };
        let (each, latency) = (says.map(|says| says.0), says.map(|says| says.1 as f64));
        let (many, each, chain, latency) = (cycles(many), cycles(each), cycles(Some(chain)), cycles(latency));
        println!("{name:<44}{many:>9}{each:>9}{chain:>9}{latency:>9}");
    };
    let work = |work: Work| {
        model.map(|model: Processor| {
            let unit = model.unit(work);
            (model.busy as f64 / f64::from(unit.ports.count_ones()), unit.latency)
        })
    };
    line(
        "vpmadd52luq",
        Some(in_cycles(|| ten!("vpmadd52luq zmm", ", zmm30, zmm31"))),
        in_cycles(|| chain!("vpmadd52luq zmm0, zmm30, zmm31")),
        work(Work::MultiplyAdd),
    );
    line(
        "vpaddq",
        Some(in_cycles(|| ten!("vpaddq zmm", ", zmm30, zmm31"))),
        in_cycles(|| chain!("vpaddq zmm0, zmm0, zmm31")),
        work(Work::Addition),
    );
    line(
        "vpsrlq",
        Some(in_cycles(|| ten!("vpsrlq zmm", ", zmm31, 52"))),
        in_cycles(|| chain!("vpsrlq zmm0, zmm0, 1")),
        work(Work::Shift),
    );
    line(
        "vpermi2q under a mask",
        Some(in_cycles(|| ten!("vpermi2q zmm", "{{k1}}, zmm30, zmm31"))),
        in_cycles(|| chain!("vpermi2q zmm0{{k1}}, zmm30, zmm31")),
        work(Work::Shuffle),
    );
    line(
        "vpmadd52luq, vpsrlq and vpaddq, one chain",
        None,
        3.0 * in_cycles(|| {
            seconds!(
                6,
                "vpmadd52luq zmm0, zmm30, zmm31",
                "vpsrlq zmm0, zmm0, 52",
                "vpaddq zmm0, zmm0, zmm31",
                "vpmadd52luq zmm0, zmm30, zmm31",
                "vpsrlq zmm0, zmm0, 52",
                "vpaddq zmm0, zmm0, zmm31",
            )
        }),
        model.map(|model| {
            let latency = |work| model.unit(work).latency;
            (f64::NAN, latency(Work::MultiplyAdd) + latency(Work::Shift) + latency(Work::Addition))
        }),
    );
    line(
        "vmovdqa64 from memory",
        Some(in_cycles(|| ten!("vmovdqa64 zmm", ", [{row}]"))),
        f64::NAN,
        model.map(|model| (2.0 / model.loads_in_two as f64, model.load_latency)),
    );
    line(
        "vmovdqa64 to memory, and back in a chain",
        Some(in_cycles(|| ten!("vmovdqa64 [{row}], zmm", ""))),
        2.0 * in_cycles(|| {
            seconds!(
                4,
                "vmovdqa64 [{row}], zmm0",
                "vmovdqa64 zmm0, [{row}]",
                "vmovdqa64 [{row}], zmm0",
                "vmovdqa64 zmm0, [{row}]",
            )
        }),
        model.map(|model| (2.0 / model.stores_in_two as f64, model.forward_latency)),
    );
}
