// SPDX-License-Identifier: Apache-2.0
//! Whether the time of a word's windows depends on the exponents: of the same kernels, for exponents of several kinds in turn.

use garner::arithmetic::vectors::class::{CLASSES, Class};
use garner::arithmetic::vectors::field::Field;
use garner::arithmetic::vectors::kernels::Assembly;
use garner::arithmetic::vectors::workspace::{Layout, Workspace};
use std::time::Instant;

/// Words of each kind that are timed.
const ROUNDS: usize = 3_000;

type Words = [u64; 8];
type FromRandom = fn(&mut dyn FnMut() -> u64) -> Words;

/// Exponents of each lane, from a source of random words.
const KINDS: [(&str, FromRandom); 5] = [
    ("zeros", |_| [0; 8]),
    ("ones", |_| [u64::MAX; 8]),
    ("one digit throughout", |random| [(random() & 15) * 0x1111_1111_1111_1111; 8]),
    ("the same in every lane", |random| [random(); 8]),
    ("random", |random| std::array::from_fn(|_| random())),
];

/// Prints the lower quantiles of each kind's times, which what else runs on the processor does not reach, for the four shortest lengths.
pub fn print(assembly: &Assembly) {
    println!("nanoseconds of a word's windows, by what the exponents are, {ROUNDS} words of each kind in turn\n");
    println!("limbs  exponents                   1 %     10 %     25 %     50 %");
    CLASSES[..4].iter().for_each(|class| times_of(assembly, class));
}

fn times_of(assembly: &Assembly, class: &'static Class) {
    let mut workspace = Workspace::new(Layout::of(class).with_table);
    let mut field = Field::new(assembly, class, workspace.rows());
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let mut times = KINDS.map(|_| Vec::new());
    for _ in 0..ROUNDS {
        // Every kind comes after every other.
        let first = random() as usize;
        for kind in (0..KINDS.len()).map(|i| (first + i) % KINDS.len()) {
            let words = KINDS[kind].1(&mut random);
            let mut run = || {
                field.exponents(&words);
                let start = Instant::now();
                field.windows();
                start.elapsed()
            };
            // The first run takes what the one before it left in the caches.
            run();
            times[kind].push(run());
        }
    }
    for ((name, _), times) in KINDS.iter().zip(&mut times) {
        times.sort_unstable();
        let at = |of_hundred: usize| times[times.len() * of_hundred / 100].as_nanos();
        println!("{:>5}  {name:<24} {:>7} {:>8} {:>8} {:>8}", class.limbs, at(1), at(10), at(25), at(50));
    }
}
