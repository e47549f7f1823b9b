// SPDX-License-Identifier: Apache-2.0
//! Arithmetic modulo several numbers at once, in Montgomery form: composes kernels for every limb class.
//!
//! Called by `power`; calls kernels. Operands are rows of the workspace. R is 2^(52·N); values are below 8n
//! unless stated, and every limb of a value is below 2^52, or counts modulo 2^52 where kernels by two rows run.

mod composed;
mod table;

use super::bits;
use super::class::{Class, Composition, DirectKernels, Folded, Loose, Shape};
use super::kernels::{self, At, Kernel, Kernels, Sequence};
use super::workspace::Layout;
use crate::words::shift_right;
use composed::Composed;
use garner_kernels::doubles::{self, Area, SQUARES};
use garner_kernels::{LIMB_BITS, Lanes, constants, transpose};
use table::Passes;
pub use table::{WINDOW_BITS, WINDOWS_PER_WORD};

/// Moduli of one class, and the memory to work in: of jobs, each of which has a lane or, folded, several.
pub struct Field<'a, K> {
    kernels: &'a K,
    class: &'static Class,
    /// The kernels of a length that needs no composition: chosen once, not with each operation.
    direct: Option<&'static DirectKernels>,
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
    /// Over a workspace laid out for `class`, all zero.
    pub fn new(kernels: &'a K, class: &'static Class, memory: &'a mut [Lanes]) -> Field<'a, K> {
        let layout = Layout::of(class);
        memory[layout.constants + constants::LIMB_MASK] = [(1 << LIMB_BITS) - 1; 8];
        memory[layout.constants + constants::ONES_51] = [(1 << 51) - 1; 8];
        memory[layout.constants + constants::ONES_53] = [(1 << 53) - 1; 8];
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
        let (direct, by_two_rows) = match class.shape {
            Shape::Direct(direct) => {
                let chosen = kernels.direct(direct);
                (Some(chosen), std::ptr::eq(chosen, &raw const direct.two_rows))
            }
            Shape::Blocks { blocks, .. } => (None, matches!(kernels.composition(blocks), Composition::TwoRows(_))),
            Shape::Folded(_) | Shape::Doubles(_) => (None, false),
        };
        let loose = class.loose.as_ref().filter(|_| by_two_rows);
        Field {
            kernels,
            class,
            direct,
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

    /// Brings the bits from `first` on of each job's words to the numbers at `to`: 52·N bits, or zeros.
    pub fn load<'w>(&mut self, to: usize, first: usize, words: impl Fn(usize) -> &'w [u64]) {
        let Layout { columns: staging, constants: c, .. } = self.layout;
        let (rows, folded, bits) = (transpose::staged_rows(self.rows()), self.class.lanes(), self.lane_bits());
        for (lane, staged) in self.memory[staging..staging + 8 * rows].chunks_exact_mut(rows).enumerate() {
            shift_right(words(lane / folded), first + lane % folded * bits, staged.as_flattened_mut());
        }
        self.run(self.class.to_limbs, [to, staging, staging + 8 * rows, c, 0, 0]);
    }

    /// Brings the numbers at `from` to words; [`Field::words`] shows them.
    pub fn unload(&mut self, from: usize) {
        let Layout { columns: staging, constants: c, .. } = self.layout;
        let (rows, folded, bits) = (transpose::staged_rows(self.rows()), self.class.lanes(), self.lane_bits());
        self.run(self.class.to_words, [staging, from, staging + 8 * rows, c, 0, 0]);
        if folded > 1 {
            let (lanes, joined) = self.memory[staging..staging + 12 * rows].split_at_mut(8 * rows);
            joined.fill([0; 8]);
            for (lane, words) in lanes.chunks_exact(rows).take(self.class.jobs() * folded).enumerate() {
                let job = &mut joined[lane / folded * folded * rows..];
                bits::or_shifted_left(words.as_flattened(), lane % folded * bits, job.as_flattened_mut());
            }
        }
    }

    /// A job's words, after [`Field::unload`].
    pub fn words(&self, job: usize) -> &[u64] {
        let (rows, folded) = (transpose::staged_rows(self.rows()), self.class.lanes());
        let first = if folded > 1 { 8 * rows } else { 0 };
        self.memory[self.layout.columns + first + job * folded * rows..][..folded * rows].as_flattened()
    }

    /// Brings each job's limbs to the numbers at `to`; a job without any has zeros there already.
    pub fn load_limbs<'l>(&mut self, to: usize, limbs: impl Fn(usize) -> &'l [u64]) {
        let (rows, folded) = (self.rows(), self.class.lanes());
        for lane in 0..8 {
            let limbs = limbs(lane / folded).chunks(rows).nth(lane % folded).unwrap_or_default();
            for (row, limb) in self.memory[to..].iter_mut().zip(limbs) {
                row[lane] = *limb;
            }
        }
    }

    /// Brings the moduli, 2^(−26·N) mod n, 2^(−260) mod n and −n^−1 mod 2^260 of each job, in limbs, to their places.
    pub fn load_moduli<'l>(
        &mut self,
        moduli: impl Fn(usize) -> &'l [u64],
        inverses: impl Fn(usize) -> &'l [u64],
        reducers: impl Fn(usize) -> &'l [u64],
        negative_inverses: impl Fn(usize) -> &'l [u64],
    ) {
        let folded = self.class.lanes();
        let inverse = |lane: usize, i: usize| negative_inverses(lane / folded).get(i).copied().unwrap_or(0);
        self.memory[self.layout.constants + constants::NEGATIVE_INVERSE] = std::array::from_fn(|lane| inverse(lane, 0));
        self.load_limbs(self.layout.modulus, moduli);
        if let Shape::Blocks { .. } = self.class.shape {
            self.load_limbs(self.layout.inverse, inverses);
        }
        if let Shape::Doubles(_) = self.class.shape {
            let area = Area::of(self.class.numbers());
            let [modulus, reducer] = [area.modulus, area.reducer].map(|row| self.layout.area + row);
            self.copy(modulus, self.layout.modulus);
            self.load_limbs(reducer, reducers);
            [modulus, reducer].into_iter().for_each(|place| self.prepare(place));
            for (i, row) in self.memory[self.layout.area + area.inverse..][..doubles::BLOCK].iter_mut().enumerate() {
                *row = std::array::from_fn(|lane| to_double(inverse(lane, i)));
            }
        }
    }

    /// Makes the number at `place` a factor for [`Field::half_multiply`], and for nothing else.
    pub fn prepare(&mut self, place: usize) {
        if let Shape::Doubles(_) = self.class.shape {
            self.number(place).as_flattened_mut().iter_mut().for_each(|limb| *limb = to_double(*limb));
        }
    }

    /// Bits of a number that stand in one lane.
    fn lane_bits(&self) -> usize {
        self.rows() * LIMB_BITS
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
        if self.composed().pair().is_some() {
            self.bring_to_place(to, a);
            self.composed().square_and_reduce(to, to, &mut Passes::none());
        } else {
            self.composed().square_and_reduce(to, a, &mut Passes::none());
        }
        (0..times).for_each(|_| self.run_composed());
    }

    /// Four squarings of the accumulator, and its multiplication by the wanted entry of the table.
    pub fn window(&mut self) {
        let Layout { accumulator, modulus: n, area, constants: c, table, selection, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(_) => {
                self.run(self.direct().window, [accumulator, selection + self.rows(), n, c, table, selection]);
            }
            Shape::Doubles(doubles) => self.run(doubles.window, [accumulator, 0, area, c, table, selection]),
            Shape::Folded(folded) => self.run_window(|field| field.folded_window(folded)),
            Shape::Blocks { .. } => self.run_window(Field::composed_window),
        }
    }

    /// All windows of a word of the [exponents](Field::exponents).
    pub fn windows(&mut self) {
        let Layout { accumulator, wanted, modulus: n, constants: c, table, selection, .. } = self.layout;
        if let Some(windows) = self.direct.and_then(|direct| direct.windows) {
            return self.run(windows, [accumulator, wanted, n, c, table, selection]);
        }
        for window in (0..WINDOWS_PER_WORD).rev() {
            self.want(window);
            self.window();
        }
    }

    fn run_window(&mut self, kernels: impl FnOnce(&mut Self) -> Sequence) {
        if self.window.is_empty() {
            self.window = kernels(self);
        }
        // Where it stands: moved out and back, it would have to arrive in memory before the next window begins.
        self.kernels.run_all(&self.window, self.memory);
    }

    fn folded_window(&self, folded: &Folded) -> Sequence {
        let Layout { accumulator: a, columns, modulus: n, constants: c, selection, .. } = self.layout;
        let mut window = Sequence::default();
        if folded.square.is_none() {
            self.scans().for_each(|at| window.push(&kernels::SCAN, at));
        }
        for quarter in 0..SQUARES {
            let passes = Passes::of(self.class, &self.layout, quarter);
            match &folded.square {
                None => window.push(folded.multiply, [a, a, n, c, a, 0]),
                Some(square) if passes.left == 0 => window.push(square.plain, [a, columns, n, c, 0, 0]),
                Some(square) => window.push(square.scan, [a, columns, n, c, passes.table, passes.selection]),
            }
        }
        window.push(folded.half_multiply, [a, selection, n, c, a, selection + self.rows()]);
        window
    }

    fn composed_window(&mut self) -> Sequence {
        let (class, layout) = (self.class, self.layout);
        let Layout { accumulator, selection, .. } = layout;
        let mut composed = self.composed();
        for quarter in 0..SQUARES {
            let mut passes = Passes::of(class, &layout, quarter);
            composed.square_and_reduce(accumulator, accumulator, &mut passes);
            debug_assert_eq!(passes.left, 0, "every pass found a reduction");
        }
        composed.half_multiply_and_reduce(accumulator, selection, selection + class.rows(), accumulator);
        std::mem::take(&mut self.sequence)
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
                let in_place = self.composed().pair().is_some();
                if in_place {
                    self.bring_to_place(to, b);
                }
                self.composed().half_multiply_and_reduce(to, a, shifted, if in_place { to } else { b });
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
        Composed::new(&mut self.sequence, &self.layout, self.class, self.kernels)
    }

    fn run_composed(&mut self) {
        self.kernels.run_all(&self.sequence, self.memory);
    }
}

/// The bits of a limb.
const LIMB_MASK: u64 = (1 << LIMB_BITS) - 1;

/// A limb in double precision.
fn to_double(limb: u64) -> u64 {
    (f64::from_bits(limb | constants::TWO_TO_52) - f64::from_bits(constants::TWO_TO_52)).to_bits()
}

/// A limb out of double precision.
fn from_double(bits: u64) -> u64 {
    (f64::from_bits(bits) + f64::from_bits(constants::TWO_TO_52)).to_bits() & ((1 << LIMB_BITS) - 1)
}
