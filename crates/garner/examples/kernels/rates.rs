// SPDX-License-Identifier: Apache-2.0
//! What this processor does in a second and in a cycle.

use std::arch::asm;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant};

/// Core cycles of one run of `work`: the lower quartile of many rounds, each against a calibration that follows at once.
///
/// The calibration is work of its kind: some processors run 512-bit multiply-adds by a lower clock than other code, and change
/// from one to the other, and with what the other cores do, within a millisecond.
pub fn cycles(mut work: impl FnMut()) -> f64 {
    let mut once = || {
        let start = Instant::now();
        work();
        start.elapsed().as_secs_f64()
    };
    let first = once().min(once());
    let repeats = (100e-6 / first).ceil().max(1.0) as usize;
    let rounds = ((0.25 / (first * repeats as f64)) as usize).clamp(5, 400);
    let seconds = || {
        let start = Instant::now();
        (0..repeats).for_each(|_| work());
        start.elapsed().as_secs_f64() / repeats as f64
    };
    quartile(rounds, seconds)
}

/// Core cycles of what takes the seconds that `seconds` measures.
pub fn in_cycles(seconds: impl FnMut() -> f64) -> f64 {
    quartile(400, seconds)
}

fn quartile(rounds: usize, mut seconds: impl FnMut() -> f64) -> f64 {
    let (vectors, rate) = (is_x86_feature_detected!("avx512ifma"), madd_rate());
    let mut cycles: Vec<f64> = (0..rounds)
        .map(|_| {
            let start = Instant::now();
            let seconds = seconds();
            seconds / if vectors { madds_seconds(start.elapsed()) * rate } else { cycle_seconds() }
        })
        .collect();
    cycles.sort_by(f64::total_cmp);
    cycles[cycles.len() / 4]
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
    (0..3).map(|_| run()).fold(f64::MAX, f64::min)
}

/// Multiply-adds this processor does in a cycle, 0 without AVX-512 IFMA: twelve independent sums, against one alone, of which
/// each takes four cycles on every processor that has them. Measured once.
///
/// Both run for long, in turn, with nothing else between: a burst of 512-bit code after other code runs slower for about a
/// microsecond, and another clock may rule it afterwards.
pub fn madd_rate() -> f64 {
    static RATE: OnceLock<f64> = OnceLock::new();
    *RATE.get_or_init(|| {
        if !is_x86_feature_detected!("avx512ifma") {
            return 0.0;
        }
        let (mut one, mut twelve) = (f64::MAX, f64::MAX);
        // The first rounds warm up.
        for round in 0..60 {
            let chain = madds!(20_000, "0" "0" "0" "0" "0" "0" "0" "0" "0" "0" "0" "0");
            let independent = madds!(20_000, "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11");
            if round >= 10 {
                (one, twelve) = (one.min(chain), twelve.min(independent));
            }
        }
        one / 4.0 / twelve
    })
}

/// Seconds of one of many independent multiply-adds, after so long in which there may have been none of 512 bits.
///
/// Ice Lake forgets within a millisecond that there were, and then runs them more slowly for some 300 us, at first at a quarter of their
/// speed, until they have a clock of their own.
fn madds_seconds(without: Duration) -> f64 {
    let warm_up = if without > Duration::from_micros(300) { Duration::from_micros(500) } else { Duration::ZERO };
    let (start, mut least, mut runs) = (Instant::now(), f64::MAX, 0);
    while runs < 3 || start.elapsed() < warm_up {
        least = least.min(madds!(1_000, "0" "1" "2" "3" "4" "5" "6" "7" "8" "9" "10" "11"));
        runs += 1;
    }
    least
}

/// Seconds of a multiply-add of 512 bits, of a loop of them into these registers, run so many times. The caller has made sure of
/// the instructions.
macro_rules! madds {
    ($runs:literal, $($sum:literal)*) => {{
        const RUNS: u64 = $runs;
        let start = Instant::now();
        // SAFETY: changes only the registers it names, and the upper halves of others, which nothing holds here; the caller has
        // made sure of the instructions.
        unsafe {
            asm!(
                "2:",
                $(concat!("vpmadd52luq zmm", $sum, ", zmm30, zmm31"),)*
                "dec {n}",
                "jnz 2b",
                "vzeroupper",
                n = inout(reg) RUNS => _,
                out("zmm0") _, out("zmm1") _, out("zmm2") _, out("zmm3") _, out("zmm4") _, out("zmm5") _,
                out("zmm6") _, out("zmm7") _, out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
                options(nomem, nostack)
            );
        }
        start.elapsed().as_secs_f64() / (RUNS * 12) as f64
    }};
}
use madds;

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
