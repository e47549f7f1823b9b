# SPDX-License-Identifier: Apache-2.0
"""hybrid_scan: whole Montgomery multiplications, with a processor that is prompt, with one that hesitates, and cut off
by reset."""

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from explore.tb import test_product_scan_stalls
# The one with the long name runs here as it is:
from garner_hw.explore.benches.hybrid_scan import (Processor, check, latency, operands, prepared,  # noqa: F401
                                           products_equal_big_integers_in_the_cycles_predicted, reset, run)
from garner_hw.explore.benches.multiplier import ARRAY, BLOCK, BOOTH, OPERATOR
from garner_hw.explore.benches.operands import corners


@pytest.mark.parametrize("parameters", [
    pytest.param({"W": 16, "D": 2, "Stages": 8, "Multiplier": ARRAY}, marks=pytest.mark.soak),
    pytest.param({"W": 8, "Ports": 3, "D": 4, "Stages": 3, "Multiplier": BLOCK, "Bits": 512}, marks=pytest.mark.soak),
    {"W": 18, "Ports": 4, "D": 3, "Stages": 2, "Multiplier": OPERATOR, "Bits": 512},
    pytest.param({"W": 32, "Ports": 0, "D": 1, "Stages": 4, "Multiplier": BOOTH, "Bits": 512}, marks=pytest.mark.soak),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_hybrid_scan(parameters):
    run(parameters, module=__name__)


class Hesitant(Processor, test_product_scan_stalls.Hesitant):
    """Pauses before each run; what is not valid is at random."""


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
