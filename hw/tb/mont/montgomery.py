# SPDX-License-Identifier: Apache-2.0
"""What the array computes, in big integers, and how to drive it: shared by the tests of `mont`."""

import random
from dataclasses import dataclass
from math import ceil

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

HOST_READ_LATENCY = 4
INDEX_WIDTH = 9  # of mont_pkg
ADDRESS_WIDTH = 13


def to_words(value: int, count: int, w: int) -> list[int]:
    assert 0 <= value < 1 << w * count
    return [value >> w * i & (1 << w) - 1 for i in range(count)]


def from_words(words: list[int], w: int) -> int:
    return sum(word << w * i for i, word in enumerate(words))


@dataclass(frozen=True)
class Sizes:
    """Of all operations of a run: modulus of `bits` bits, words of `w` bits, an array of `rows` rows."""
    bits: int
    w: int
    rows: int

    @property
    def words(self) -> int:
        return ceil((self.bits + self.w + 2) / self.w)

    @property
    def passes(self) -> int:
        return ceil(self.words / self.rows)

    @property
    def r(self) -> int:
        return 1 << self.w * self.rows * self.passes

    def bound(self) -> float:
        """The least cycles of an operation: 2s^2 + s word products over 2*rows multipliers."""
        s = ceil(self.bits / self.w)
        return (2 * s * s + s) / (2 * self.rows)


class Modulus:
    """n with the constants the array needs of it."""

    def __init__(self, n: int, sizes: Sizes):
        assert n & 1 and n.bit_length() == sizes.bits
        self.n, self.sizes = n, sizes
        self.scaled = n * (-pow(n, -1, 1 << sizes.w) % (1 << sizes.w))
        self.nb = (self.scaled + 1) >> sizes.w
        self._inverse = -pow(self.scaled, -1, sizes.r) % sizes.r

    def multiply(self, a: int, b: int) -> int:
        """The redundant result, to the bit: (a*b + q*N~) / R with the q that makes it whole."""
        product = a * b
        result = (product + (product * self._inverse % self.sizes.r) * self.scaled) // self.sizes.r
        assert result % self.n == product * pow(self.sizes.r, -1, self.n) % self.n
        assert result < 2 * self.scaled
        return result

    def operand(self) -> int:
        """Any that the contract allows, corners often."""
        corners = (0, 1, self.n - 1, self.n, self.scaled - 1, self.scaled, 2 * self.scaled - 1,
                   (1 << self.sizes.w * random.randrange(1, self.sizes.words)) - 1,      # carries through every word
                   1 << random.randrange(self.sizes.bits))
        value = random.choice(corners) if random.random() < 0.3 else random.randrange(2 * self.scaled)
        return min(value, 2 * self.scaled - 1)


def random_modulus(sizes: Sizes) -> Modulus:
    """Odd, of `sizes.bits` bits; sometimes with long runs of ones or zeros."""
    top = 1 << sizes.bits - 1
    kind = random.random()
    if kind < 0.15:
        n = 2 * top - 1 - 2 * random.getrandbits(4)
    elif kind < 0.3:
        n = top + 1 + 2 * random.getrandbits(4)
    else:
        n = top | random.getrandbits(sizes.bits) | 1
    return Modulus(n, sizes)


class Driver:
    """Host port and operation port of a `mont`. Words of the operand memory are addressed as the caller likes."""

    period = 10_000  # of the clock, in simulation steps

    def __init__(self, dut, w: int):
        self.dut, self.w = dut, w

    async def start(self):
        dut = self.dut
        for port in (dut.op_valid_i, dut.op_i, dut.config_i, dut.host_read_i, dut.host_write_enable_i, dut.host_write_i,
                     dut.host_write_data_i):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, self.period, "step").start())
        await self.reset()

    async def reset(self):
        self.dut.rst_ni.value = 0
        for _ in range(3):
            await RisingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        await self.idle()

    async def idle(self):
        """Until not busy; leaves just after a clock edge."""
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        if self.dut.busy_o.value == 1:
            await FallingEdge(self.dut.busy_o)
        await RisingEdge(self.dut.clk_i)

    async def cycles(self, count: int):
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)

    def configure(self, sizes: Sizes, passes: int | None = None, digits: int | None = None):
        """`digits` of the operand a, if other than `words`; then `passes` that are enough for them."""
        words = [digits or sizes.words, passes or sizes.passes, sizes.words]
        self.dut.config_i.value = from_words(words, INDEX_WIDTH)

    async def write(self, address: int, words: list[int]):
        dut = self.dut
        dut.host_write_enable_i.value = 1
        for i, word in enumerate(words):
            dut.host_write_i.value = address + i
            dut.host_write_data_i.value = word
            await RisingEdge(dut.clk_i)
        dut.host_write_enable_i.value = 0

    async def read(self, address: int, count: int) -> list[int]:
        dut, words = self.dut, []
        for i in range(count + HOST_READ_LATENCY):
            dut.host_read_i.value = address + min(i, count - 1)
            await ReadOnly()
            if i >= HOST_READ_LATENCY:
                words.append(int(dut.host_read_data_o.value))
            await RisingEdge(dut.clk_i)
        return words

    async def write_modulus(self, ctx: int, modulus: Modulus):
        words = to_words(modulus.nb, modulus.sizes.words, self.w)
        await self.write(1 << ADDRESS_WIDTH | ctx << INDEX_WIDTH, words)

    async def write_operand(self, address: int, value: int, sizes: Sizes):
        await self.write(address, to_words(value, sizes.words, self.w))

    async def read_operand(self, address: int, sizes: Sizes) -> int:
        return from_words(await self.read(address, sizes.words), self.w)

    async def issue(self, ctx: int, a: int, b: int, d: int):
        """Gives one operation as soon as the queue of its context takes it."""
        dut = self.dut
        dut.op_i.value = ((ctx << ADDRESS_WIDTH | a) << ADDRESS_WIDTH | b) << ADDRESS_WIDTH | d
        dut.op_valid_i.value = 1
        while True:
            await ReadOnly()
            taken = int(dut.op_ready_o.value) >> ctx & 1
            await RisingEdge(dut.clk_i)
            if taken:
                break
        dut.op_valid_i.value = 0
