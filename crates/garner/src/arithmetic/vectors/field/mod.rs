// SPDX-License-Identifier: Apache-2.0
//! Arithmetic modulo several numbers at once, in Montgomery form: composes kernels for every limb class.
//!
//! Called by `power`; calls kernels. Operands are rows of the workspace. R is 2^(52·N); values are below 8n
//! unless stated, and every limb of a value is below 2^52, or counts modulo 2^52 where kernels by two rows run.

mod composed;
mod numbers;
mod table;
mod window;

use super::class::{Blocks, CLASSES, Class, Composition, DirectKernels, Folded, Loose, Shape};
use super::kernels::{At, Kernel, Kernels, Sequence};
use super::workspace::Layout;
use composed::Composed;
use garner_kernels::doubles::{Area, SQUARES};
use garner_kernels::{LIMB_BITS, Lanes, constants};
use table::Passes;
pub use table::write_windows;

/// Moduli of one class, and the memory to work in: of jobs, each of which has a lane or, folded, several.
pub struct Field<'a, K> {
    kernels: &'a K,
    class: &'static Class,
    /// The kernels of a length that needs no composition: chosen once, not with each operation.
    direct: Option<&'static DirectKernels>,
    /// How operations are composed of kernels over blocks, where they are; chosen once, too.
    composition: Option<Composition>,
    /// What adds and compares, where limbs count modulo 2^52 only.
    loose: Option<&'static Loose>,
    /// Where everything stands.
    pub layout: Layout,
    /// The workspace.
    pub memory: &'a mut [Lanes],
    /// The kernels of a window of more than one: composed once, not with each of hundreds.
    window: Sequence,
    /// The kernels of another operation of more than one, the last.
    sequence: Sequence,
}

impl<'a, K: Kernels> Field<'a, K> {
    /// Over a workspace laid out for `class`, all zero or as another field of that class left it.
    pub fn new(kernels: &'a K, class: &'static Class, memory: &'a mut [Lanes]) -> Field<'a, K> {
        let direct = if let Shape::Direct(direct) = class.shape { Some(kernels.direct(direct)) } else { None };
        Field::by(kernels, class, direct, memory)
    }

    /// The same by these kernels, if numbers of `class` need no composition.
    pub fn by(
        kernels: &'a K,
        class: &'static Class,
        direct: Option<&'static DirectKernels>,
        memory: &'a mut [Lanes],
    ) -> Field<'a, K> {
        let layout = Layout::of(class);
        memory[layout.constants + constants::LIMB_MASK] = [(1 << LIMB_BITS) - 1; 8];
        memory[layout.constants + constants::NUMBERS] = std::array::from_fn(|i| i as u64);
        memory[layout.constants + constants::EIGHT] = [8; 8];
        memory[layout.constants + constants::ONE] = [1; 8];
        memory[layout.constants + constants::SIGN] = [1 << 63; 8];
        memory[layout.constants + constants::SHIFTED_SIGN] = [1 << (63 - LIMB_BITS); 8];
        memory[layout.constants + constants::LOW] = [constants::TWO_TO_52; 8];
        memory[layout.constants + constants::HIGH] = [constants::TWO_TO_104; 8];
        memory[layout.constants + constants::SPLITTER] = [constants::TWO_TO_104 + 1; 8];
        if let Shape::Doubles(doubles) = class.shape {
            let rows = &mut memory[layout.area + Area::of(class.numbers()).last_biases..];
            rows.iter_mut().zip(doubles.biases).for_each(|(row, bias)| *row = [*bias; 8]);
        }
        let folded = class.lanes();
        let lanes = |value: u64, wanted: &dyn Fn(usize) -> bool| {
            std::array::from_fn(|lane| if wanted(lane % folded) { value } else { 0 })
        };
        memory[layout.constants + constants::FIRST] = lanes(u64::MAX, &|lane| lane == 0);
        memory[layout.constants + constants::FIRST_LIMB] = lanes((1 << LIMB_BITS) - 1, &|lane| lane == 0);
        memory[layout.constants + constants::NOT_LAST] = lanes(u64::MAX, &|lane| lane < folded - 1);
        memory[layout.constants + constants::NOT_FIRST] = lanes(u64::MAX, &|lane| lane > 0);
        let composition = match class.shape {
            Shape::Blocks { blocks, .. } => Some(kernels.composition(blocks, &|way| window_of_two(blocks, way))),
            _ => None,
        };
        let by_two_rows = match class.shape {
            Shape::Direct(ways) => direct.is_some_and(|chosen| ways.is_loose(chosen)),
            _ => matches!(composition, Some(Composition::TwoRows(_))),
        };
        let loose = class.loose.as_ref().filter(|_| by_two_rows);
        Field {
            kernels,
            class,
            direct,
            composition,
            loose,
            layout,
            memory,
            window: Sequence::default(),
            sequence: Sequence::default(),
        }
    }

