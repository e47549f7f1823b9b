// SPDX-License-Identifier: Apache-2.0
//! What the port model says of kernels, and of the operations made of them, on a processor that need not be here.

use garner::arithmetic::vectors::Vectors;
use garner::arithmetic::vectors::class::{Blocks, Composition, Direct, DirectKernels, OneRowBlocks};
use garner::arithmetic::vectors::kernels::{At, Kernel, Kernels, Sequence};
use garner::arithmetic::{Arithmetic, Modulus, Power};
use garner_kernels::Lanes;
use garner_kernels::ports::{Bound, Counts, Processor, schedule};
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

static PROGRAMS: LazyLock<HashMap<String, garner_kernels::Program>> = LazyLock::new(|| {
    let kernels = garner_kernels::all().into_iter().chain(garner_kernels::two_rows::all());
    kernels.map(|kernel| (kernel.name, kernel.program)).collect()
});

/// The lower bound of a kernel's cycles.
pub fn bound(kernel: &Kernel, processor: &Processor) -> f64 {
    Bound::of(&PROGRAMS[kernel.name], processor).cycles()
}

/// The processor that this is, if there is a model of it.
pub fn this() -> Option<Processor> {
    let leaf = std::arch::x86_64::__cpuid(1).eax;
    let (family, model) = ((leaf >> 8 & 15) + (leaf >> 20 & 255), (leaf >> 4 & 15) | (leaf >> 12 & 0xf0));
    let tiles = std::arch::x86_64::__cpuid_count(7, 0).edx >> 24 & 1 == 1;
    let amd = std::arch::x86_64::__cpuid(0).ecx == u32::from_le_bytes(*b"cAMD");
    match (amd, family) {
        (true, 0x19) if is_x86_feature_detected!("avx512ifma") => Some(Processor::ZEN4),
        (true, 0x1a) => Some(Processor::ZEN5),
        // Xeons of the 3rd generation; those of notebooks have one multiplier of 512 bits.
        (false, 6) if matches!(model, 0x6a | 0x6c) => Some(Processor::SUNNY_COVE),
        // Xeons of the 4th to the 6th generation; or what a virtual machine calls otherwise and has tiles (AMX), as those do.
        (false, 6) if matches!(model, 0x8f | 0xcf | 0xad | 0xae) || tiles => Some(Processor::GOLDEN_COVE),
        _ => None,
    }
}

/// Prints everything about the processor of this name.
pub fn print(name: &str) {
    let Some(processor) = Processor::named(name) else {
        let known = Processor::ALL.map(|processor| processor.name).join(", ");
        eprintln!("no model of {name:?}; there are {known}");
        std::process::exit(2);
    };
    println!("{name}: lower bounds of cycles by what limits them, and cycles in the order written\n");
    println!(
        "{:<29}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7} |{:>7}{:>7}{:>7}{:>7}{:>7} |{:>7}",
        "kernel",
        "madds",
        "adds",
        "shifts",
        "moves",
        "masked",
        "loads",
        "stores",
        "copies",
        "ports",
        "loads",
        "stores",
        "issue",
        "chain",
        "order"
    );
    for garner_kernels::Kernel { name, program, .. } in
        garner_kernels::all().iter().chain(&garner_kernels::two_rows::all())
    {
        let (counts, bound) = (Counts::of(program), Bound::of(program, &processor));
        println!(
            "{name:<29}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7}{:>7} |{:>7.0}{:>7.0}{:>7.0}{:>7.0}{:>7.0} |{:>7}",
            counts.multiply_adds,
            counts.additions,
            counts.shifts,
            counts.shuffles + counts.merges + counts.tests,
            counts.masked_loads,
            counts.loads,
            counts.stores,
            counts.copies,
            bound.ports,
            bound.loads,
            bound.stores,
            bound.instructions,
            bound.chain,
            schedule::cycles(program, &processor)
        );
    }
    println!(
        "\neight lanes, a private operation's two exponentiations: kernels one after another, without what is done between them"
    );
    println!("{:<10}{:>10}{:>10}   {:<14}kernels", "RSA", "bound", "order", "order/bound");
    let mut last = 0.0;
    for bits in [1024, 3072, 4096, 2048] {
        let model = Modelled { processor, cycles: Arc::default(), kernels: Arc::default() };
        let cycles = model.private(bits);
        let two_rows = cycles.kernels_by_two_rows;
        let chosen = if two_rows { "by two rows" } else { "by one row" };
        println!(
            "{bits:<10}{:>10.0}{:>10.0}   {:<14.3}{chosen}",
            cycles.bound,
            cycles.order,
            cycles.order / cycles.bound
        );
        last = cycles.bound.max(cycles.order);
    }
    println!("RSA-2048 private: {last:.0} cycles");
}

