// SPDX-License-Identifier: Apache-2.0
//! What a kernel is made of: operations on 32-bit words, the same for every thread.
//!
//! A program is straight-line code with counted loops. Counts are constants, parameters of the launch, or registers that
//! hold public numbers equal in all threads; addresses are a pointer and a constant row. So it has no way to express a
//! branch on data, and the only address made of data is that of [`Op::PointAtRecord`], from the public number of a key.
//! Threads share nothing: each reads and writes its own number.

/// Threads of a warp, which run in step; each works on a number of its own.
pub const LANES: usize = 32;

/// Words that one thread reads or writes at once.
pub const ROW_WORDS: usize = 4;

/// A register: one word per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// The array given as this parameter, in tiles of 32 numbers: row r of all lanes, then row r + 1. A warp reads 512
    /// bytes at once.
    Tiles(u8),
    /// The array given as this parameter, in records: all rows of one key, then those of the next.
    Records(u8),
    /// The warp's part of the memory on the chip, laid out as a tile. What it holds at the start is not defined.
    Shared,
}

/// A pointer to rows of four words; one address per thread.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pointer {
    /// Its number among the program's pointers.
    pub index: u32,
    /// What it points into.
    pub space: Space,
}

impl Pointer {
    /// Words from one row of a thread to its next.
    pub fn row_words(self) -> usize {
        if matches!(self.space, Space::Records(_)) { ROW_WORDS } else { ROW_WORDS * LANES }
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
    /// Points at the first row of this thread's number: in its tile, each tile `rows` rows of all lanes long; or on the chip.
    PointAtTile { pointer: Pointer, rows: u32 },
    /// Points at record `index`, each `rows` rows long.
    PointAtRecord { pointer: Pointer, index: Register, rows: u32 },
    /// Moves by rows.
    Advance { pointer: Pointer, rows: i32 },
    /// `to = pointer`, of the same space.
    CopyPointer { to: Pointer, from: Pointer },
    /// `to = the number given with the launch`
    Parameter { to: Register },
    /// Runs `body` `count` times.
    Repeat { count: Count, body: Vec<Op> },
    /// Claims that a value is zero, whatever the input: nothing on a GPU, checked by the interpreter.
    Zero { value: Value },
}

/// A kernel's code and what it needs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Program {
    /// The operations.
    pub ops: Vec<Op>,
    /// How many registers they name.
    pub registers: u32,
    /// The pointers they name.
    pub pointers: Vec<Pointer>,
    /// Arrays it is given.
    pub parameters: u8,
    /// Rows of all lanes on the chip for each warp.
    pub shared_rows: u32,
}

impl Program {
    /// What `build` appends; the program is given `parameters` arrays.
    pub fn new(parameters: u8, build: impl FnOnce(&mut Builder)) -> Program {
        let mut builder = Builder { program: Program { parameters, ..Program::default() } };
        build(&mut builder);
        builder.program
    }

    /// Bytes on the chip for each warp.
    pub fn shared_bytes(&self) -> usize {
        self.shared_rows as usize * ROW_WORDS * LANES * 4
    }
}

/// Appends operations to a program and hands out registers.
#[derive(Debug)]
pub struct Builder {
    program: Program,
}

#[allow(missing_docs, reason = "each appends the operation of its name")]
impl Builder {
    fn push(&mut self, op: Op) {
        self.program.ops.push(op);
    }

    /// A register not used before.
    pub fn register(&mut self) -> Register {
        self.program.registers += 1;
        Register(self.program.registers - 1)
    }

    /// As many as asked for.
    pub fn registers(&mut self, count: usize) -> Vec<Register> {
        (0..count).map(|_| self.register()).collect()
    }

    /// Appends an operation that sets a new register, and returns that.
    fn new_value(&mut self, op: impl FnOnce(Register) -> Op) -> Value {
        let to = self.register();
        self.push(op(to));
        to.into()
    }

    fn pointer(&mut self, space: Space) -> Pointer {
        let is_given = |parameter| parameter < self.program.parameters;
        assert!(!matches!(space, Space::Tiles(i) | Space::Records(i) if !is_given(i)), "a parameter of the kernel");
        let pointer = Pointer { index: self.program.pointers.len() as u32, space };
        self.program.pointers.push(pointer);
        pointer
    }

    /// A pointer to the rows of this thread's number in the tiles of parameter `parameter`.
    pub fn tile(&mut self, parameter: u8, rows: usize) -> Pointer {
        let pointer = self.pointer(Space::Tiles(parameter));
        self.push(Op::PointAtTile { pointer, rows: rows as u32 });
        pointer
    }

    /// A pointer to record `index` in parameter `parameter`.
    pub fn record(&mut self, parameter: u8, index: Register, rows: usize) -> Pointer {
        let pointer = self.pointer(Space::Records(parameter));
        self.push(Op::PointAtRecord { pointer, index, rows: rows as u32 });
        pointer
    }

