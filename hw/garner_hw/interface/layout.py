# SPDX-License-Identifier: Apache-2.0
"""Records of little-endian 32-bit words: registers, descriptors, completions. Knows no format by name."""

import builtins
import keyword
import re
import struct
from dataclasses import dataclass
from itertools import pairwise

from garner_hw import CommandError

WORD = 32
# What a generated language has as a word of its own, and what the generator itself calls a member of a record.
RESERVED = frozenset(keyword.kwlist) | frozenset("""
    auto bool break case char const constexpr continue default do double else enum extern float for goto if inline int long
    nullptr register restrict return short signed sizeof static struct switch thread_local typedef typeof union unsigned void
    volatile while
    always assign automatic begin bit buf byte checker class clocking config constraint context cover cross deassign design
    disable dist edge end event expect export extends final first_match force foreach fork forever function generate genvar
    highz0 highz1 ifnone illegal_bins implements implies initial inout input inside instance integer interconnect interface
    intersect join large let liblist library local localparam logic longint macromodule matches medium modport module nand
    negedge nettype new nor output package packed parameter posedge primitive priority program property protected pull0 pull1
    pulldown pullup pure rand randc randcase ref real realtime reg release repeat rnmos rpmos rtran scalared sequence shortint
    shortreal showcancelled small soft solve specify specparam string strong strong0 strong1 super supply0 supply1 table tagged
    task this time timeprecision timeunit tran tri tri0 tri1 triand trior trireg type unique unique0 until untyped use uwire var
    vectored virtual wait wand weak weak0 weak1 wildcard wire within wor xnor xor
    self""".split())
FIELD_NAME = re.compile(r"(?!reserved|word\d)[a-z][a-z0-9]*(_[a-z0-9]+)*")
CODE_NAME = re.compile(r"(?!Self$)[A-Z][A-Za-z0-9]*")


class InterfaceError(CommandError):
    """A description that contradicts itself, in one sentence."""


@dataclass(frozen=True)
class Field:
    """Bits `high` to `low` of a word; of two whole words, 63 to 0."""

    name: str
    word: int
    high: int
    low: int
    meaning: str = ""
    codes: str | None = None  # the enumeration whose codes it holds

    @property
    def width(self) -> int:
        return self.high - self.low + 1

    @property
    def start(self) -> int:
        """Its lowest bit, counted from the first bit of the record."""
        return WORD * self.word + self.low

    @property
    def end(self) -> int:
        return WORD * self.word + self.high + 1

    @property
    def mask(self) -> int:
        """Of its bits in its word."""
        return ((1 << self.width) - 1) << self.low

    @property
    def bits(self) -> str:
        return str(self.high) if self.width == 1 else f"{self.high}:{self.low}"

    @property
    def place(self) -> str:
        if self.width > WORD:
            return f"words {self.word} and {self.word + 1}"
        return f"word {self.word}, {'bit' if self.width == 1 else 'bits'} {self.bits}"


def bits_of(text: str, where: str) -> tuple[int, int]:
    """`"15:8"` or `"8"` as numbers."""
    found = re.fullmatch(r"(\d+)(?::(\d+))?", text)
    if not found:
        raise InterfaceError(f"{where}: bits {text!r} are not written as \"15:8\" or \"8\"")
    high, low = int(found[1]), int(found[2] or found[1])
    if low > high:
        raise InterfaceError(f"{where}: bits {text!r} have the lower bit first")
    return high, low


