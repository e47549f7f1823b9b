# SPDX-License-Identifier: Apache-2.0
"""fifo_rows: whole Montgomery multiplications, of which the test as the processor supplies the words of b alone."""

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from garner_hw.explore.benches.fifo_rows import Processor, prepared, run
from garner_hw.explore.benches.fifo_rows import products_equal_big_integers_in_the_cycles_predicted  # noqa: F401 (it runs here)
from garner_hw.explore.benches.multiplier import ARRAY, BLOCK, BOOTH, OPERATOR
from garner_hw.explore.benches.operands import corners


@pytest.mark.parametrize("parameters", [
    pytest.param({"W": 16, "Rows": 1, "Stages": 1, "Multiplier": OPERATOR, "Bits": 512}, marks=pytest.mark.soak),
    pytest.param({"W": 16, "Rows": 3, "Stages": 8, "Multiplier": ARRAY}, marks=pytest.mark.soak),
    pytest.param({"W": 8, "Ports": 3, "Rows": 8, "Stages": 3, "Multiplier": BLOCK, "Bits": 512},
                 marks=pytest.mark.soak),
    pytest.param({"W": 18, "Rows": 4, "Stages": 3, "Multiplier": BLOCK}, marks=pytest.mark.soak),
    pytest.param({"W": 32, "Rows": 2, "Stages": 5, "Multiplier": BLOCK}, marks=pytest.mark.soak),
    pytest.param({"W": 32, "Ports": 4, "Rows": 1, "Stages": 4, "Multiplier": BOOTH}, marks=pytest.mark.soak),
    {"W": 8, "Ports": 0, "Rows": 3, "Stages": 7, "Multiplier": ARRAY, "Bits": 256},
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_fifo_rows(parameters):
    run(parameters, module=__name__)


class Hesitant(Processor):
    """Pauses before each word; what is not valid is at random."""

    async def pause(self) -> None:
        self.dut.y_i.value = random.getrandbits(self.word)
        for _ in range(random.choice((0, 0, 1, 2, 5, 40))):
            await RisingEdge(self.dut.clk_i)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_are_right_however_long_the_processor_takes(dut):
    processor, parameters = await prepared(dut, Hesitant)
    for case in [*corners(parameters["Bits"], parameters["W"]), *(processor.operands() for _ in range(3))]:
        await processor.check(*case)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def a_multiplication_cut_off_by_reset_leaves_nothing_behind(dut):
    processor, _ = await prepared(dut, Processor)
    for _ in range(3):
        a, b, n = processor.operands()
        processor.store(0, a)
        processor.store_modulus(n)
        supply = cocotb.start_soon(processor.supply(b))
        dut.start_valid_i.value = 1
        for _ in range(random.randrange(20, 5 * processor.words)):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert int(dut.busy_o.value)
        supply.cancel()
        await processor.reset()
        await processor.check(*processor.operands())
