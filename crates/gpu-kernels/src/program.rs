// SPDX-License-Identifier: Apache-2.0
//! What a kernel is made of: operations on 32-bit words, the same for every thread, and what can be counted from them.
//!
//! A program is straight-line code with counted loops. Counts are constants, parameters of the launch, or registers that
//! hold public numbers equal in all threads; addresses are a pointer and a constant row. So it has no way to express a
//! branch on data, and the only address made of data is that of [`Op::PointAtRecord`], from the public number of a key.
//!
//! The threads of a warp work side by side. They see each other's words by [`Op::Shuffle`], by [`Op::MultiplyMatrices`], and
//! in memory on the chip after [`Op::Synchronise`].

/// Threads that run in step; each works on a number of its own, or on its share of one that is [spread](SPREAD).
pub const LANES: usize = 32;

/// Threads over which a number may be spread.
pub const SPREAD: usize = 4;

/// Words that one thread reads or writes at once.
pub const ROW_WORDS: usize = 4;

/// A register: one word per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Register(pub u32);

/// An operand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Value {
    /// A register.
    Register(Register),
    /// A constant.
    Word(u32),
}

impl Value {
    /// Zero.
    pub const ZERO: Value = Value::Word(0);
}

impl From<Register> for Value {
    fn from(register: Register) -> Value {
        Value::Register(register)
    }
}

/// What a pointer points into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Space {
    /// The array given as this parameter.
    Global(u8),
    /// The array given as this parameter, of a size that the program says, in constant memory: only read.
    Constant(u8),
    /// The warp's part of the memory on the chip, zero at no particular time.
    Shared,
}

/// How the rows of one thread lie in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Layout {
    /// Tiles of 32 numbers: row r of all lanes, then row r + 1. A warp reads 512 bytes at once.
    Tile,
    /// Records: all rows of one key, then those of the next.
    Record,
    /// Tiles again, of which a thread has another number than its own; moves go by eight numbers, not by rows.
    Numbers,
}

/// Words of a row of a tile.
const TILE_ROW: usize = ROW_WORDS * LANES;

/// A pointer to rows of four words; one address per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// Its number among the program's pointers.
    pub index: u32,
    /// What it points into.
    pub space: Space,
    /// How rows follow each other.
    pub layout: Layout,
    /// Words from one row of a thread to its next.
    pub row_words: usize,
}

impl Pointer {
    /// Words that a move by one takes.
    pub fn move_words(self) -> usize {
        if self.layout == Layout::Numbers { 8 * ROW_WORDS } else { self.row_words }
    }
}

/// Which carry an addition takes and gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Carry {
    /// Adds (or subtracts) the carry of the last operation that gave one.
    pub takes: bool,
    /// Gives its own carry (or borrow) to the next.
    pub gives: bool,
}

/// How often a loop runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// So often.
    Constant(u32),
    /// As often as a register says, which holds the same public number in all threads; perhaps never.
    Register(Register),
}

/// One operation.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operands' names say what they are")]
pub enum Op {
    /// `to = from`
    Copy { to: Register, from: Value },
    /// `to = (low or high word of a * b) + c`
    MultiplyAdd { high: bool, to: Register, a: Value, b: Value, c: Value, carry: Carry },
    /// `to = a * b mod 2^32`
    Multiply { to: Register, a: Value, b: Value },
    /// `to = a + b`
    Add { to: Register, a: Value, b: Value, carry: Carry },
    /// `to = a - b`
    Subtract { to: Register, a: Value, b: Value, carry: Carry },
    /// `to = a & b`
    And { to: Register, a: Value, b: Value },
    /// `to = a | b`
    Or { to: Register, a: Value, b: Value },
    /// `to = a >> bits`
    ShiftRight { to: Register, a: Value, bits: u32 },
    /// `to = high << bits | low >> (32 - bits)`, with `bits` from 1 to 31
    ShiftLeft { to: Register, high: Value, low: Value, bits: u32 },
    /// `to = all ones if a == b, else zero`
    Equal { to: Register, a: Value, b: Value },
    /// `to = row`
    Load { to: [Register; ROW_WORDS], pointer: Pointer, row: u32 },
    /// `row = from`
    Store { from: [Value; ROW_WORDS], pointer: Pointer, row: u32 },
    /// Points at the rows of this thread's number in its tile, each tile `rows` rows of all lanes long; of a number that is
    /// spread at the thread's share, the shares being `share_rows` apart.
    PointAtTile { pointer: Pointer, rows: u32, share_rows: u32 },
    /// Points at this thread's share of the record that `of` points at, the shares being `share_rows` apart; of a tile at
    /// that of one of the first eight numbers, by [`Layout::Numbers`].
    PointAtShare { pointer: Pointer, of: Pointer, share_rows: u32 },
    /// What any thread of the warp has written, all of them read from here on.
    Synchronise,
    /// `sum += a b`, matrices of bytes without sign, spread over the warp: a has 16 rows of 16 bytes, b 16 rows of 8, the
    /// sum 16 rows of 8 words. Thread 4 g + t has four bytes in each word of a and b, from column (of b: row) 4 t on: `a[0]`
    /// of row g, `a[1]` of row g + 8, `b` of column g; and columns 2 t and 2 t + 1 of the sum, first of row g, then of row
    /// g + 8.
    ///
    /// Source: PTX ISA, mma.m16n8k16.
    MultiplyMatrices { sum: [Register; 4], a: [Value; 2], b: Value },
    /// Points at record `index`, each `rows` rows long; of tiles at this thread's place in them.
    PointAtRecord { pointer: Pointer, index: Register, rows: u32 },
    /// Moves by rows; in [`Layout::Numbers`] by eight numbers.
    Advance { pointer: Pointer, rows: i32 },
    /// `to = pointer`, of the same space and layout.
    CopyPointer { to: Pointer, from: Pointer },
    /// `to = which share of a number this thread has`: the threads' numbers modulo [`SPREAD`]
    Share { to: Register },
    /// `to = from` of the thread that has this share of the same number, modulo [`SPREAD`]
    Shuffle { to: Register, from: Register, share: Value },
    /// `to = the number given with the launch`
    Parameter { to: Register },
    /// Runs `body` `count` times.
    Repeat { count: Count, body: Vec<Op> },
    /// Claims that a value is zero, whatever the input: nothing on a GPU, checked by the interpreter.
    Zero { value: Value },
}