/// Cycles of an operation.
#[derive(Clone, Copy, Default)]
struct Cycles {
    bound: f64,
    order: f64,
    kernels_by_two_rows: bool,
}

/// Adds up what kernels take and runs none.
#[derive(Clone)]
struct Modelled {
    processor: Processor,
    cycles: Arc<Mutex<Cycles>>,
    /// Of each kernel met.
    kernels: Arc<Mutex<HashMap<&'static str, Cycles>>>,
}

impl Modelled {
    fn of(&self, kernel: &Kernel) -> Cycles {
        let mut kernels = self.kernels.lock().expect("no other thread");
        *kernels.entry(kernel.name).or_insert_with(|| {
            let program = &PROGRAMS[kernel.name];
            Cycles {
                bound: Bound::of(program, &self.processor).cycles(),
                order: schedule::cycles(program, &self.processor) as f64,
                kernels_by_two_rows: kernel.name.starts_with("two_rows"),
            }
        })
    }

    /// Of one private operation among four.
    fn private(self, bits: usize) -> Cycles {
        let modulus = Modulus::new(&vec![u64::MAX; bits / 128]).expect("odd");
        let (base, exponent) = (vec![1; bits / 64], vec![u64::MAX; bits / 128]);
        let mut results = vec![vec![0; bits / 128]; 8];
        let mut jobs: Vec<Power<'_>> = results
            .iter_mut()
            .map(|result| Power { modulus: &modulus, base: &base, exponent: &exponent, result })
            .collect();
        let cycles = Arc::clone(&self.cycles);
        Vectors::over(self).power_secret(&mut jobs);
        let Cycles { bound, order, kernels_by_two_rows } = *cycles.lock().expect("no other thread");
        Cycles { bound: bound / 4.0, order: order / 4.0, kernels_by_two_rows }
    }
}

impl Kernels for Modelled {
    fn name(&self) -> &'static str {
        self.processor.name
    }

    fn run(&self, kernel: &Kernel, _: &mut [Lanes], _: At) {
        let of_kernel = self.of(kernel);
        let mut cycles = self.cycles.lock().expect("no other thread");
        cycles.bound += of_kernel.bound;
        cycles.order += of_kernel.order;
        cycles.kernels_by_two_rows |= of_kernel.kernels_by_two_rows;
    }

    fn for_lanes(&self, _: usize) -> Modelled {
        self.clone()
    }

    fn lanes(&self) -> usize {
        8
    }

    fn direct(&self, direct: &'static Direct) -> &'static DirectKernels {
        let ways = [&direct.one_row].into_iter().chain(direct.by_two_rows());
        let order = |kernels: &DirectKernels| self.of(kernels.window).order;
        ways.min_by(|a, b| order(a).total_cmp(&order(b))).expect("four ways")
    }

    fn composition(&self, blocks: &'static Blocks, windows: &dyn Fn(Composition) -> Sequence) -> Composition {
        let OneRowBlocks { karatsuba, schoolbook, .. } = &blocks.one_row;
        let ways = [
            Composition::OneRow(&blocks.one_row, karatsuba),
            Composition::OneRow(&blocks.one_row, schoolbook),
            Composition::TwoRows(&blocks.two_rows),
        ];
        let order = |way: &Composition| -> f64 { windows(*way).kernels().map(|kernel| self.of(kernel).order).sum() };
        ways.into_iter().min_by(|a, b| order(a).total_cmp(&order(b))).expect("three ways")
    }
}
