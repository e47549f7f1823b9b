// SPDX-License-Identifier: Apache-2.0
//! Which two members of a set make the pair of an operation.
//!
//! Members are numbered 0 to p - 1, p a prime. A round has a centre c and combines c + u with c - u modulo p, for u from 1 to
//! (p - 1) / 2: no member twice, as in a tournament by the circle method. The centres are the powers of a generator modulo p,
//! from 1 on. Taken as edges of a graph over the members, combinations are products without a relation to each other where
//! the graph has no even cycle, and no two odd ones that are connected (the rank of an incidence matrix):
//!
//! - No combination comes twice, so any three operations are independent: no product is a power of another, nor one of the
//!   powers of two others.
//! - Two rounds together are a path (u to -u about one centre, then about the next, is a shift, of order p), so any
//!   operations of two successive rounds are independent, however many; they are whenever (p + 1) / 2 follow each other.
//! - A cycle of four, a relation x1 x3 = x2 x4, needs four centres with c1 + c3 = c2 + c4. The generators are those under
//!   which such centres lie furthest apart; see the tests.
//!
//! All this is public. The members are not.

/// A prime, and a generator of the numbers modulo it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    prime: usize,
    generator: usize,
}

/// The sizes of sets, the smallest first.
pub const SIZES: [Size; 5] = [
    Size { prime: 3, generator: 2 },
    Size { prime: 7, generator: 5 },
    Size { prime: 13, generator: 7 },
    Size { prime: 31, generator: 24 },
    Size { prime: 61, generator: 54 },
];

impl Size {
    /// How many members a set has.
    pub fn members(self) -> usize {
        self.prime
    }

    /// How many combinations are made of them: as many rounds as there are centres, of as many each as fit.
    pub fn combinations(self) -> usize {
        (self.prime - 1) * (self.prime / 2)
    }
}

/// The combinations of a set, in their order.
#[derive(Debug, Clone)]
pub struct Schedule {
    size: Size,
    centre: usize,
    /// How far the next two lie from the centre.
    radius: usize,
    left: usize,
}

impl Schedule {
    /// All combinations of a set of this size.
    pub fn new(size: Size) -> Schedule {
        Schedule { size, centre: 1, radius: 1, left: size.combinations() }
    }
}

impl Iterator for Schedule {
    type Item = [usize; 2];

    fn next(&mut self) -> Option<[usize; 2]> {
        let Size { prime, generator } = self.size;
        self.left = self.left.checked_sub(1)?;
        let members = [self.centre + self.radius, self.centre + prime - self.radius].map(|member| member % prime);
        self.radius += 1;
        if self.radius > prime / 2 {
            (self.centre, self.radius) = (self.centre * generator % prime, 1);
        }
        Some(members)
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Schedule {}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashMap;

    /// How many of these vectors, each 1 at two places, are independent: over the numbers modulo a large prime, which is no
    /// more than over the rationals.
    fn rank(members: usize, combinations: &[[usize; 2]]) -> usize {
        const MODULUS: i128 = (1 << 61) - 1;
        let mut rows: Vec<Vec<i128>> = combinations
            .iter()
            .map(|combination| (0..members).map(|member| i128::from(combination.contains(&member))).collect())
            .collect();
        let mut rank = 0;
        for column in 0..members {
            let Some(found) = (rank..rows.len()).find(|&row| rows[row][column] != 0) else { continue };
            rows.swap(rank, found);
            let (above, below) = rows.split_at_mut(rank + 1);
            let pivot = &above[rank];
            for row in below.iter_mut().filter(|row| row[column] != 0) {
                let (ours, theirs) = (row[column], pivot[column]);
                for (entry, other) in row.iter_mut().zip(pivot) {
                    *entry = (*entry * theirs - other * ours).rem_euclid(MODULUS);
                }
            }
            rank += 1;
        }
        rank
    }

    #[test]
    fn no_combination_comes_twice() {
        for size in SIZES {
            let mut seen: Vec<[usize; 2]> = Schedule::new(size).collect();
            assert_eq!(seen.len(), size.combinations());
            assert_eq!(Schedule::new(size).len(), size.combinations());
            seen.iter_mut().for_each(|members| members.sort_unstable());
            assert!(seen.iter().all(|[a, b]| a < b && *b < size.members()), "two different members");
            seen.sort_unstable();
            seen.dedup();
            assert_eq!(seen.len(), size.combinations(), "{size:?}");
        }
    }

    #[test]
    fn operations_of_two_successive_rounds_are_independent() {
        for size in SIZES {
            let all: Vec<[usize; 2]> = Schedule::new(size).collect();
            let round = size.members() / 2;
            for two in all.chunks(round).collect::<Vec<_>>().windows(2) {
                assert_eq!(rank(size.members(), &two.concat()), 2 * round, "{size:?}");
            }
            for following in all.windows(round + 1).step_by(7) {
                assert_eq!(rank(size.members(), following), round + 1, "{size:?}");
            }
        }
    }

    /// How many operations that follow each other have four among them of which one is known from the others: a cycle of
    /// four is two ways of two steps between the same members.
    fn nearest_four(size: Size) -> usize {
        let all: Vec<[usize; 2]> = Schedule::new(size).collect();
        let mut ways: HashMap<[usize; 2], Vec<[usize; 2]>> = HashMap::new();
        for (i, first) in all.iter().enumerate() {
            for (j, second) in all[..i].iter().enumerate() {
                for (a, middle) in [(first[0], first[1]), (first[1], first[0])] {
                    for (b, end) in [(second[0], second[1]), (second[1], second[0])] {
                        if middle == end {
                            ways.entry([a.min(b), a.max(b)]).or_default().push([j, i]);
                        }
                    }
                }
            }
        }
        let mut nearest = usize::MAX;
        for ways in ways.values() {
            for (i, one) in ways.iter().enumerate() {
                for other in &ways[..i] {
                    nearest = nearest.min(one[1].max(other[1]) - one[0].min(other[0]) + 1);
                }
            }
        }
        nearest
    }

    #[test]
    fn any_five_operations_of_a_batch_are_independent() {
        assert_eq!(SIZES.map(nearest_four), [usize::MAX, 6, 15, 62, 152]);
    }
}
