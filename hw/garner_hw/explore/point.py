# SPDX-License-Identifier: Apache-2.0
"""A point of the design space: one design with a value for each of its knobs."""

from dataclasses import asdict, dataclass, field

# The synthesiser's own in LUTs; Booth digits or gated adders in carry chains; DSP blocks
MULTIPLIERS = ("lut", "booth", "array", "dsp")
OPERAND = 1024  # bits, where a point says nothing else
LONGEST = 2048  # bits: benches end after four million cycles; the slowest unit of 8 bits takes 3.3 million for so many


class Refused(Exception):
    """A point that cannot be built, in one sentence that names what was wrong."""


@dataclass(frozen=True)
class Point:
    """What is built. `ports` is the number of operand words that may cross to or from the memories in a cycle; 0 is as many
    as a step of the design wants. `knobs` are those of the one design, as (name, value), sorted by name."""

    design: str
    word: int = 16
    ports: int = 2
    pipelined: bool = True
    unroll: int = 1
    multipliers: str = "lut"
    bits: int = OPERAND
    knobs: tuple[tuple[str, int], ...] = field(default=())

    def knob(self, name: str) -> int:
        return dict(self.knobs)[name]

    def words(self) -> int:
        """Words of an operand."""
        return -(-self.bits // self.word)

    def row(self) -> dict:
        """The point as the columns of a table."""
        columns = asdict(self)
        del columns["knobs"]
        return columns | dict(self.knobs)

    def __str__(self) -> str:
        parts = [self.design, f"{self.word} bits", f"{self.ports or 'free'} ports"]
        if not self.pipelined:
            parts.append("base")
        if self.unroll > 1:
            parts.append(f"unrolled {self.unroll}")
        parts += [f"{name} {value}" for name, value in self.knobs]
        if self.bits != OPERAND:
            parts.append(f"operands of {self.bits} bits")
        return ", ".join([*parts, {"lut": "LUTs", "booth": "Booth", "array": "array", "dsp": "DSP"}[self.multipliers]])
