//! Arithmetic modulo several numbers at once, in Montgomery form: composes kernels for every limb class.
//!
//! Called by `power`; calls kernels. Operands are rows of the workspace. R is 2^(52·N); values are below 8n
//! unless stated, and every limb of a value is below 2^52.

use super::bits;
use super::class::{Blocks, Class, Folded, Products, Shape};
use super::kernels::{self, Kernel, Kernels};
use super::workspace::Layout;
use garner_kernels::doubles::{self, Area, SQUARES};
use garner_kernels::{LIMB_BITS, Lanes, constants, scan, transpose};

/// Moduli of one class, and the memory to work in: of jobs, each of which has a lane or, folded, several.
pub struct Field<'a, K> {
    kernels: &'a K,
    class: &'static Class,
    /// Where everything stands.
    pub layout: Layout,
    /// The workspace.
    pub memory: &'a mut [Lanes],
    /// What of a scan runs in each squaring of a window: worked out once, not with each of thousands.
    quarters: [Passes; 4],
}

impl<'a, K: Kernels> Field<'a, K> {
    /// Over a workspace laid out for `class`, all zero.
    pub fn new(kernels: &'a K, class: &'static Class, memory: &'a mut [Lanes]) -> Field<'a, K> {
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
        Field {
            kernels,
            class,
            layout,
            memory,
            quarters: std::array::from_fn(|quarter| Passes::of(class, &layout, quarter)),
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

    /// The rows of the numbers at `place`.
    pub fn number(&mut self, place: usize) -> &mut [Lanes] {
        &mut self.memory[place..place + self.class.rows()]
    }

    /// Brings the bits from `first` on of each job's words to the numbers at `to`: 52·N bits, or zeros.
    pub fn load<'w>(&mut self, to: usize, first: usize, words: impl Fn(usize) -> &'w [u64]) {
        let Layout { columns: staging, constants: c, .. } = self.layout;
        let (rows, folded, bits) = (transpose::staged_rows(self.rows()), self.class.lanes(), self.lane_bits());
        for (lane, staged) in self.memory[staging..staging + 8 * rows].chunks_exact_mut(rows).enumerate() {
            bits::shift_right(words(lane / folded), first + lane % folded * bits, staged.as_flattened_mut());
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
        self.run(self.class.add, [to, a, b, self.layout.constants, 0, 0]);
    }

    /// `to = a mod n`, for `a` that is below `n` but for the excess of `products` products. `to` is not `a`, which is lost.
    pub fn canonical(&mut self, to: usize, a: usize, products: usize) {
        for left in (0..products * self.class.excess()).rev() {
            self.run(self.class.subtract_modulus, [to, a, self.layout.modulus, self.layout.constants, 0, 0]);
            if left > 0 {
                self.copy(a, to);
            }
        }
    }

    /// `to = a² / R`: below `a² / R` + [`Class::excess`] n.
    pub fn square(&mut self, to: usize, a: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(direct) => self.run(direct.square, [to, a, n, c, 0, 0]),
            Shape::Doubles(doubles) => self.run(doubles.square, [to, a, self.layout.area, c, 0, 0]),
            Shape::Folded(Folded { square: Some(square), .. }) => {
                self.bring_to_place(to, a);
                self.run(square.plain, [to, self.layout.columns, n, c, 0, 0]);
            }
            Shape::Folded(folded) => self.run(folded.multiply, [to, a, n, c, a, 0]),
            Shape::Blocks { blocks, count, spread } => {
                let mut composed = Composed::new(self, blocks, count);
                composed.square(a, spread);
                composed.fold();
                composed.reduce(count / 2, to, &mut Passes::none());
            }
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
        (0..left).for_each(|_| self.square(place, place));
    }

    /// Four squarings of the number at `place`, and its multiplication by the wanted entry of the table.
    pub fn window(&mut self, place: usize) {
        let Layout { area, constants: c, table, selection, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(direct) => {
                let Layout { modulus: n, .. } = self.layout;
                return self.run(direct.window, [place, selection + self.rows(), n, c, table, selection]);
            }
            Shape::Doubles(doubles) => return self.run(doubles.window, [place, 0, area, c, table, selection]),
            Shape::Folded(Folded { square: None, .. }) => {
                self.scan();
                self.square_times(place, SQUARES);
            }
            _ => (0..SQUARES).for_each(|quarter| self.square_and_scan(place, quarter)),
        }
        self.half_multiply(place, selection, selection + self.rows(), place);
    }

    /// A squaring in place, and a quarter of the scan.
    fn square_and_scan(&mut self, place: usize, quarter: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        let mut passes = self.quarters[quarter];
        let Passes { table, selection, .. } = passes;
        match self.class.shape {
            Shape::Folded(Folded { square: Some(square), .. }) => {
                let kernel = if passes.left == 0 { square.plain } else { square.scan };
                self.run(kernel, [place, self.layout.columns, n, c, table, selection]);
            }
            Shape::Blocks { blocks, count, spread } => {
                let mut composed = Composed::new(self, blocks, count);
                composed.square(place, spread);
                composed.fold();
                composed.reduce(count / 2, place, &mut passes);
                debug_assert_eq!(passes.left, 0, "every pass found a reduction");
            }
            _ => unreachable!("their scan is none of their squarings'"),
        }
    }

    /// `to = a · b / R`: below `a · b / R` + [`Class::excess`] n. One of them may be anything below 2^(52·N).
    pub fn multiply(&mut self, to: usize, a: usize, b: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(direct) => self.run(direct.multiply, [to, a, n, c, b, 0]),
            Shape::Doubles(doubles) => self.run(doubles.multiply, [to, a, self.layout.area, c, b, 0]),
            Shape::Folded(folded) => self.run(folded.multiply, [to, a, n, c, b, 0]),
            Shape::Blocks { blocks, count, .. } => {
                let mut composed = Composed::new(self, blocks, count);
                composed.multiply(a, b);
                composed.fold();
                composed.reduce(count / 2, to, &mut Passes::none());
            }
        }
    }

    /// `to = a · b / R`, given `a / 2^(26·N)` at `shifted`: below `shifted + a · b / R` + [`Class::excess`] n. `b` may be
    /// anything below 2^(52·N). `a` and `shifted` are [prepared](Field::prepare), or come from the table.
    pub fn half_multiply(&mut self, to: usize, a: usize, shifted: usize, b: usize) {
        let Layout { modulus: n, constants: c, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(direct) => self.run(direct.half_multiply, [to, a, n, c, b, shifted]),
            Shape::Doubles(doubles) => self.run(doubles.half_multiply, [to, a, self.layout.area, c, b, shifted]),
            Shape::Folded(folded) => self.run(folded.half_multiply, [to, a, n, c, b, shifted]),
            Shape::Blocks { blocks, count, .. } => {
                let mut composed = Composed::new(self, blocks, count);
                composed.half_multiply(a, shifted, b);
                composed.reduce(0, to, &mut Passes::none());
            }
        }
    }

    /// `to = a / 2^(26·N)`: below `a / 2^(26·N)` + [`Class::excess`] n. `a` may be anything below 2^(52·N).
    pub fn half_reduce(&mut self, to: usize, a: usize) {
        let Layout { modulus: n, constants: c, columns, .. } = self.layout;
        match self.class.shape {
            Shape::Direct(direct) => self.run(direct.half_reduce, [to, a, n, c, 0, 0]),
            Shape::Doubles(doubles) => self.run(doubles.half_reduce, [to, a, self.layout.area, c, 0, 0]),
            Shape::Folded(folded) => self.run(folded.half_reduce, [to, a, n, c, 0, 0]),
            Shape::Blocks { blocks, count, .. } => {
                let limbs = self.class.limbs;
                self.copy(columns, a);
                self.memory[columns + limbs..columns + limbs + limbs / 2 + 1].fill([0; 8]);
                Composed::new(self, blocks, count).reduce(0, to, &mut Passes::none());
            }
        }
    }

    /// `to = a / R`, canonical: out of Montgomery form. `a` may be anything below 2^(52·N); `to` is not `a`.
    pub fn leave(&mut self, to: usize, a: usize) {
        self.half_reduce(a, a);
        self.half_reduce(a, a);
        self.canonical(to, a, 1);
    }

    /// Writes the number at `from` and, behind it in the entry, the one at `shifted` to the table, prepared.
    pub fn set_entry(&mut self, entry: usize, from: usize, shifted: usize) {
        let (rows, table) = (self.rows(), self.layout.table);
        let limbs = (from..from + rows).chain(shifted..shifted + rows).enumerate();
        if let Shape::Doubles(_) = self.class.shape {
            for (i, row) in limbs {
                let first = 8 * (table + i * doubles::scan::ROWS_PER_LIMB) + 4 * entry;
                let words = self.memory.as_flattened_mut();
                (0..4).for_each(|lane| words[first + lane] = to_double(words[8 * row + lane]));
            }
        } else {
            limbs.for_each(|(i, row)| self.memory[table + i * scan::ENTRIES + entry] = self.memory[row]);
        }
    }

    /// `to =` the number that the scan selected.
    pub fn copy_selection(&mut self, to: usize) {
        self.copy(to, self.layout.selection);
        if let Shape::Doubles(_) = self.class.shape {
            self.number(to).as_flattened_mut().iter_mut().for_each(|limb| *limb = from_double(*limb));
        }
    }

    /// Which entry each job wants of the next scan.
    pub fn want(&mut self, entries: [u64; 8]) {
        // Lanes of a number are a power of two: no division in every window.
        let shift = self.class.lanes().trailing_zeros();
        self.memory[self.layout.constants + constants::WANTED] = std::array::from_fn(|lane| entries[lane >> shift]);
    }

    /// Brings the wanted entry to the selection, by a scan of the whole table.
    pub fn scan(&mut self) {
        let Layout { constants: c, table, selection, .. } = self.layout;
        if let Shape::Doubles(doubles) = self.class.shape {
            return self.run(doubles.scan, [0, 0, 0, c, table, selection]);
        }
        for row in (0..2 * self.class.rows()).step_by(scan::LIMBS_PER_CALL) {
            self.run(&kernels::SCAN, [0, 0, 0, c, table + row * scan::ENTRIES, selection + row]);
        }
    }

    /// Brings what is squared in place to its place.
    fn bring_to_place(&mut self, to: usize, a: usize) {
        if to != a {
            self.copy(to, a);
        }
    }

    fn run(&mut self, kernel: &Kernel, at: [usize; 6]) {
        self.kernels.run(kernel, self.memory, at);
    }
}

/// A limb in double precision.
fn to_double(limb: u64) -> u64 {
    (f64::from_bits(limb | constants::TWO_TO_52) - f64::from_bits(constants::TWO_TO_52)).to_bits()
}

/// A limb out of double precision.
fn from_double(bits: u64) -> u64 {
    (f64::from_bits(bits) + f64::from_bits(constants::TWO_TO_52)).to_bits() & ((1 << LIMB_BITS) - 1)
}

/// Passes of a table scan waiting for kernels to run in.
#[derive(Clone, Copy)]
struct Passes {
    left: usize,
    /// Rows that each selects.
    rows: usize,
    /// Where the next one reads.
    table: usize,
    /// Where it writes.
    selection: usize,
}

impl Passes {
    /// Those that run in the squaring `quarter` of a window's four.
    fn of(class: &Class, layout: &Layout, quarter: usize) -> Passes {
        let (passes, rows) = (class.passes(quarter), class.rows_per_pass());
        let first = passes.start * rows;
        Passes {
            left: passes.len(),
            rows,
            table: layout.table + first * scan::ENTRIES,
            selection: layout.selection + first,
        }
    }

    fn none() -> Passes {
        Passes { left: 0, rows: 0, table: 0, selection: 0 }
    }

    /// The next pass's table and selection.
    fn next(&mut self) -> Option<(usize, usize)> {
        self.left = self.left.checked_sub(1)?;
        let pass = (self.table, self.selection);
        self.table += self.rows * scan::ENTRIES;
        self.selection += self.rows;
        Some(pass)
    }
}

/// Products and reductions composed of blocks, on the workspace's columns.
struct Composed<'f, 'a, K> {
    field: &'f mut Field<'a, K>,
    blocks: &'static Blocks,
    products: &'static Products,
    count: usize,
}

impl<'f, 'a, K: Kernels> Composed<'f, 'a, K> {
    fn new(field: &'f mut Field<'a, K>, blocks: &'static Blocks, count: usize) -> Self {
        let products = field.kernels.products(blocks);
        Composed { field, blocks, products, count }
    }

    /// The place of block `i` of the number or the columns at `place`.
    fn block(&self, place: usize, i: usize) -> usize {
        place + i * self.blocks.limbs
    }

    fn columns(&self, i: usize) -> usize {
        self.block(self.field.layout.columns, i)
    }

    /// `columns = a²`, see [`garner_kernels::block_square`].
    fn square(&mut self, a: usize, spread: Option<&Kernel>) {
        let Layout { columns, constants: c, digits: difference, .. } = self.field.layout;
        let Some(spread) = spread else {
            let (x, y) = (self.block(a, 0), self.block(a, 1));
            self.field.run(self.blocks.difference, [difference, x, y, c, 0, 0]);
            self.field.run(self.blocks.square_fresh, [columns, x, 0, c, 0, 0]);
            self.field.run(self.blocks.square_fresh, [self.columns(2), y, 0, c, 0, 0]);
            return self.field.run(self.blocks.square_middle, [columns, difference, 0, c, 0, 0]);
        };
        for i in 0..self.count {
            let kernel = if i == 0 { self.blocks.square_fresh } else { self.blocks.square_fresh_top };
            self.field.run(kernel, [self.columns(i), self.block(a, i), 0, c, 0, 0]);
        }
        self.field.run(spread, [columns, 0, 0, c, 0, 0]);
        for i in 0..self.count - 1 {
            for j in i + 1..self.count {
                let (x, y) = (self.block(a, i), self.block(a, j));
                self.field.run(self.blocks.difference, [difference, x, y, c, 0, 0]);
                self.field.run(self.blocks.square_subtract, [self.columns(i + j), difference, 0, c, 0, 0]);
            }
        }
    }

    /// `columns = a · b`
    fn multiply(&mut self, a: usize, b: usize) {
        let (count, c) = (self.count, self.field.layout.constants);
        for i in 0..count {
            for j in 0..count {
                let kernel = match (i, j) {
                    (0, 0) => self.products.fresh,
                    (i, j) if i == 0 || j == count - 1 => self.products.fresh_top,
                    _ => self.products.old,
                };
                self.field.run(kernel, [self.columns(i + j), self.block(b, i), self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// `columns = shifted · b_low + a · b_high`
    fn half_multiply(&mut self, a: usize, shifted: usize, b: usize) {
        let (count, half, c) = (self.count, self.count / 2, self.field.layout.constants);
        for i in 0..half {
            for j in 0..count {
                let first = match (i, j) {
                    (0, 0) => self.products.fresh,
                    (i, j) if i == 0 || j == count - 1 => self.products.fresh_top,
                    _ => self.products.old,
                };
                let (columns, low, high) = (self.columns(i + j), self.block(b, i), self.block(b, i + half));
                self.field.run(first, [columns, low, self.block(shifted, j), c, 0, 0]);
                self.field.run(self.products.old, [columns, high, self.block(a, j), c, 0, 0]);
            }
        }
    }

    /// Takes the lower quarter of the columns away: `columns = columns / 2^(26·N)`, from the block `count / 2` on. Their limbs
    /// are multiplied by 2^(−26·N) mod n, so that no digit waits for another (Orup 1995); the columns stay one half longer than
    /// the modulus, which is why the other half is Montgomery's.
    fn fold(&mut self) {
        let Layout { inverse, constants: c, digits, .. } = self.field.layout;
        let half = self.count / 2;
        for i in 0..half {
            self.field.run(self.blocks.digits, [self.columns(i), self.block(digits, i), 0, c, 0, 0]);
        }
        for i in 0..half {
            for j in 0..self.count {
                let (columns, limbs) = (self.columns(half + i + j), self.block(digits, i));
                self.field.run(self.products.old, [columns, limbs, self.block(inverse, j), c, 0, 0]);
            }
        }
    }

    /// `to = columns / 2^(26·N)`, from the block `first` on: half of the block rows of a Montgomery reduction, and the
    /// carries.
    fn reduce(&mut self, first: usize, to: usize, passes: &mut Passes) {
        let Layout { modulus: n, constants: c, digits: q, .. } = self.field.layout;
        let (count, rows) = (self.count, self.count / 2);
        self.field.memory[c + constants::CARRY] = [0; 8];
        for i in 0..rows {
            let columns = self.columns(first + i);
            match passes.next() {
                Some((table, selection)) => {
                    self.field.run(self.blocks.reduce_scan, [columns, q, n, c, table, selection]);
                }
                None => self.field.run(self.blocks.reduce, [columns, q, n, c, 0, 0]),
            }
            for j in 1..count {
                let (columns, n) = (self.columns(first + i + j), self.block(n, j));
                let kernel = match (i == rows - 1, j == count - 1) {
                    (false, _) => self.products.old,
                    (true, false) => self.products.carry,
                    (true, true) => self.products.last,
                };
                self.field.run(kernel, [columns, q, n, c, self.block(to, j - 1), 0]);
            }
        }
    }
}
