// SPDX-License-Identifier: Apache-2.0
//! Every kernel answers a question before it is used, each of its lanes; a way to run kernels of which one answers wrongly gives
//! place to the next.
//!
//! The answers are the twin's, found when the library was built ([`garner_kernels::known_answer`]). Kernels in double precision
//! take no question of any words; they compute products and powers at each length, folded and not, which libcrypto computes too.

use super::class::Class;
use super::kernels::{self, Assembly, Kernel, Kernels, Rows};
use super::workspace::Workspace;
use super::{Arithmetic, Modulus, Multiply, Power, power};
use crate::arithmetic::libcrypto::Libcrypto;
use crate::words::WORD_BITS;
use garner_kernels::folded::Fold;
use garner_kernels::{LIMB_BITS, known_answer};
use std::ptr;

/// A kernel that gave a wrong answer here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refused {
    /// The way to run it: `"ifma"`.
    pub way: &'static str,
    /// Its name, or what was computed.
    pub kernel: &'static str,
    /// What does its work instead: another way's name, or other kernels of the same way.
    pub instead: &'static str,
}

/// The ways whose kernels answered, and those kernels that did not.
#[derive(Debug)]
pub struct Tested<W> {
    /// The fastest first.
    pub ways: Vec<W>,
    /// In the order in which they were asked.
    pub refused: Vec<Refused>,
}

/// A way to run kernels that can be asked.
pub trait Way: Copy {
    /// Its name.
    fn way(&self) -> &'static str;

    /// The first kernel that answers wrongly, of those without which it does nothing.
    fn wrong(&self) -> Option<&'static str>;

    /// The first of those by two rows.
    fn wrong_by_two_rows(&self) -> Option<&'static str>;

    /// The same way without them.
    fn without_two_rows(self) -> Self;
}

/// Asks every way.
pub fn test<W: Way>(ways: impl IntoIterator<Item = W>) -> Tested<W> {
    let mut tested = Tested { ways: Vec::new(), refused: Vec::new() };
    let ways: Vec<W> = ways.into_iter().collect();
    for (i, way) in ways.iter().enumerate() {
        if let Some(kernel) = way.wrong() {
            let instead = ways.get(i + 1).map_or("libcrypto", Way::way);
            tested.refused.push(Refused { way: way.way(), kernel, instead });
        } else if let Some(kernel) = way.wrong_by_two_rows() {
            tested.refused.push(Refused { way: way.way(), kernel, instead: "kernels by one row" });
            tested.ways.push(way.without_two_rows());
        } else {
            tested.ways.push(*way);
        }
    }
    tested
}

impl Way for Assembly {
    fn way(&self) -> &'static str {
        self.name()
    }

    fn wrong(&self) -> Option<&'static str> {
        if ptr::eq(self.classes(), &super::class::CLASSES) {
            let wide = || first_wrong(self, self.lanes(), &kernels::ALL);
            let narrow = || first_wrong(&self.for_lanes(4), 4, &kernels::ALL);
            wide().or_else(|| (self.lanes() > 4).then(narrow).flatten())
        } else {
            let moved: Vec<_> = kernels::ALL.into_iter().filter(|kernel| kernel.multiply_adds == 0).collect();
            first_wrong(self, 4, &moved).or_else(|| {
                self.classes()
                    .iter()
                    .filter(|class| class.limbs <= ASKED_AT_ONCE)
                    .find_map(|class| wrong_operation(self, class))
            })
        }
    }

    fn wrong_by_two_rows(&self) -> Option<&'static str> {
        if self.lanes() == 8 { first_wrong(self, 8, &kernels::two_rows::ALL) } else { None }
    }

    fn without_two_rows(self) -> Assembly {
        self.by(Rows::One)
    }
}