    /// Limbs in a number.
    pub fn limbs(&self) -> usize {
        self.class.limbs
    }

    /// Rows of a number.
    pub fn rows(&self) -> usize {
        self.class.rows()
    }

    /// Whether limbs count modulo 2^52 only: see [`garner_kernels::two_rows`].
    pub fn is_loose(&self) -> bool {
        self.loose.is_some()
    }

    /// The rows of the numbers at `place`.
    pub fn number(&mut self, place: usize) -> &mut [Lanes] {
        &mut self.memory[place..place + self.class.rows()]
    }

    /// `to = from`
    pub fn copy(&mut self, to: usize, from: usize) {
        self.memory.copy_within(from..from + self.class.rows(), to);
    }

    /// `to = a + b`, below 2^(52·N).
    pub fn add(&mut self, to: usize, a: usize, b: usize) {
        let kernel = self.loose.map_or(self.class.add, |loose| loose.add);
        self.run(kernel, [to, a, b, self.layout.constants, 0, 0]);
    }

    /// `to = a mod n`, for `a` that is below `n` but for the excess of `products` products. `to` is not `a`, which is lost.
    pub fn canonical(&mut self, to: usize, a: usize, products: usize) {
        let kernel = self.loose.map_or(self.class.subtract_modulus, |loose| loose.subtract_modulus);
        for left in (0..products * self.class.excess()).rev() {
            self.run(kernel, [to, a, self.layout.modulus, self.layout.constants, 0, 0]);
            if left > 0 {
                self.copy(a, to);
            }
        }
    }