    /// A pointer to `rows` rows on the chip.
    pub fn shared(&mut self, rows: usize) -> Pointer {
        let pointer = self.pointer(Space::Shared);
        self.push(Op::PointAtTile { pointer, rows: 0 });
        self.advance(pointer, self.program.shared_rows as i32);
        self.program.shared_rows += rows as u32;
        pointer
    }

    /// A second pointer to the same row.
    pub fn copy_of(&mut self, from: Pointer) -> Pointer {
        let to = self.pointer(from.space);
        self.push(Op::CopyPointer { to, from });
        to
    }

    /// Points `to` where `from` points.
    pub fn repoint(&mut self, to: Pointer, from: Pointer) {
        assert_eq!(to.space, from.space);
        self.push(Op::CopyPointer { to, from });
    }

    pub fn advance(&mut self, pointer: Pointer, rows: i32) {
        if rows != 0 {
            self.push(Op::Advance { pointer, rows });
        }
    }

    pub fn parameter(&mut self) -> Register {
        let to = self.register();
        self.push(Op::Parameter { to });
        to
    }

    pub fn set(&mut self, to: Register, from: impl Into<Value>) {
        let from = from.into();
        if from != Value::Register(to) {
            self.push(Op::Copy { to, from });
        }
    }

    pub fn copy(&mut self, from: impl Into<Value>) -> Register {
        let to = self.register();
        self.set(to, from);
        to
    }

    /// `(low, high) = a * b + (c_low, c_high)`: one product.
    pub fn product(&mut self, a: Value, b: Value, c: (Value, Value), carry: Carry) -> (Value, Value) {
        let (first, second) = (Carry { gives: true, ..carry }, Carry { takes: true, ..carry });
        let low = self.new_value(|to| Op::MultiplyAdd { high: false, to, a, b, c: c.0, carry: first });
        let high = self.new_value(|to| Op::MultiplyAdd { high: true, to, a, b, c: c.1, carry: second });
        (low, high)
    }

    pub fn multiply(&mut self, a: Value, b: Value) -> Value {
        self.new_value(|to| Op::Multiply { to, a, b })
    }

    pub fn add(&mut self, a: Value, b: Value, carry: Carry) -> Value {
        self.new_value(|to| Op::Add { to, a, b, carry })
    }

    pub fn subtract(&mut self, a: Value, b: Value, carry: Carry) -> Value {
        self.new_value(|to| Op::Subtract { to, a, b, carry })
    }

    pub fn and(&mut self, a: Value, b: Value) -> Value {
        self.new_value(|to| Op::And { to, a, b })
    }

    pub fn or(&mut self, a: Value, b: Value) -> Value {
        self.new_value(|to| Op::Or { to, a, b })
    }

    pub fn shift_right(&mut self, a: Value, bits: u32) -> Value {
        self.new_value(|to| Op::ShiftRight { to, a, bits })
    }

    pub fn shift_left(&mut self, high: Value, low: Value, bits: u32) -> Value {
        self.new_value(|to| Op::ShiftLeft { to, high, low, bits })
    }

    pub fn equal(&mut self, a: Value, b: Value) -> Value {
        self.new_value(|to| Op::Equal { to, a, b })
    }

    /// Claims that `value` is zero for every input.
    pub fn zero(&mut self, value: Value) {
        if value != Value::ZERO {
            self.push(Op::Zero { value });
        }
    }

    /// Reads `rows` rows from row `row` on.
    pub fn load(&mut self, pointer: Pointer, row: usize, rows: usize) -> Vec<Value> {
        let mut words = Vec::with_capacity(rows * ROW_WORDS);
        for row in row..row + rows {
            let to = [(); ROW_WORDS].map(|()| self.register());
            self.push(Op::Load { to, pointer, row: row as u32 });
            words.extend(to.map(Value::Register));
        }
        words
    }

    /// Writes words from row `row` on.
    pub fn store(&mut self, pointer: Pointer, row: usize, words: &[Value]) {
        let (rows, rest) = words.as_chunks::<ROW_WORDS>();
        assert!(rest.is_empty(), "whole rows");
        for (i, from) in rows.iter().enumerate() {
            self.push(Op::Store { from: *from, pointer, row: (row + i) as u32 });
        }
    }

    /// Runs what `body` appends `count` times.
    pub fn repeat(&mut self, count: Count, body: impl FnOnce(&mut Builder)) {
        let before = std::mem::take(&mut self.program.ops);
        body(self);
        let body = std::mem::replace(&mut self.program.ops, before);
        match count {
            Count::Constant(0) => {}
            Count::Constant(1) => self.program.ops.extend(body),
            count => self.push(Op::Repeat { count, body }),
        }
    }

    /// Runs what `body` appends a constant number of times.
    pub fn times(&mut self, count: usize, body: impl FnOnce(&mut Builder)) {
        self.repeat(Count::Constant(count as u32), body);
    }
}
