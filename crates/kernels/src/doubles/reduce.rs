//! Montgomery reduction of the column sums, five quotient digits at a time.

use super::sweep::{Sweep, factor};
use super::{A, AREA, Area, BLOCK, Code, TO, digits};
use crate::program::Pointer;

/// Where the modulus is found.
pub(super) const N: Pointer = A;

/// `to = columns / 2^(52 digits)`, carried: N limbs. `digits` is a multiple of five, of which the first five are there, and
/// P1 is where the modulus is: [`first_digits`].
///
/// Of five digits ten high halves are found twice, for the digits and by the sweep, and five low halves never: so it costs
/// half a product a digit more than N.
///
/// While a sweep adds the products of five digits, the next five are found, each of which waits for the one before: the
/// sweep keeps the multipliers busy meanwhile.
pub(super) fn reduce(limbs: usize, digits: usize) -> Code {
    let mut code = Code::default();
    let sweep = Sweep { columns: (AREA, 0), limbs: (N, 0), count: limbs, above_diagonal: false, finish: None };
    let mut body = Code::default();
    load_digits(&mut body);
    sweep.open(BLOCK, true, &mut body);
    // Piece i reads the column that is i columns after the sweep's first.
    let pieces = digits::pieces(BLOCK, N).into_iter().enumerate().map(|(i, piece)| (i + 1, piece)).collect();
    sweep.woven(BLOCK, pieces, &mut body);
    body.advance(AREA, BLOCK as isize);
    code.repeat(digits / BLOCK - 1, body);

    load_digits(&mut code);
    sweep.open(BLOCK, true, &mut code);
    Sweep { finish: Some(TO), ..sweep }.rest(BLOCK, &mut code);
    code
}

fn load_digits(code: &mut Code) {
    (0..BLOCK).for_each(|k| code.load(factor(k), digits::place(k)));
}

/// The first five digits. Brings P1 to the modulus.
pub(super) fn first_digits(limbs: usize, code: &mut Code) {
    code.point(N, AREA, Area::of(limbs).modulus);
    digits::pieces(0, N).into_iter().for_each(|piece| code.append(piece));
}
