// SPDX-License-Identifier: Apache-2.0
//! What this processor does in a second and in a cycle.

use std::arch::asm;
use std::hint::black_box;
use std::time::Instant;

/// Core cycles of one run of `work`: the shortest time of several, in cycles calibrated among them.
pub fn cycles(mut work: impl FnMut()) -> f64 {
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
pub fn cycle_seconds() -> f64 {
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

/// Multiply-adds this processor does in a cycle: twelve independent sums, against one alone, of which each takes four cycles on
/// every processor that has them.
///
/// Both run for long, in turn, with nothing else between: a burst of 512-bit code after other code runs slower for about a
/// microsecond, and another clock may rule it afterwards.
pub fn madd_rate() -> f64 {
    const RUNS: u64 = 20_000;
    macro_rules! loop_of {
        ($($madd:literal)*) => {{
            let start = Instant::now();
            // SAFETY: changes only the registers it names; the caller has made sure of the instructions.
            unsafe {
                asm!(
                    "2:",
                    $($madd,)*
                    "dec {n}",
                    "jnz 2b",
                    n = inout(reg) RUNS => _,
                    out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                    out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                    options(nomem, nostack)
                );
            }
            start.elapsed().as_secs_f64() / RUNS as f64
        }};
    }
    let (mut one, mut twelve) = (f64::MAX, f64::MAX);
    // The first rounds warm up.
    for round in 0..60 {
        let chain = loop_of!(
            "vpmadd52luq zmm0, zmm30, zmm31" "vpmadd52huq zmm0, zmm30, zmm31" "vpmadd52luq zmm0, zmm30, zmm31"
        );
        let independent = loop_of!(
            "vpmadd52luq zmm0, zmm30, zmm31" "vpmadd52huq zmm1, zmm30, zmm31"
            "vpmadd52luq zmm2, zmm30, zmm31" "vpmadd52huq zmm3, zmm30, zmm31"
            "vpmadd52luq zmm4, zmm30, zmm31" "vpmadd52huq zmm5, zmm30, zmm31"
            "vpmadd52luq zmm6, zmm30, zmm31" "vpmadd52huq zmm7, zmm30, zmm31"
            "vpmadd52luq zmm8, zmm30, zmm31" "vpmadd52huq zmm9, zmm30, zmm31"
            "vpmadd52luq zmm10, zmm30, zmm31" "vpmadd52huq zmm11, zmm30, zmm31"
        );
        if round >= 10 {
            (one, twelve) = (one.min(chain / 3.0), twelve.min(independent / 12.0));
        }
    }
    // SAFETY: changes only the upper halves, which nothing holds here.
    unsafe { asm!("vzeroupper", options(nomem, nostack)) };
    one / 4.0 / twelve
}

/// Fused multiply-adds this processor does in a cycle beside the copy, the subtraction and the two additions that go with two
/// of them: products of five factors with a limb, added to columns, all in registers and none waiting for another.
pub fn product_rate() -> f64 {
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