@dataclass(frozen=True)
class Layout:
    """A record of so many words. What no field covers is reserved and 0."""

    name: str
    words: int
    fields: tuple[Field, ...]

    def check(self, where: str) -> None:
        """Refuses fields that overlap, leave their word or the record, or share a name."""
        for field in self.fields:
            if field.word < 0:
                raise InterfaceError(f"{where}: the field \"{field.name}\" is in word {field.word}")
            two_words = (field.high, field.low) == (2 * WORD - 1, 0)
            if field.high >= WORD and not two_words:
                raise InterfaceError(f"{where}: the field \"{field.name}\" leaves its word, {field.word}: "
                                     f"bits {field.bits}")
            if two_words and field.word % 2:
                raise InterfaceError(f"{where}: the field \"{field.name}\" of two words begins at an odd word "
                                     f"({field.place})")
            if field.end > WORD * self.words:
                raise InterfaceError(f"{where}: the field \"{field.name}\" ({field.place}) is behind the last of "
                                     f"{self.words} words")
        for before, field in pairwise(sorted(self.fields, key=lambda field: field.start)):
            if field.start < before.end:
                raise InterfaceError(f"{where}: the field \"{field.name}\" ({field.place}) overlaps \"{before.name}\" "
                                     f"({before.place})")
        unique([field.name for field in self.fields], f"{where}: two fields are called")

    def __getitem__(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    @property
    def bytes(self) -> int:
        return self.words * WORD // 8

    @property
    def used_words(self) -> int:
        """All words behind these are reserved."""
        return -(-max(field.end for field in self.fields) // WORD)

    def upward(self, first: int, words: int) -> list[Field]:
        """The fields of these words from the lowest bit up, the gaps among them as fields `reserved_WORD_BIT`."""
        found: list[Field] = []
        at, end = WORD * first, WORD * (first + words)
        for field in [*sorted(self.fields, key=lambda field: field.start), None]:
            start = end if field is None else field.start
            while at < min(start, end):
                word, low = divmod(at, WORD)
                high = min(start, end, WORD * (word + 1)) - WORD * word - 1
                found.append(Field(f"reserved_{word}_{low}", word, high, low))
                at = WORD * word + high + 1
            if field is not None and WORD * first <= field.start < end:
                found.append(field)
                at = field.end
        return found

    def pack(self, **values: int) -> builtins.bytes:
        """The record with these fields; the others are 0."""
        whole = 0
        for name, value in values.items():
            field = self[name]
            assert 0 <= value < 1 << field.width, f"{name} has {field.width} bits: {value:#x}"
            whole |= value << field.start
        return whole.to_bytes(self.bytes, "little")

    def pack_words(self, **values: int) -> list[int]:
        return list(struct.unpack(f"<{self.words}I", self.pack(**values)))

    def unpack(self, record: builtins.bytes) -> dict[str, int]:
        """All fields of a record, or of as many bytes of its beginning."""
        whole = int.from_bytes(record, "little")
        return {field.name: whole >> field.start & (1 << field.width) - 1 for field in self.fields}

    def reserved(self, record: builtins.bytes) -> int:
        """The bits of a record that no field covers, at their places."""
        whole = int.from_bytes(record, "little")
        for field in self.fields:
            whole &= ~(((1 << field.width) - 1) << field.start)
        return whole


def unique(names: list[str], message: str) -> None:
    """Refuses a name that comes twice."""
    for before, name in pairwise(sorted(names)):
        if name == before:
            raise InterfaceError(f"{message} \"{name}\"")


def named(name: str, form: re.Pattern[str], where: str) -> None:
    """Refuses a name that is none in each language that is generated."""
    if not form.fullmatch(name) or name in RESERVED:
        kind = "a name like operand_bytes" if form is FIELD_NAME else "a name like BadSlot"
        raise InterfaceError(f"{where}: {name!r} is not {kind} in SystemVerilog, C, Rust and Python alike")


def told(meaning: str, where: str) -> None:
    """Refuses a text that would end the comment or the row of a table in which it stands."""
    if not meaning.strip():
        raise InterfaceError(f"{where}: its meaning is empty")
    for bad in ("\n", "\r", "|", "/*", "*/", "<!--"):
        if bad in meaning:
            raise InterfaceError(f"{where}: {bad!r} in its meaning would break a comment or a table")
