// SPDX-License-Identifier: Apache-2.0
//! What a kernel is made of: the operations, and code that has them in order.

mod counts;
mod operands;

/// One of 32 vector registers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Vector(pub u8);

/// One of the mask registers 1 to 7.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Mask(pub u8);

/// One of the six base pointers a kernel is called with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Pointer(u8);

impl Pointer {
    /// First argument.
    pub const P0: Pointer = Pointer(0);
    /// Second argument.
    pub const P1: Pointer = Pointer(1);
    /// Third argument.
    pub const P2: Pointer = Pointer(2);
    /// Fourth argument.
    pub const P3: Pointer = Pointer(3);
    /// Fifth argument.
    pub const P4: Pointer = Pointer(4);
    /// Sixth argument.
    pub const P5: Pointer = Pointer(5);
    /// How many there are.
    pub const COUNT: usize = 6;

    /// The position among the arguments.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The row `row` rows after the pointer.
    pub const fn row(self, row: usize) -> Row {
        Row { pointer: self, row }
    }

    /// The word `word` words after the pointer.
    pub const fn word(self, word: usize) -> Word {
        Word { pointer: self, word }
    }
}

/// A row of eight words in memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Row {
    /// Counted from this pointer,
    pub pointer: Pointer,
    /// in rows.
    pub row: usize,
}

/// A word in memory, used in all eight lanes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Word {
    /// Counted from this pointer,
    pub pointer: Pointer,
    /// in words.
    pub word: usize,
}

/// An operand: a register, or memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Source {
    /// A register.
    Vector(Vector),
    /// A row of memory.
    Row(Row),
}

impl From<Vector> for Source {
    fn from(vector: Vector) -> Source {
        Source::Vector(vector)
    }
}

impl From<Row> for Source {
    fn from(row: Row) -> Source {
        Source::Row(row)
    }
}

/// One operation on eight lanes.
#[derive(Debug, Clone, PartialEq, Eq)]
#[allow(missing_docs, reason = "the operands' names say what they are")]
pub enum Op {
    /// `to = 0`
    Zero { to: Vector },
    /// `to = from`
    Copy { to: Vector, from: Source },
    /// `to = from` in the lanes of `mask`; a row is read whole, whatever the mask.
    Merge { to: Vector, mask: Mask, from: Source },
    /// `to = from`
    Store { to: Row, from: Vector },
    /// `to = from` in the lanes of `mask`; the others stay.
    MergeStore { to: Row, mask: Mask, from: Vector },
    /// `sum += low 52 bits of a * b`, where of `a` and `b` only the low 52 bits count.
    MultiplyAddLow { sum: Vector, a: Vector, b: Source },
    /// `sum += (a * b) >> 52`, where of `a` and `b` only the low 52 bits count.
    MultiplyAddHigh { sum: Vector, a: Vector, b: Source },
    /// `to = a + b mod 2^64`
    Add { to: Vector, a: Vector, b: Source },
    /// `to = a - b mod 2^64`
    Subtract { to: Vector, a: Vector, b: Source },
    /// `to = a & b`
    And { to: Vector, a: Vector, b: Source },
    /// `to = a | b`
    Or { to: Vector, a: Vector, b: Source },
    /// `to = a << bits`
    ShiftLeft { to: Vector, a: Vector, bits: u32 },
    /// `to = a >> bits`, without sign
    ShiftRight { to: Vector, a: Vector, bits: u32 },
    /// `to = (a0, b0, a2, b2, a4, b4, a6, b6)`
    EvenWords { to: Vector, a: Vector, b: Vector },
    /// `to = (a1, b1, a3, b3, a5, b5, a7, b7)`
    OddWords { to: Vector, a: Vector, b: Vector },
    /// `to = (a0, a1, a4, a5, b0, b1, b4, b5)`
    EvenPairs { to: Vector, a: Vector, b: Vector },
    /// `to = (a2, a3, a6, a7, b2, b3, b6, b7)`
    OddPairs { to: Vector, a: Vector, b: Vector },
    /// `to = (a1, 0, a3, 0, a5, 0, a7, 0)`
    Down { to: Vector, a: Vector },
    /// `to = (0, a0, 0, a2, 0, a4, 0, a6)`
    Up { to: Vector, a: Vector },
    /// `to = (a[order[0]], …, a[order[3]])` within each four lanes
    Permute { to: Vector, a: Vector, order: [u8; 4] },
    /// `to = a >> 52`, with sign
    Carry { to: Vector, a: Vector },
    /// `mask = (a & b != 0)`
    Test { mask: Mask, a: Vector, b: Word },
    /// `mask = (a == b)`
    Equal { mask: Mask, a: Vector, b: Word },
    /// `to = (a0, …, a7, b0, …, b7)[to mod 16]` in the lanes of `mask`; a row is read whole, whatever the mask and the index.
    Choose { to: Vector, mask: Mask, a: Vector, b: Source },
    /// `mask = (a < 0)`
    Negative { mask: Mask, a: Vector },
    /// Moves a pointer by a number of rows.
    Advance { pointer: Pointer, rows: isize },
    /// Runs `body` `count` times.
    Repeat { count: usize, body: Code },
}

/// Operations in order, with a method to append each.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Code(Vec<Op>);

impl Code {
    /// No operations.
    pub fn new() -> Code {
        Code::default()
    }

    /// The operations.
    pub fn ops(&self) -> &[Op] {
        &self.0
    }

    pub(crate) fn push(&mut self, op: Op) {
        self.0.push(op);
    }

