//! Montgomery reduction of the column sums, five quotient digits at a time.

use super::sweep::{Sweep, factor};
use super::{A, AREA, Area, BLOCK, Code, TO, digits};
use crate::program::Pointer;

/// The modulus.
const N: Pointer = A;

/// Columns among which the next digits are woven, at most.
const WOVEN: usize = 4 * BLOCK;

/// `to = columns / 2^(52 digits)`, carried: N limbs. `digits` is a multiple of five.
///
/// While a sweep adds the products of five digits, the next five are found, each of which waits for the one before: the
/// sweep keeps the multipliers busy meanwhile.
pub(super) fn reduce(limbs: usize, digits: usize) -> Code {
    let mut code = Code::default();
    code.point(N, AREA, Area::of(limbs).modulus);
    let sweep =
        Sweep { columns: (AREA, 0), limbs: (N, 0), count: limbs, above_diagonal: false, finish: None };
    digits::pieces(0, N).into_iter().for_each(|piece| code.append(piece));

    let mut body = Code::default();
    load_digits(&mut body);
    sweep.open(BLOCK, true, &mut body);
    let end = (BLOCK + WOVEN).min(limbs + BLOCK);
    let columns = (BLOCK..end).map(|column| {
        let mut code = Code::default();
        sweep.straight(column..column + 1, &mut code);
        code
    });
    body.append(weave(columns, digits::pieces(BLOCK, N)));
    if end < limbs + BLOCK {
        sweep.rest(end, &mut body);
    }
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

/// `columns` with the pieces spread over them, piece i after column i at the earliest, which it reads.
fn weave(columns: impl Iterator<Item = Code>, pieces: Vec<Code>) -> Code {
    let (mut one, mut ends) = (Vec::new(), Vec::new());
    for column in columns {
        one.extend(column.0);
        ends.push(one.len());
    }
    let length: usize = pieces.iter().map(|piece| piece.0.len()).sum();
    let (first, mut done, mut woven) = (ends[0], 0, Code::default());
    let mut one = one.into_iter().enumerate().peekable();
    for (piece, ready) in pieces.into_iter().zip(ends.iter()) {
        for instruction in piece.0 {
            let after = (first + done * (ends[ends.len() - 1] - first) / length).max(*ready);
            woven.0.extend(std::iter::from_fn(|| one.next_if(|&(i, _)| i < after)).map(|(_, instruction)| instruction));
            woven.0.push(instruction);
            done += 1;
        }
    }
    woven.0.extend(one.map(|(_, instruction)| instruction));
    woven
}
