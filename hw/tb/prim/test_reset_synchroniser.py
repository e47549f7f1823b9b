# SPDX-License-Identifier: Apache-2.0
"""reset_synchroniser: asserted without a clock, released with one, whenever the reset comes and goes."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from garner_hw.simulate import simulate
from garner_hw.sources import sources


@pytest.mark.parametrize("stages", [2, 3])
def test_reset_synchroniser(stages):
    simulate("reset_synchroniser", sources("reset_synchroniser"), __name__,
             {"Stages": stages}, {"STAGES": str(stages)})


@cocotb.test()
async def reset_comes_without_a_clock_and_goes_with_one(dut):
    stages = int(os.environ["STAGES"])
    dut.clk_i.value = 0
    dut.rst_ni.value = 0
    await Timer(1, "ns")
    assert dut.rst_no.value == 0, "waits for the clock"
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start(start_high=False))
    for _ in range(200):
        await RisingEdge(dut.clk_i)
        await Timer(random.randrange(1, 9_500), "ps")  # anywhere between two edges
        dut.rst_ni.value = 1
        await Timer(1, "ps")
        assert dut.rst_no.value == 0, "released with no edge of the clock"
        for edge in range(1, stages + random.randrange(4)):
            await RisingEdge(dut.clk_i)
            await Timer(1, "ps")
            assert dut.rst_no.value == (edge >= stages), edge
        await Timer(random.randrange(1, 9_000), "ps")
        dut.rst_ni.value = 0
        await Timer(1, "ps")
        assert dut.rst_no.value == 0, "waits for the clock"