/// A kernel's code and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The operations.
    pub ops: Vec<Op>,
    /// How many registers they name.
    pub registers: u32,
    /// How many pointers.
    pub pointers: Vec<Pointer>,
    /// Arrays it is given.
    pub parameters: u8,
    /// The array that it wants in constant memory, and its words.
    pub constant: Option<(u8, usize)>,
    /// Rows of all lanes on the chip for each warp, and their words.
    pub shared_rows: u32,
    /// See [`Builder::spaced`].
    pub shared_row_words: usize,
    /// Threads for each number: 1 or [`SPREAD`]. So many warps work on a tile.
    pub spread: usize,
}

impl Program {
    /// Bytes on the chip for each warp.
    pub fn shared_bytes(&self) -> usize {
        self.shared_rows as usize * self.shared_row_words * 4
    }

    /// All operations, those of loops once, in order.
    pub fn flat(&self) -> Vec<&Op> {
        fn append<'a>(ops: &'a [Op], to: &mut Vec<&'a Op>) {
            for op in ops {
                if let Op::Repeat { body, .. } = op { append(body, to) } else { to.push(op) }
            }
        }
        let mut all = Vec::new();
        append(&self.ops, &mut all);
        all
    }

    /// Whether it needs tensor cores.
    pub fn multiplies_matrices(&self) -> bool {
        self.flat().iter().any(|op| matches!(op, Op::MultiplyMatrices { .. }))
    }
}

/// Appends operations and hands out registers.
#[derive(Debug, Default)]
pub struct Builder {
    ops: Vec<Op>,
    registers: u32,
    pointers: Vec<Pointer>,
    parameters: u8,
    constant: Option<(u8, usize)>,
    shared_rows: u32,
    /// Rows on the chip have so many words more than they need.
    space: usize,
    is_spread: bool,
}

#[allow(missing_docs, reason = "each appends the operation of its name")]
impl Builder {
    /// Nothing yet; the kernel is given `parameters` arrays.
    pub fn new(parameters: u8) -> Builder {
        Builder { parameters, ..Builder::default() }
    }

    /// The same for numbers that are spread over threads.
    pub fn spread(parameters: u8) -> Builder {
        Builder { is_spread: true, ..Builder::new(parameters) }
    }

    /// The same with space after each row on the chip for so many threads' words, so that a thread which reads other rows
    /// than its neighbour finds them in other banks.
    pub fn spaced(parameters: u8, threads: usize) -> Builder {
        Builder { space: threads * ROW_WORDS, ..Builder::new(parameters) }
    }

    /// The program.
    pub fn finish(self) -> Program {
        let Builder { ops, registers, pointers, parameters, constant, shared_rows, space, is_spread } = self;
        let spread = if is_spread { SPREAD } else { 1 };
        let shared_row_words = TILE_ROW + space;
        Program { ops, registers, pointers, parameters, constant, shared_rows, shared_row_words, spread }
    }

