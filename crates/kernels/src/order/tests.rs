// SPDX-License-Identifier: Apache-2.0

use super::*;
use crate::known_answer::answer;
use crate::one_row::{block_square, karatsuba, multiply};
use crate::ports::schedule;
use crate::{scan, two_rows};

const GOLDEN_COVE: &Processor = &Processor::GOLDEN_COVE;

#[test]
fn an_order_computes_what_was_written_and_no_slower() {
    use crate::one_row::block::{Columns, Finish, reduce};
    use crate::one_row::karatsuba::Differences;
    for (name, program) in [
        ("square_10", two_rows::square::square(10)),
        ("multiply_10", multiply::multiply(10)),
        ("karatsuba_last_15", karatsuba::product(15, Columns::Old, Finish::Last, Differences::Given)),
        ("square_middle_15", block_square::square(15, block_square::Goal::Middle)),
        ("difference_15", block_square::difference(15)),
        ("reduce_scan_15", reduce(15, true)),
        ("two_rows_reduce_scan_15", two_rows::block::reduce(15, 15)),
        ("scan", scan::scan()),
    ] {
        let ordered = order(&program, GOLDEN_COVE, None);
        assert_eq!(answer(&ordered), answer(&program), "{name}");
        assert_eq!(ordered.multiply_adds(), program.multiply_adds(), "{name}");
        let [before, after] = [&program, &ordered].map(|program| schedule::cycles(program, GOLDEN_COVE));
        // The search is greedy.
        assert!(after <= before + before / 10 + 4, "{name}: {after} cycles, as written {before}");
    }
}

#[test]
fn with_fewer_loads_the_same_is_computed() {
    use crate::one_row::block::{Columns, Finish};
    use crate::one_row::karatsuba::Differences;
    for (name, program, most) in [
        ("square_fresh_15", block_square::square(15, block_square::Goal::Fresh), 20),
        ("square_middle_20", block_square::square(20, block_square::Goal::Middle), 300),
        ("karatsuba_old_15", karatsuba::product(15, Columns::Old, Finish::Columns, Differences::Computed), 135),
    ] {
        let ordered = order_with_fewer_loads(&program, GOLDEN_COVE);
        assert_eq!(answer(&ordered), answer(&program), "{name}");
        assert_eq!(ordered.multiply_adds(), program.multiply_adds(), "{name}");
        assert!(ordered.loads() <= most.min(program.loads()), "{name}: {} loads", ordered.loads());
    }
}

#[test]
fn what_is_loaded_again_after_a_store_to_its_row_is_what_was_stored() {
    let (mut code, [first, second, sum]) = (Code::new(), [0, 1, 2].map(Vector));
    let row = Pointer::P0.row(0);
    code.copy(first, row);
    code.add(second, first, first);
    code.store(row, second);
    code.copy(sum, row);
    code.store(Pointer::P1.row(0), sum);
    // An accumulator's row is loaded twice, too: what changes in place is not there for the second load.
    code.copy(first, Pointer::P2.row(0));
    code.low(first, second, second);
    code.copy(sum, Pointer::P2.row(0));
    code.add(sum, sum, first);
    code.store(Pointer::P1.row(1), sum);
    let program = Program::new(code);
    assert_eq!(answer(&order_with_fewer_loads(&program, GOLDEN_COVE)), answer(&program));
}

#[test]
fn two_loads_of_a_row_free_one_register() {
    let (mut code, [a, b, sum, double]) = (Code::new(), [0, 1, 2, 3].map(Vector));
    let row = Pointer::P0.row(0);
    code.copy(a, row);
    code.copy(b, row);
    code.add(sum, a, b);
    // Both wait for the sum, so that no order has them before it.
    code.add(double, sum, sum);
    code.add(double, double, sum);
    code.store(Pointer::P1.row(0), double);
    let program = Program::new(code);
    assert_eq!(answer(&order_with_fewer_loads(&program, GOLDEN_COVE)), answer(&program));
}

#[test]
fn beside_another_program_both_compute_what_they_do_alone() {
    use crate::one_row::block::{Columns, Finish};
    let product = karatsuba::product(15, Columns::Old, Finish::Columns, karatsuba::Differences::Given);
    let scan = scan::limbs(karatsuba::SCANNED_LIMBS);
    let both = order_beside(&product, &scan, GOLDEN_COVE);
    assert_eq!(answer(&both), answer(&scan.clone().then(&product)));
    let [alone, together] = [&product, &both].map(|program| schedule::cycles(program, GOLDEN_COVE));
    assert!(together < alone + schedule::cycles(&scan, GOLDEN_COVE), "{alone} and {together} cycles");
}

#[test]
fn what_is_kept_in_registers_is_what_was_stored() {
    let in_place = two_rows::square::square(10).placed(&|row| match row.pointer {
        Pointer::P1 => Pointer::P0.row(row.row),
        _ => row,
    });
    let mut twice = in_place.clone();
    twice.append(in_place);
    let (program, loads) = (Program::new(twice), |program: &Program| program.loads());
    let [kept, not_kept] = [Some(Pointer::P0), None].map(|kept| order(&program, GOLDEN_COVE, kept));
    assert_eq!((answer(&kept), answer(&not_kept)), (answer(&program), answer(&program)));
    assert!(loads(&kept) < loads(&not_kept) && loads(&not_kept) == loads(&program));
}

#[test]
fn an_operation_ahead_of_its_time_takes_no_register_that_an_older_one_needs() {
    // As many sums as there are registers but two, and loads for all of them that could come at once.
    let mut code = Code::new();
    let (limb, other) = (Vector(30), Vector(31));
    (0..30).for_each(|i| code.zero(Vector(i)));
    for row in 0..200 {
        code.copy(limb, Pointer::P0.row(row));
        code.copy(other, Pointer::P1.row(row));
        code.low(Vector((row % 30) as u8), limb, other);
    }
    (0..30).for_each(|i| code.store(Pointer::P2.row(i), Vector(i as u8)));
    let program = Program::new(code);
    assert_eq!(answer(&order(&program, GOLDEN_COVE, None)), answer(&program));
}
