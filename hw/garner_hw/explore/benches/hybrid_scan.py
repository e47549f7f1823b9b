# SPDX-License-Identifier: Apache-2.0
"""hybrid_scan: whole Montgomery multiplications in simulation. To the processor it is product_scan with words of d * W
bits, so the processor here is that one. hw/explore/tb runs it as a test.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from garner_hw.explore.benches import product_scan
from garner_hw.explore.benches.multiplier import BOOTH
from garner_hw.explore.benches.operands import corners
from garner_hw.simulate import simulate
from garner_hw.sources import sources

DEFAULTS = {"W": 16, "Ports": 2, "D": 2, "Stages": 3, "Multiplier": BOOTH, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None, module: str = __name__,
        observers: tuple[Path, ...] = ()) -> None:
    """Simulates one design with the tests of `module`; `record` receives what was measured, as JSON;
    `observers` are sources with modules that are bound to the unit."""
    complete = DEFAULTS | parameters
    environment = {"SCAN": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("hybrid_scan_bench", [*sources("hybrid_scan_bench"), *observers], module, complete, environment,
             inside=("port_memory",))


def latency(parameters: dict) -> int:
    return 2 + parameters["D"] + parameters["Stages"] + 2


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of hybrid_scan."""
    d = parameters["D"]
    blocks = -(-parameters["Bits"] // (d * parameters["W"]))
    return d * (2 * blocks**2 + blocks) + 2 * blocks * (latency(parameters) + 2)


class Processor(product_scan.Processor):
    """Counts in blocks; in the memory a block is d words."""

    def __init__(self, dut: HierarchyObject, parameters: dict) -> None:
        super().__init__(dut, parameters | {"W": parameters["D"] * parameters["W"]})
        self.d, self.w = parameters["D"], parameters["W"]

    def store(self, at: int, number: int) -> None:
        for i in range(self.words * self.d):
            self.dut.u_memory.words[at + i].value = number >> (self.w * i) & (1 << self.w) - 1

    def store_digit(self, k: int, m: int) -> None:
        for i in range(self.d):
            self.dut.u_memory.words[self.m + k * self.d + i].value = m >> (self.w * i) & (1 << self.w) - 1

    async def run(self, is_n: bool, x: int, y: int, count: int, shift: bool = False) -> None:
        await super().run(is_n, x * self.d, y * self.d, count, shift)


async def prepared(dut: HierarchyObject, kind: type[Processor]) -> tuple[Processor, dict]:
    parameters = json.loads(os.environ["SCAN"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    dut.start_valid_i.value = 0
    await reset(dut, 40)
    return kind(dut, parameters), parameters


async def reset(dut: HierarchyObject, cycles: int) -> None:
    dut.rst_ni.value = 0
    for _ in range(cycles):
        await RisingEdge(dut.clk_i)
    await ReadOnly()
    assert dut.busy_o.value == 0
    await FallingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


def operands(bits: int) -> tuple[int, int, int]:
    n = random.getrandbits(bits) | 1 | 1 << (bits - 1)
    return random.randrange(n), random.randrange(n), n


async def check(processor: Processor, a: int, b: int, n: int) -> None:
    t = await processor.multiply(a, b, n)
    assert t < 2 * n
    assert t % n == a * b * pow(processor.radix, -1, n) % n


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_equal_big_integers_in_the_cycles_predicted(dut: HierarchyObject) -> None:
    processor, parameters = await prepared(dut, Processor)
    bits, measured, cases = parameters["Bits"], set(), 0
    for case in [*corners(bits, parameters["W"]), *(operands(bits) for _ in range(int(os.environ["NUMBERS"])))]:
        before = int(dut.cycles_o.value), int(dut.words_o.value)
        await check(processor, *case)
        measured.add((int(dut.cycles_o.value) - before[0], int(dut.words_o.value) - before[1]))
        cases += 1
    assert len(measured) == 1, "time depends on the operands"
    (cycles, words), = measured
    d, blocks = parameters["D"], processor.words
    dut._log.info(f"{parameters}: {cycles} cycles, predicted {predicted(parameters)}, {words} words")
    assert abs(cycles - predicted(parameters)) <= 0.03 * cycles
    assert words == 2 * d * 2 * blocks**2
    if os.environ["RECORD"]:
        Path(os.environ["RECORD"]).write_text(json.dumps(
            {"cycles": cycles, "words_moved": words, "processor_products": blocks * d * (d + 1) // 2,
             "checked": cases}))