    /// A register not used before.
    pub fn register(&mut self) -> Register {
        self.registers += 1;
        Register(self.registers - 1)
    }

    /// As many as asked for.
    pub fn registers(&mut self, count: usize) -> Vec<Register> {
        (0..count).map(|_| self.register()).collect()
    }

    fn pointer(&mut self, space: Space, layout: Layout) -> Pointer {
        let row_words = match (layout, space) {
            (Layout::Record, _) => ROW_WORDS,
            (_, Space::Shared) => TILE_ROW + self.space,
            _ => TILE_ROW,
        };
        let pointer = Pointer { index: self.pointers.len() as u32, space, layout, row_words };
        self.pointers.push(pointer);
        pointer
    }

    /// A pointer to the rows of this thread's number in the tiles of parameter `parameter`.
    pub fn tile(&mut self, parameter: u8, rows: usize) -> Pointer {
        self.share_of_tile(parameter, rows, 0)
    }

    /// The same to its share of a number that is spread, the shares being `share_rows` apart.
    pub fn share_of_tile(&mut self, parameter: u8, rows: usize, share_rows: usize) -> Pointer {
        assert!(parameter < self.parameters, "a parameter of the kernel");
        assert!(share_rows == 0 || self.is_spread, "numbers are spread");
        let pointer = self.pointer(Space::Global(parameter), Layout::Tile);
        self.ops.push(Op::PointAtTile { pointer, rows: rows as u32, share_rows: share_rows as u32 });
        pointer
    }

    /// A pointer to record `index` in parameter `parameter`.
    pub fn record(&mut self, parameter: u8, index: Register, rows: usize) -> Pointer {
        self.chosen(Space::Global(parameter), index, rows, Layout::Record)
    }

    /// The same in constant memory, where the parameter is `words` words long.
    pub fn constant_record(&mut self, parameter: u8, index: Register, rows: usize, words: usize) -> Pointer {
        assert!(self.constant.is_none(), "one array in constant memory");
        self.constant = Some((parameter, words));
        self.chosen(Space::Constant(parameter), index, rows, Layout::Record)
    }

    /// A pointer to the rows of this thread in tile `index` of parameter `parameter`, which is the same for the whole warp.
    pub fn chosen_tile(&mut self, parameter: u8, index: Register, rows: usize) -> Pointer {
        self.chosen(Space::Global(parameter), index, rows, Layout::Tile)
    }

    fn chosen(&mut self, space: Space, index: Register, rows: usize, layout: Layout) -> Pointer {
        assert!(matches!(space, Space::Global(i) | Space::Constant(i) if i < self.parameters), "a parameter");
        let pointer = self.pointer(space, layout);
        self.ops.push(Op::PointAtRecord { pointer, index, rows: rows as u32 });
        pointer
    }

    /// A pointer to `rows` rows on the chip.
    pub fn shared(&mut self, rows: usize) -> Pointer {
        assert!(!self.is_spread, "numbers that are spread have no place on the chip");
        let pointer = self.pointer(Space::Shared, Layout::Tile);
        self.ops.push(Op::PointAtTile { pointer, rows: 0, share_rows: 0 });
        self.advance(pointer, self.shared_rows as i32);
        self.shared_rows += rows as u32;
        pointer
    }

    /// A pointer to this thread's share of a record or tile: see [`Op::PointAtShare`].
    pub fn share_of(&mut self, of: Pointer, share_rows: usize) -> Pointer {
        assert!(!self.is_spread, "numbers are spread already");
        let layout = if of.layout == Layout::Tile { Layout::Numbers } else { of.layout };
        let pointer = self.pointer(of.space, layout);
        self.ops.push(Op::PointAtShare { pointer, of, share_rows: share_rows as u32 });
        pointer
    }

    /// A second pointer to the same row.
    pub fn copy_of(&mut self, from: Pointer) -> Pointer {
        let to = self.pointer(from.space, from.layout);
        self.ops.push(Op::CopyPointer { to, from });
        to
    }

    /// Points `to` where `from` points.
    pub fn repoint(&mut self, to: Pointer, from: Pointer) {
        assert_eq!((to.space, to.layout), (from.space, from.layout));
        self.ops.push(Op::CopyPointer { to, from });
    }

    pub fn advance(&mut self, pointer: Pointer, rows: i32) {
        if rows != 0 {
            self.ops.push(Op::Advance { pointer, rows });
        }
    }

    pub fn parameter(&mut self) -> Register {
        let to = self.register();
        self.ops.push(Op::Parameter { to });
        to
    }

    pub fn share(&mut self) -> Value {
        let to = self.register();
        self.ops.push(Op::Share { to });
        to.into()
    }

