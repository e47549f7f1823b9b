# SPDX-License-Identifier: Apache-2.0
"""exponentiator: the operations it gives compute the power, in every scheme; secret exponents do not show in them."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources

FIXED, LEFT_TO_RIGHT, RIGHT_TO_LEFT, SLIDING = range(4)
ACCUMULATOR, TABLE = 0, 8  # regions of exp_pkg
KEY_WORDS = 512


@pytest.mark.parametrize("w", [18, pytest.param(6, marks=pytest.mark.soak)])
def test_exponentiator(w):
    simulate("exponentiator", sources("exponentiator"), __name__, {"W": w}, {"W": str(w)})


class Bench:
    """The key memory, and a `mont` that multiplies modulo n, with R = 1, and knows which regions hold anything."""

    def __init__(self, dut, w: int):
        self.dut, self.w, self.key, self.n = dut, w, [0] * KEY_WORDS, 0
        self.regions, self.trace = [{}, {}], []

    async def start(self):
        dut = self.dut
        for port in (dut.start_i, dut.abort_i, dut.scheme_i, dut.dual_i, dut.window_i, dut.bits_i, dut.read_data_i,
                     dut.op_ready_i):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        await RisingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    def put(self, address: int, exponent: int):
        for i in range(KEY_WORDS // 2 - 10):
            self.key[address + i] = exponent >> self.w * i & (1 << self.w) - 1

    async def run(self, scheme: int, window: int, bits: int, exponents: list[int], stall: float, abort: int = -1):
        """The trace: (ctx, a, b, d) and the cycle of each operation."""
        dut, n = self.dut, self.n
        dual = len(exponents) == 2
        addresses = (random.randrange(5), KEY_WORDS // 2 + random.randrange(5))
        bases = []
        for ctx, exponent in enumerate(exponents):
            noise = random.getrandbits(40) << bits  # beyond its bits an exponent's memory may hold anything
            self.put(addresses[ctx], exponent | noise)
            bases.append(random.randrange(n))
            self.regions[ctx] = {TABLE: 1, TABLE + 1: bases[ctx]}
        dut.scheme_i.value, dut.window_i.value, dut.bits_i.value = scheme, window, bits
        dut.dual_i.value = int(dual)
        for ctx in range(2):
            dut.exponent_i[ctx].value = addresses[ctx]
        dut.start_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        trace, late, cycle = [], [0, 0], 0
        while True:
            dut.op_ready_i.value = int(random.random() >= stall)
            dut.abort_i.value = int(cycle == abort)
            dut.read_data_i.value = late.pop(0)
            await ReadOnly()
            if dut.busy_o.value == 0:
                break
            address = dut.read_address_o.value
            late.append(self.key[int(address) % KEY_WORDS] if address.is_resolvable else 0)
            if dut.op_valid_o.value == 1 and dut.op_ready_i.value == 1:
                op = int(dut.op_o.value)
                ctx, a, b, d = op >> 18, op >> 12 & 63, op >> 6 & 63, op & 63
                trace.append(((ctx, a, b, d), cycle))
                regions = self.regions[ctx]
                regions[d] = regions[a] * regions[b] % n  # KeyError: a region that holds nothing
            await RisingEdge(dut.clk_i)
            cycle += 1
        await RisingEdge(dut.clk_i)
        if abort < 0:
            for ctx, exponent in enumerate(exponents):
                assert self.regions[ctx][ACCUMULATOR] == pow(bases[ctx], exponent, n), (scheme, window, bits, exponents)
        return trace


def exponent_of(bits: int) -> int:
    return random.choice((0, 1, (1 << bits) - 1, 1 << bits - 1, random.getrandbits(bits), random.getrandbits(bits)))


@cocotb.test()
async def power_is_right_in_every_scheme_window_and_length(dut):
    bench = Bench(dut, int(os.environ["W"]))
    await bench.start()
    bench.n = random.getrandbits(64) | 1 << 63 | 1
    for bits in [1, 2, 3, 4, 5, 6, 16, 17, 18, 19, 35, 36, 37] + [random.randrange(38, 200) for _ in range(4)]:
        for scheme in range(4):
            for window in random.sample((2, 3, 4, 5), 2):
                await bench.run(scheme, window, bits, [exponent_of(bits)], random.choice((0, 0.3)))
        await bench.run(FIXED, random.randrange(2, 6), bits, [exponent_of(bits), exponent_of(bits)], 0.2)


@cocotb.test()
async def fixed_window_gives_the_same_operations_at_the_same_times_for_all_exponents(dut):
    bench = Bench(dut, int(os.environ["W"]))
    await bench.start()
    bench.n = (1 << 61) - 1
    for bits in (5, 64, 131):
        for window in (3, 5):
            traces = set()
            for exponent in (0, 1, (1 << bits) - 1, random.getrandbits(bits)):
                trace = await bench.run(FIXED, window, bits, [exponent, exponent_of(bits)], 0)
                # which entry of the table is read is all that may differ
                traces.add(tuple((ctx, min(a, TABLE), min(b, TABLE), d, cycle) for (ctx, a, b, d), cycle in trace
                                 if d == ACCUMULATOR))
            assert len(traces) == 1
            operations = len(trace) // 2
            digits = -(-bits // window)  # the first one costs nothing, or a copy if it is the only one
            assert operations == (1 << window) - 2 + max(digits - 1, 1) + bits - min(bits, window)


@cocotb.test()
async def schemes_need_the_operations_they_are_known_for(dut):
    bench = Bench(dut, int(os.environ["W"]))
    await bench.start()
    bench.n = (1 << 61) - 1
    exponent = random.getrandbits(160) | 1 << 159
    ones = exponent.bit_count()
    assert len(await bench.run(LEFT_TO_RIGHT, 5, 160, [exponent], 0)) == 158 + ones
    assert len(await bench.run(RIGHT_TO_LEFT, 5, 160, [exponent], 0)) == 159 + ones
    windows, i = 0, 160
    while i > 0:  # greedy windows of at most 5 bits that begin and end with a one
        i -= 1
        if exponent >> i & 1:
            windows, i = windows + 1, max(i - 4, 0)
    sliding = len(await bench.run(SLIDING, 5, 160, [exponent], 0))
    assert 154 <= sliding - 16 - windows <= 158  # 16 for the table


@cocotb.test()
async def after_an_abort_the_next_power_is_right(dut):
    bench = Bench(dut, int(os.environ["W"]))
    await bench.start()
    bench.n = random.getrandbits(64) | 1
    for _ in range(30):
        scheme = random.randrange(4)
        await bench.run(scheme, 5, 90, [random.getrandbits(90)], 0.2, abort=random.randrange(400))
        await bench.run(random.randrange(4), 4, 60, [random.getrandbits(60)], 0)


@cocotb.test()
async def nothing_of_an_exponent_is_left_when_it_was_used_or_its_power_was_stopped(dut):
    w = int(os.environ["W"])
    bench = Bench(dut, w)
    await bench.start()
    bench.n = random.getrandbits(64) | 1
    for run in range(60):
        dual = random.getrandbits(1)
        exponents = [random.getrandbits(90) | 1 << 89 for _ in range(1 + dual)]
        stop = -1 if run % 6 == 0 else random.randrange(20, 400)
        await bench.run(FIXED if dual else random.randrange(4), random.randrange(2, 6), 90, exponents, 0.2, abort=stop)
        dut.read_data_i.value = 0
        for _ in range(w + 4):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert int(dut.read_q.value) == 0
        for ctx in range(2):
            for register, idle in (("key_q", 0), ("digit_q", 0), ("power_digit_q", 0), ("power_in_q", TABLE), ("a_q", TABLE),
                                   ("b_q", TABLE)):
                assert int(getattr(dut, register)[ctx].value) == idle, (register, stop)
        await FallingEdge(dut.clk_i)


@cocotb.test()
async def after_a_reset_in_the_middle_the_next_power_is_right(dut):
    bench = Bench(dut, int(os.environ["W"]))
    await bench.start()
    bench.n = random.getrandbits(64) | 1
    for _ in range(30):
        dual = random.getrandbits(1)  # then it may be cut off between an operation of context 0 and that of context 1
        exponents = [random.getrandbits(90) | 1 << 89 for _ in range(1 + dual)]
        cut_off = cocotb.start_soon(bench.run(FIXED if dual else random.randrange(4), 5, 90, exponents, 0.2))
        for _ in range(random.randrange(2, 400)):
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert dut.busy_o.value == 1, "no exponentiation was under way"
        await FallingEdge(dut.clk_i)
        cut_off.cancel()
        dut.rst_ni.value = 0
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert dut.busy_o.value == 0 and dut.op_valid_o.value == 0
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        await bench.run(random.randrange(4), 4, 60, [exponent_of(60)], 0)