/// The first of `list` whose answer is wrong in one of the first `lanes` lanes.
pub fn first_wrong(kernels: &impl Kernels, lanes: usize, list: &[&'static Kernel]) -> Option<&'static str> {
    let rows = list.iter().map(|kernel| known_answer::rows(&kernel.reach())).max().unwrap_or(0);
    let mut workspace = Workspace::new(rows);
    let wrong = list.iter().find(|kernel| {
        let memory = &mut workspace.rows()[..known_answer::rows(&kernel.reach())];
        let at = known_answer::ask(memory, &kernel.reach());
        kernels.run(kernel, memory, at);
        known_answer::digest(memory)[..lanes] != kernel.answer()[..lanes]
    });
    wrong.map(|kernel| kernel.name)
}

/// Its power takes four squarings at once, some alone and multiplications; as a secret one, two entries of the table. The answer is
/// cheap: libcrypto takes longer for a whole word of an exponent than all the kernels of a length together.
const EXPONENT: u64 = 0x87;

/// Windows of that.
const WINDOWS: usize = 2;

/// Limbs of the primes of 4096-bit keys. Kernels in double precision for longer numbers are asked when numbers of their length come
/// for the first time ([`Kernels::answer`]): all of them would take some tens of milliseconds.
pub const ASKED_AT_ONCE: usize = 40;

/// What libcrypto computes otherwise than the kernels of this length, folded or not.
pub fn wrong_operation<K: Kernels>(kernels: &K, class: &'static Class) -> Option<&'static str> {
    let words = (class.limbs * LIMB_BITS / WORD_BITS).min(Modulus::MAX_BITS / WORD_BITS + 1) - 1;
    let word = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let number = |first: usize| (first..first + words).map(word).collect::<Vec<u64>>();
    let moduli: Option<Vec<Modulus>> = (0..kernels.lanes())
        .map(|i| {
            let mut n = number(7 * i);
            n[0] |= 1;
            n[words - 1] |= 1 << 63;
            Modulus::new(&n).ok()
        })
        .collect();
    let Some(moduli) = moduli else { return Some("a modulus") };
    let small = |i: usize| {
        let mut number = number(i);
        number[words - 1] >>= 1;
        number
    };
    let (a, b) = (small(100), small(200));
    let products = |moduli: &[Modulus], multiply: &dyn Fn(&mut [Multiply<'_>])| {
        let mut results = vec![vec![0; words]; moduli.len()];
        let jobs = results.iter_mut().zip(moduli);
        let jobs = jobs.map(|(result, modulus)| Multiply { modulus, a: &a, b: &b, result, c: None });
        multiply(&mut jobs.collect::<Vec<_>>());
        results
    };
    let powers = |moduli: &[Modulus], raise: &dyn Fn(&mut [Power<'_>])| {
        let mut results = vec![vec![0; words]; moduli.len()];
        let jobs = results.iter_mut().zip(moduli);
        let jobs = jobs.map(|(result, modulus)| Power { modulus, base: &a, exponent: &[EXPONENT], result });
        raise(&mut jobs.collect::<Vec<_>>());
        results
    };
    let product = products(&moduli, &|jobs| Libcrypto.multiply(jobs));
    let raised = powers(&moduli, &|jobs| Libcrypto.power_public(jobs));
    let is_right = |class: &'static Class| {
        let jobs = class.jobs(kernels.lanes());
        let (moduli, product, raised) = (&moduli[..jobs], &product[..jobs], &raised[..jobs]);
        let multiply =
            |jobs: &mut [Multiply<'_>]| power::multiply(kernels, class, all(jobs).chunks_mut(kernels.lanes()));
        let public =
            |jobs: &mut [Power<'_>]| power::public(kernels, class, &[EXPONENT], all(jobs).chunks_mut(kernels.lanes()));
        let secret = |jobs: &mut [Power<'_>]| power::lowest_windows(kernels, class, WINDOWS, &mut all(jobs));
        products(moduli, &multiply) == product && powers(moduli, &public) == raised && powers(moduli, &secret) == raised
    };
    let folded = Fold::ALL.map(|fold| class.folded(&[fold]));
    let all_right = is_right(class) && folded.into_iter().filter(|folded| folded.fold().is_some()).all(is_right);
    if all_right { None } else { Some("products and powers in double precision") }
}

fn all<J>(jobs: &mut [J]) -> Vec<&mut J> {
    jobs.iter_mut().collect()
}