    pub fn shuffle(&mut self, from: Value, share: Value) -> Value {
        // A constant is the same in all threads.
        let Value::Register(from) = from else { return from };
        let to = self.register();
        self.ops.push(Op::Shuffle { to, from, share });
        to.into()
    }

    pub fn set(&mut self, to: Register, from: impl Into<Value>) {
        let from = from.into();
        if from != Value::Register(to) {
            self.ops.push(Op::Copy { to, from });
        }
    }

    pub fn copy(&mut self, from: impl Into<Value>) -> Register {
        let to = self.register();
        self.set(to, from);
        to
    }

    pub fn multiply_add(&mut self, high: bool, a: Value, b: Value, c: Value, carry: Carry) -> Value {
        let to = self.register();
        self.ops.push(Op::MultiplyAdd { high, to, a, b, c, carry });
        to.into()
    }

    /// `(low, high) = a * b + (c_low, c_high)`: one product.
    pub fn product(&mut self, a: Value, b: Value, c: (Value, Value), carry: Carry) -> (Value, Value) {
        let low = self.multiply_add(false, a, b, c.0, Carry { takes: carry.takes, gives: true });
        let high = self.multiply_add(true, a, b, c.1, Carry { takes: true, gives: carry.gives });
        (low, high)
    }

    pub fn multiply(&mut self, a: Value, b: Value) -> Value {
        let to = self.register();
        self.ops.push(Op::Multiply { to, a, b });
        to.into()
    }

    pub fn add(&mut self, a: Value, b: Value, carry: Carry) -> Value {
        let to = self.register();
        self.ops.push(Op::Add { to, a, b, carry });
        to.into()
    }

    pub fn subtract(&mut self, a: Value, b: Value, carry: Carry) -> Value {
        let to = self.register();
        self.ops.push(Op::Subtract { to, a, b, carry });
        to.into()
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        let to = self.register();
        self.ops.push(Op::And { to, a, b });
        to.into()
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        let to = self.register();
        self.ops.push(Op::Or { to, a, b });
        to.into()
    }

    pub fn shift_right(&mut self, a: Value, bits: u32) -> Value {
        let to = self.register();
        self.ops.push(Op::ShiftRight { to, a, bits });
        to.into()
    }

    pub fn shift_left(&mut self, high: Value, low: Value, bits: u32) -> Value {
        let to = self.register();
        self.ops.push(Op::ShiftLeft { to, high, low, bits });
        to.into()
    }

    pub fn equal(&mut self, a: Value, b: Value) -> Value {
        let to = self.register();
        self.ops.push(Op::Equal { to, a, b });
        to.into()
    }

    /// Claims that `value` is zero for every input.
    pub fn zero(&mut self, value: Value) {
        if value != Value::ZERO {
            self.ops.push(Op::Zero { value });
        }
    }

    /// Reads `rows` rows from row `row` on.
    pub fn load(&mut self, pointer: Pointer, row: usize, rows: usize) -> Vec<Value> {
        let mut words = Vec::with_capacity(rows * ROW_WORDS);
        for row in row..row + rows {
            let to = [self.register(), self.register(), self.register(), self.register()];
            self.ops.push(Op::Load { to, pointer, row: row as u32 });
            words.extend(to.map(Value::Register));
        }
        words
    }

    /// Writes words from row `row` on.
    pub fn store(&mut self, pointer: Pointer, row: usize, words: &[Value]) {
        assert!(words.len().is_multiple_of(ROW_WORDS), "whole rows");
        for (i, words) in words.chunks_exact(ROW_WORDS).enumerate() {
            let from = [words[0], words[1], words[2], words[3]];
            self.ops.push(Op::Store { from, pointer, row: (row + i) as u32 });
        }
    }

    pub fn synchronise(&mut self) {
        self.ops.push(Op::Synchronise);
    }

    pub fn multiply_matrices(&mut self, sum: [Register; 4], a: [Value; 2], b: Value) {
        assert!(!self.is_spread, "whole tiles");
        self.ops.push(Op::MultiplyMatrices { sum, a, b });
    }

    /// Runs what `body` appends `count` times.
    pub fn repeat(&mut self, count: Count, body: impl FnOnce(&mut Builder)) {
        let before = std::mem::take(&mut self.ops);
        body(self);
        let body = std::mem::replace(&mut self.ops, before);
        match count {
            Count::Constant(0) => {}
            Count::Constant(1) => self.ops.extend(body),
            count => self.ops.push(Op::Repeat { count, body }),
        }
    }

    /// Runs what `body` appends a constant number of times.
    pub fn times(&mut self, count: usize, body: impl FnOnce(&mut Builder)) {
        self.repeat(Count::Constant(count as u32), body);
    }
}
