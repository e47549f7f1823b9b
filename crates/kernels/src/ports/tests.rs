// SPDX-License-Identifier: Apache-2.0
use super::*;
use crate::program::{Code, Pointer, Vector};
use crate::{Kernel, Program, two_rows};
use std::sync::LazyLock;

/// Made once: some are put into an order, which takes a while.
static ALL: LazyLock<Vec<Kernel>> = LazyLock::new(|| crate::all().into_iter().chain(two_rows::all()).collect());

fn named(name: &str) -> &'static Program {
    &ALL.iter().find(|kernel| kernel.name == name).expect("a kernel of this name").program
}

#[test]
fn counts_are_what_the_kernels_execute() {
    let counts = |name: &str| Counts::of(named(name));
    // Doublings, carries out of 39 columns, and where they are masked and rounded each time, that.
    let square = Counts {
        multiply_adds: 1220,
        additions: 116,
        shifts: 39,
        loads: 818,
        stores: 20,
        zeros: 60,
        instructions: 2154,
        ..Counts::default()
    };
    assert_eq!(counts("square_20"), square);
    let square = Counts {
        multiply_adds: 1220,
        additions: 79,
        shifts: 39,
        loads: 365,
        stores: 20,
        copies: 2,
        zeros: 40,
        instructions: 1763,
        ..Counts::default()
    };
    assert_eq!(counts("two_rows_square_20"), square);
    let window = counts("window_20");
    assert_eq!((window.vector_operations(), window.masked_loads, window.merges, window.loads), (7403, 320, 280, 4621));
    let window = counts("two_rows_window_20");
    assert_eq!((window.vector_operations(), window.masked_loads, window.shuffles, window.loads), (6964, 0, 320, 2527));
    for Kernel { name, program, .. } in crate::all() {
        let counts = Counts::of(&program);
        assert_eq!((counts.multiply_adds, counts.loads), (program.multiply_adds(), program.loads()), "{name}");
    }
}

#[test]
fn a_chain_takes_its_latencies_and_independent_work_its_ports() {
    let madds = |sums: &dyn Fn(u8) -> u8| {
        let mut code = Code::new();
        (0..24).for_each(|i| code.low(Vector(sums(i)), Vector(30), Vector(31)));
        Program::new(code)
    };
    let (chain, apart) = (madds(&|_| 0), madds(&|i| i % 12));
    for (processor, ports) in Processor::ALL.iter().zip([12.0, 12.0, 24.0, 12.0]) {
        let bound = Bound::of(&chain, processor);
        assert_eq!((bound.ports, bound.chain, bound.cycles()), (ports, 96.0, 96.0), "{}", processor.name);
        assert_eq!(schedule::cycles(&chain, processor), 96, "{}", processor.name);
        assert_eq!(Bound::of(&apart, processor).cycles(), ports, "{}", processor.name);
        assert_eq!(schedule::cycles(&apart, processor), ports as usize, "{}", processor.name);
    }
}

#[test]
fn work_for_one_port_waits_for_it_and_memory_connects_what_stands_in_it() {
    let golden_cove = &Processor::GOLDEN_COVE;
    let mut code = Code::new();
    (0..10).for_each(|i| code.shift_right(Vector(i), Vector(i), 52));
    (10..16).for_each(|i| code.add(Vector(i), Vector(i), Vector(i)));
    assert_eq!(Bound::of(&Program::new(code), golden_cove).ports, 10.0);

    let mut code = Code::new();
    for i in 0..4 {
        code.copy(Vector(0), Pointer::P0.row(i));
        code.add(Vector(0), Vector(0), Vector(0));
        code.store(Pointer::P0.row(i + 1), Vector(0));
    }
    // Four additions, and three times from a store to a load.
    let [addition, forward] = [golden_cove.unit(Work::Addition).latency, golden_cove.forward_latency];
    assert_eq!(Bound::of(&Program::new(code), golden_cove).chain, (4 * addition + 3 * forward) as f64);
}

#[test]
fn in_the_order_written_kernels_come_near_their_bounds() {
    for name in [
        "two_rows_window_10",
        "two_rows_square_20",
        "two_rows_window_20",
        "two_rows_window_stores_20",
        "two_rows_half_multiply_20",
        "two_rows_multiply_20",
        "two_rows_two_blocks_square_15",
        "two_rows_two_blocks_reduce_scan_15",
        "two_rows_two_blocks_reduce_last_15",
        "two_rows_two_blocks_square_20",
        "two_rows_product_old_20",
        "two_rows_reduce_scan_20",
        "two_rows_product_last_20",
    ] {
        let (program, processor) = (named(name), &Processor::GOLDEN_COVE);
        let (bound, cycles) = (Bound::of(program, processor).cycles(), schedule::cycles(program, processor) as f64);
        assert!(cycles <= 1.06 * bound, "{name}: {cycles} of {bound}");
    }
}

#[test]
fn four_private_operations_of_rsa_2048_take_what_they_should_on_golden_cove() {
    // Eight exponentiations of 1,024 bits: the base comes in two parts, the table has 16 powers in two forms, the exponent 16 words.
    let kernels = [
        ("to_limbs_20", 2),
        ("two_rows_half_multiply_20", 3 + 14),
        ("two_rows_add_20", 1),
        ("two_rows_half_reduce_20", 16 + 2),
        ("entry_20", 32),
        ("windows_of_word", 16),
        ("two_rows_windows_store_20", 16),
        ("two_rows_subtract_modulus_20", 1),
        ("to_words_20", 1),
    ];
    let sum = |cycles: &dyn Fn(&Program) -> f64| -> f64 {
        kernels.iter().map(|(name, times)| f64::from(*times) * cycles(named(name))).sum::<f64>() / 4.0
    };
    let bound = sum(&|program| Bound::of(program, &Processor::GOLDEN_COVE).cycles());
    let order = sum(&|program| schedule::cycles(program, &Processor::GOLDEN_COVE) as f64);
    println!("bound {bound:.0}, in the order written {order:.0}");
    assert!(order <= 232_000.0 && order <= 1.06 * bound, "{order} of {bound}");
}