    /// `to = a² / R`: below `a² / R` + [`Class::excess`] n.
    pub fn square(&mut self, to: usize, a: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => self.run(self.direct().square, [to, a, n, c, 0, 0]),
            Shape::Doubles(doubles) => self.run(doubles.square, [to, a, self.layout.area, c, 0, 0]),
            Shape::Folded(Folded { square: Some(square), .. }) => {
                self.bring_to_place(to, a);
                self.run(square.plain, [to, self.layout.columns, n, c, 0, 0]);
            }
            Shape::Folded(folded) => self.run(folded.multiply, [to, a, n, c, a, 0]),
            Shape::Blocks { .. } => self.square_composed(to, a, 1),
        }
    }

    /// So many squarings of the number at `place`.
    pub fn square_times(&mut self, place: usize, count: usize) {
        let Layout { area, constants: c, .. } = self.layout;
        let mut left = count;
        if let Shape::Doubles(doubles) = self.class.shape {
            while left >= SQUARES {
                self.run(doubles.squares, [place, 0, area, c, 0, 0]);
                left -= SQUARES;
            }
        }
        match self.class.shape {
            Shape::Blocks { .. } => self.square_composed(place, place, left),
            _ => (0..left).for_each(|_| self.square(place, place)),
        }
    }

    fn square_composed(&mut self, to: usize, a: usize, times: usize) {
        self.composed().square_and_reduce(to, a, &mut Passes::none());
        (0..times).for_each(|_| self.run_composed());
    }

    /// `to = a · b / R`: below `a · b / R` + [`Class::excess`] n. One of them may be anything below 2^(52·N).
    pub fn multiply(&mut self, to: usize, a: usize, b: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => self.run(self.direct().multiply, [to, a, n, c, b, 0]),
            Shape::Doubles(doubles) => self.run(doubles.multiply, [to, a, self.layout.area, c, b, 0]),
            Shape::Folded(folded) => self.run(folded.multiply, [to, a, n, c, b, 0]),
            Shape::Blocks { .. } => {
                let mut composed = self.composed();
                composed.multiply(a, b);
                composed.reduce(to, &mut Passes::none());
                self.run_composed();
            }
        }
    }

    /// `to = a · b / R`, given `a / 2^(26·N)` at `shifted`: below `shifted + a · b / R` + [`Class::excess`] n. `b` may be
    /// anything below 2^(52·N). `a` and `shifted` are [prepared](Field::prepare), or come from the table.
    pub fn half_multiply(&mut self, to: usize, a: usize, shifted: usize, b: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => self.run(self.direct().half_multiply, [to, a, n, c, b, shifted]),
            Shape::Doubles(doubles) => self.run(doubles.half_multiply, [to, a, self.layout.area, c, b, shifted]),
            Shape::Folded(folded) => self.run(folded.half_multiply, [to, a, n, c, b, shifted]),
            Shape::Blocks { .. } => {
                self.composed().half_multiply_and_reduce(to, [a, shifted], b, &mut Passes::none());
                self.run_composed();
            }
        }
    }

    /// `to = a / 2^(26·N)`: below `a / 2^(26·N)` + [`Class::excess`] n. `a` may be anything below 2^(52·N).
    pub fn half_reduce(&mut self, to: usize, a: usize) {
        let Layout { modulus: n, constants: c, columns, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => self.run(self.direct().half_reduce, [to, a, n, c, 0, 0]),
            Shape::Doubles(doubles) => self.run(doubles.half_reduce, [to, a, self.layout.area, c, 0, 0]),
            Shape::Folded(folded) => self.run(folded.half_reduce, [to, a, n, c, 0, 0]),
            Shape::Blocks { .. } => {
                let limbs = self.class.limbs;
                self.copy(columns, a);
                if self.is_loose() {
                    // Columns are sums: what stands above the limbs would count.
                    self.number(columns).as_flattened_mut().iter_mut().for_each(|limb| *limb &= LIMB_MASK);
                }
                self.memory[columns + limbs..columns + limbs + limbs / 2 + 1].fill([0; 8]);
                let mut composed = self.composed();
                composed.half_reduce(to);
                self.run_composed();
            }
        }
    }

    /// `to = a / R`, canonical: out of Montgomery form. `a` may be anything below 2^(52·N); `to` is not `a`.
    pub fn leave(&mut self, to: usize, a: usize) {
        self.half_reduce(a, a);
        self.half_reduce(a, a);
        self.canonical(to, a, 1);
    }

    /// Brings what is squared in place to its place.
    fn bring_to_place(&mut self, to: usize, a: usize) {
        if to != a {
            self.copy(to, a);
        }
    }

    fn direct(&self) -> &'static DirectKernels {
        self.direct.expect("no other class asks for them")
    }

    fn run(&mut self, kernel: &Kernel, at: At) {
        self.kernels.run(kernel, self.memory, at);
    }

    /// A new sequence, of kernels over blocks.
    fn composed(&mut self) -> Composed<'_> {
        self.sequence.clear();
        let composition = self.composition.expect("a class of blocks");
        Composed::new(&mut self.sequence, &self.layout, self.class, composition)
    }

    fn run_composed(&mut self) {
        self.kernels.run_all(&self.sequence, self.memory);
    }
}

/// A window of the exponents of numbers of two such blocks, composed in this way.
fn window_of_two(blocks: &'static Blocks, way: Composition) -> Sequence {
    let is_of_two =
        |class: &&Class| matches!(class.shape, Shape::Blocks { count: 2, .. }) && class.limbs == 2 * blocks.limbs;
    let class = CLASSES.iter().find(is_of_two).expect("numbers of two blocks of each size");
    let (mut window, layout) = (Sequence::default(), Layout::of(class));
    Composed::new(&mut window, &layout, class, way).window(class);
    window
}

/// The bits of a limb.
const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;