    pub(crate) fn zero(&mut self, to: Vector) {
        self.0.push(Op::Zero { to });
    }

    pub(crate) fn copy(&mut self, to: Vector, from: impl Into<Source>) {
        self.0.push(Op::Copy { to, from: from.into() });
    }

    pub(crate) fn merge(&mut self, to: Vector, mask: Mask, from: impl Into<Source>) {
        self.0.push(Op::Merge { to, mask, from: from.into() });
    }

    pub(crate) fn store(&mut self, to: Row, from: Vector) {
        self.0.push(Op::Store { to, from });
    }

    pub(crate) fn merge_store(&mut self, to: Row, mask: Mask, from: Vector) {
        self.0.push(Op::MergeStore { to, mask, from });
    }

    pub(crate) fn low(&mut self, sum: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::MultiplyAddLow { sum, a, b: b.into() });
    }

    pub(crate) fn high(&mut self, sum: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::MultiplyAddHigh { sum, a, b: b.into() });
    }

    pub(crate) fn add(&mut self, to: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::Add { to, a, b: b.into() });
    }

    pub(crate) fn subtract(&mut self, to: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::Subtract { to, a, b: b.into() });
    }

    pub(crate) fn and(&mut self, to: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::And { to, a, b: b.into() });
    }

    pub(crate) fn or(&mut self, to: Vector, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::Or { to, a, b: b.into() });
    }

    pub(crate) fn shift_left(&mut self, to: Vector, a: Vector, bits: usize) {
        self.0.push(Op::ShiftLeft { to, a, bits: bits as u32 });
    }

    pub(crate) fn shift_right(&mut self, to: Vector, a: Vector, bits: usize) {
        self.0.push(Op::ShiftRight { to, a, bits: bits as u32 });
    }

    pub(crate) fn even_words(&mut self, to: Vector, a: Vector, b: Vector) {
        self.0.push(Op::EvenWords { to, a, b });
    }

    pub(crate) fn odd_words(&mut self, to: Vector, a: Vector, b: Vector) {
        self.0.push(Op::OddWords { to, a, b });
    }

    pub(crate) fn even_pairs(&mut self, to: Vector, a: Vector, b: Vector) {
        self.0.push(Op::EvenPairs { to, a, b });
    }

    pub(crate) fn odd_pairs(&mut self, to: Vector, a: Vector, b: Vector) {
        self.0.push(Op::OddPairs { to, a, b });
    }

    pub(crate) fn down(&mut self, to: Vector, a: Vector) {
        self.0.push(Op::Down { to, a });
    }

    pub(crate) fn up(&mut self, to: Vector, a: Vector) {
        self.0.push(Op::Up { to, a });
    }

    pub(crate) fn permute(&mut self, to: Vector, a: Vector, order: [u8; 4]) {
        self.0.push(Op::Permute { to, a, order });
    }

    pub(crate) fn carry(&mut self, to: Vector, a: Vector) {
        self.0.push(Op::Carry { to, a });
    }

    pub(crate) fn test(&mut self, mask: Mask, a: Vector, b: Word) {
        self.0.push(Op::Test { mask, a, b });
    }

    pub(crate) fn equal(&mut self, mask: Mask, a: Vector, b: Word) {
        self.0.push(Op::Equal { mask, a, b });
    }

    pub(crate) fn choose(&mut self, to: Vector, mask: Mask, a: Vector, b: impl Into<Source>) {
        self.0.push(Op::Choose { to, mask, a, b: b.into() });
    }

    pub(crate) fn negative(&mut self, mask: Mask, a: Vector) {
        self.0.push(Op::Negative { mask, a });
    }

    pub(crate) fn advance(&mut self, pointer: Pointer, rows: isize) {
        self.0.push(Op::Advance { pointer, rows });
    }

    pub(crate) fn repeat(&mut self, count: usize, body: Code) {
        match count {
            0 => {}
            1 => self.append(body),
            _ => self.0.push(Op::Repeat { count, body }),
        }
    }

    pub(crate) fn append(&mut self, mut code: Code) {
        self.0.append(&mut code.0);
    }

    /// Two independent streams as one, evenly mixed: while one waits for a latency the other keeps the multipliers busy.
    pub(crate) fn weave(a: Code, b: Code) -> Code {
        Code(weave(a.0, b.0))
    }
}

/// Two lists as one, evenly mixed.
pub(crate) fn weave<T>(a: Vec<T>, b: Vec<T>) -> Vec<T> {
    let (lengths, mut woven) = ((a.len(), b.len()), Vec::new());
    let (mut a, mut b) = (a.into_iter().enumerate().peekable(), b.into_iter().enumerate().peekable());
    loop {
        let take_a = match (a.peek(), b.peek()) {
            (None, None) => return woven,
            (Some(_), None) => true,
            (None, Some(_)) => false,
            (Some((i, _)), Some((j, _))) => i * lengths.1 <= j * lengths.0,
        };
        let next = if take_a { a.next() } else { b.next() };
        woven.extend(next.map(|(_, item)| item));
    }
}

/// A kernel's code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    code: Code,
}

impl Program {
    /// The program that runs `code` once.
    pub fn new(code: Code) -> Program {
        Program { code }
    }

    /// This program, and after it the other.
    pub(crate) fn then(mut self, other: &Program) -> Program {
        self.code.append(other.code.clone());
        self
    }

    /// The operations.
    pub fn ops(&self) -> &[Op] {
        self.code.ops()
    }
}
