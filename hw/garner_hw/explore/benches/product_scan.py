# SPDX-License-Identifier: Apache-2.0
"""product_scan: whole Montgomery multiplications in simulation, column by column; the code here is the processor.
garner_hw.explore.bench runs it for its figures, hw/explore/tb as a test.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, RisingEdge

from garner_hw.explore.benches.multiplier import BOOTH
from garner_hw.explore.benches.operands import corners
from garner_hw.simulate import simulate
from garner_hw.sources import sources

DEFAULTS = {"W": 16, "Ports": 2, "Unroll": 1, "Stages": 3, "Multiplier": BOOTH, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None,
        observers: tuple[Path, ...] = ()) -> None:
    """Simulates one design; `record` receives what was measured, as JSON;
    `observers` are sources with modules that are bound to the unit."""
    complete = DEFAULTS | parameters
    environment = {"SCAN": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("product_scan_bench", [*sources("product_scan_bench"), *observers], __name__, complete, environment,
             inside=("port_memory",))


class Processor:
    def __init__(self, dut: HierarchyObject, parameters: dict) -> None:
        self.dut = dut
        self.word = parameters["W"]
        self.words = -(-parameters["Bits"] // self.word)
        self.mask = (1 << self.word) - 1
        quarter = len(dut.u_memory.words) // 4  # where they are in the memory
        self.a, self.n, self.b, self.m = (quarter * i for i in range(4))

    @property
    def radix(self) -> int:
        """R, by which a product is divided."""
        return 1 << self.word * self.words

    def store(self, at: int, number: int) -> None:
        for i in range(self.words):
            self.dut.u_memory.words[at + i].value = number >> (self.word * i) & self.mask

    def store_digit(self, k: int, m: int) -> None:
        self.dut.u_memory.words[self.m + k].value = m

    async def run(self, is_n: bool, x: int, y: int, count: int, shift: bool = False) -> None:
        dut = self.dut
        await FallingEdge(dut.clk_i)
        dut.start_n_i.value = is_n
        dut.start_shift_i.value = shift
        dut.start_x_base_i.value = x
        dut.start_y_base_i.value = y
        dut.start_count_i.value = count
        dut.start_valid_i.value = 1
        if not int(dut.start_ready_o.value):
            await RisingEdge(dut.start_ready_o)
        await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 0

    async def finished(self) -> int:
        """The accumulator's low word when all runs are in it."""
        await FallingEdge(self.dut.clk_i)
        if int(self.dut.busy_o.value):
            await FallingEdge(self.dut.busy_o)
            await FallingEdge(self.dut.clk_i)
        return int(self.dut.acc_o.value)

    async def multiply(self, a: int, b: int, n: int) -> int:
        dut, s = self.dut, self.words
        inverse = pow(-n, -1, 1 << self.word)
        self.store(self.a, a)
        self.store(self.b, b)
        self.store(self.n, n)
        await RisingEdge(dut.clk_i)
        result = 0
        for k in range(2 * s):
            low = max(0, k - s + 1)             # x from low up, y from k - low down
            count = k - 2 * low + 1 if k >= s else k + 1
            if k < s:
                await self.run(False, 0, k, count)
                if k:                           # m[0..k-1] by n[k..1]: x is n, from 1 up
                    await self.run(True, 1, k - 1, k)
                m = await self.finished() * inverse & self.mask
                self.store_digit(k, m)
                await self.run(True, 0, k, 1, shift=True)
            else:
                if count > 0:
                    await self.run(False, low, k - low, count)
                    await self.run(True, low, k - low, count)
                result |= await self.finished() << (self.word * (k - s))
                if k < 2 * s - 1:
                    await self.run(True, 0, 0, 0, shift=True)
        await self.finished()
        # The last column is the carry out of the ones below; a word above it is left for a sum of n and more.
        await self.run(True, 0, 0, 0, shift=True)
        result |= await self.finished() << (self.word * s)
        await self.run(True, 0, 0, 0, shift=True)
        assert await self.finished() == 0, "something is left in the accumulator"
        return result


async def prepared(dut: HierarchyObject) -> tuple[Processor, dict]:
    parameters = json.loads(os.environ["SCAN"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    dut.rst_ni.value = 0
    dut.start_valid_i.value = 0
    for _ in range(40):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    return Processor(dut, parameters), parameters


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_equal_big_integers(dut: HierarchyObject) -> None:
    processor, parameters = await prepared(dut)
    bits = parameters["Bits"]
    cases = list(corners(bits, parameters["W"]))
    for _ in range(int(os.environ["NUMBERS"])):
        n = random.getrandbits(bits) | 1 | 1 << (bits - 1)
        cases.append((random.randrange(n), random.randrange(n), n))
    measured = set()
    for a, b, n in cases:
        before = int(dut.cycles_o.value), int(dut.words_o.value)
        t = await processor.multiply(a, b, n)
        assert t < 2 * n
        assert t % n == a * b * pow(processor.radix, -1, n) % n
        measured.add((int(dut.cycles_o.value) - before[0], int(dut.words_o.value) - before[1]))
    assert len(measured) == 1, "time depends on the operands"
    (cycles, words), = measured
    dut._log.info(f"{parameters}: {cycles} cycles, {words} words")
    if os.environ["RECORD"]:
        Path(os.environ["RECORD"]).write_text(json.dumps(
            {"cycles": cycles, "words_moved": words, "processor_products": processor.words, "checked": len(cases)}))
