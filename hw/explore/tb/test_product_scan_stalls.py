# SPDX-License-Identifier: Apache-2.0
"""product_scan: a processor that hesitates, over thousands of short multiplications, and reset in the middle of a run.

Timing is not looked at here; test_product_scan does that with a processor that is always prompt.
"""

import json
import os
import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from garner_hw.explore.benches.multiplier import BOOTH, OPERATOR
from garner_hw.explore.benches.operands import corners
from garner_hw.explore.benches.product_scan import Processor, prepared
from garner_hw.simulate import simulate
from garner_hw.sources import sources

BITS = 256


@pytest.mark.parametrize("numbers, parameters", [
    pytest.param(800, {"W": 32, "Ports": 3, "Unroll": 1, "Stages": 4, "Multiplier": BOOTH}, marks=pytest.mark.soak),
    (50, {"W": 16, "Ports": 0, "Unroll": 8, "Stages": 1, "Multiplier": OPERATOR}),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()) if isinstance(p, dict) else str(p))
def test_product_scan_stalls(numbers, parameters):
    complete = {"Bits": BITS} | parameters
    simulate("product_scan_bench", sources("product_scan_bench"), __name__,
             complete, {"SCAN": json.dumps(complete), "NUMBERS": str(numbers)}, inside=("port_memory",))


class Hesitant(Processor):
    """Pauses before each run; what is not valid is at random."""

    async def run(self, is_n: bool, x: int, y: int, count: int, shift: bool = False) -> None:
        dut = self.dut
        for _ in range(random.choice((0, 0, 0, 1, 2, 5))):
            await RisingEdge(dut.clk_i)
        await super().run(is_n, x, y, count, shift)
        dut.start_n_i.value = random.getrandbits(1)
        dut.start_shift_i.value = random.getrandbits(1)
        for port in (dut.start_x_base_i, dut.start_y_base_i, dut.start_count_i):
            port.value = random.randrange(self.words)


async def check(processor: Processor, a: int, b: int, n: int) -> None:
    t = await processor.multiply(a, b, n)
    assert t < 2 * n
    assert t % n == a * b * pow(processor.radix, -1, n) % n


def operands() -> tuple[int, int, int]:
    n = random.getrandbits(BITS) | 1 | 1 << (BITS - 1)
    return random.randrange(n), random.randrange(n), n


@cocotb.test(timeout_time=400, timeout_unit="ms")
async def products_are_right_however_long_the_processor_takes(dut):
    _, parameters = await prepared(dut)
    processor = Hesitant(dut, parameters)
    for case in [*corners(BITS, parameters["W"]), *(operands() for _ in range(int(os.environ["NUMBERS"])))]:
        await check(processor, *case)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def a_run_cut_off_by_reset_leaves_nothing_behind(dut):
    _, parameters = await prepared(dut)
    processor = Hesitant(dut, parameters)
    lanes = parameters["Unroll"] if parameters["Ports"] == 0 else parameters["Ports"] // 2
    for _ in range(30):
        # A run of all words with another behind it, both of a product that must not be seen again
        processor.store(processor.a, random.getrandbits(BITS))
        processor.store(processor.b, random.getrandbits(BITS))
        await processor.run(False, 0, processor.words - 1, processor.words)
        await processor.run(False, 0, processor.words - 1, processor.words, shift=bool(random.getrandbits(1)))
        for _ in range(random.randrange(processor.words // lanes + 1)):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert dut.busy_o.value == 1, "no run was under way"
        dut.rst_ni.value = 0
        for _ in range(parameters["Stages"] + 4):  # the shortest reset that product_scan allows
            await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert dut.busy_o.value == 0
        await FallingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        await check(processor, *operands())
