# SPDX-License-Identifier: Apache-2.0
"""hybrid_scan: whole Montgomery multiplications. To the processor it is product_scan with words of d * W bits, so the
cocotb tests are made of the same processors, prompt and hesitant."""

import json
import os
import random
import sys
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from harness import HYBRID_SCAN, rtl, simulate

sys.path.insert(0, str(Path(__file__).parent))
import test_product_scan  # noqa: E402
import test_product_scan_stalls  # noqa: E402
from operands import corners  # noqa: E402

FOLDER = Path(__file__).parent
DEFAULTS = {"W": 16, "Ports": 2, "D": 2, "Stages": 3, "Booth": 1, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None) -> None:
    """Simulates one design; `record` receives what was measured, as JSON."""
    complete = DEFAULTS | parameters
    environment = {"SCAN": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("hybrid_scan_bench", rtl(*HYBRID_SCAN) + [FOLDER / "port_memory.sv", FOLDER / "hybrid_scan_bench.sv"],
             "test_hybrid_scan", FOLDER, complete, environment, inside=("port_memory",))


@pytest.mark.parametrize("parameters", [
    {"W": 16, "D": 2, "Stages": 8, "Booth": 2},
    {"W": 8, "Ports": 3, "D": 4, "Stages": 3, "Booth": 3, "Bits": 512},
    {"W": 18, "Ports": 4, "D": 3, "Stages": 2, "Booth": 0, "Bits": 512},
    {"W": 32, "Ports": 0, "D": 1, "Stages": 4, "Booth": 1, "Bits": 512},
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_hybrid_scan(parameters):
    run(parameters)


def latency(parameters: dict) -> int:
    return 2 + parameters["D"] + parameters["Stages"] + 2


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of hybrid_scan."""
    d = parameters["D"]
    blocks = -(-parameters["Bits"] // (d * parameters["W"]))
    return d * (2 * blocks**2 + blocks) + 2 * blocks * (latency(parameters) + 2)


class Processor(test_product_scan.Processor):
    """Counts in blocks; in the memory a block is d words."""

    def __init__(self, dut, parameters: dict):
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


class Hesitant(Processor, test_product_scan_stalls.Hesitant):
    """Pauses before each run; what is not valid is at random."""


async def prepared(dut, kind: type[Processor]) -> tuple[Processor, dict]:
    parameters = json.loads(os.environ["SCAN"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    dut.start_valid_i.value = 0
    await reset(dut, 40)
    return kind(dut, parameters), parameters


async def reset(dut, cycles: int) -> None:
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
async def products_equal_big_integers_in_the_cycles_predicted(dut):
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


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_are_right_however_long_the_processor_takes(dut):
    processor, parameters = await prepared(dut, Hesitant)
    for case in [*corners(parameters["Bits"], parameters["W"]), *(operands(parameters["Bits"]) for _ in range(4))]:
        await check(processor, *case)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def a_run_cut_off_by_reset_leaves_nothing_behind(dut):
    processor, parameters = await prepared(dut, Processor)
    bits = parameters["Bits"]
    for _ in range(4):
        # A run of all blocks with another behind it, both of a product that must not be seen again
        processor.store(processor.a, random.getrandbits(bits))
        processor.store(processor.b, random.getrandbits(bits))
        await processor.run(False, 0, processor.words - 1, processor.words)
        await processor.run(False, 0, processor.words - 1, processor.words, shift=bool(random.getrandbits(1)))
        for _ in range(random.randrange(processor.words)):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert dut.busy_o.value == 1, "no run was under way"
        await reset(dut, parameters["D"] + latency(parameters) + 2)  # the shortest that hybrid_scan allows
        await check(processor, *operands(bits))
