# SPDX-License-Identifier: Apache-2.0
"""ulx3s_reset: lock and button at any times give a reset without glitches."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_ulx3s_reset():
    simulate("ulx3s_reset", sources("ulx3s_reset"), __name__)


async def changes(dut, button: int) -> None:
    """The button, somewhere between two edges of the clock."""
    await RisingEdge(dut.clk_i)
    await Timer(random.randrange(1, 9_000), "ps")
    before = dut.rst_no.value
    dut.button_i.value = button
    await Timer(1, "ps")
    assert dut.rst_no.value == before, "logic between button and reset"


@cocotb.test()
async def button_resets_with_the_clock_and_a_lost_lock_without(dut):
    dut.clk_i.value = dut.locked_i.value = dut.button_i.value = 0
    await Timer(1, "ns")
    assert dut.rst_no.value == 0, "waits for the clock"
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start(start_high=False))
    for _ in range(100):
        await changes(dut, 0)
        dut.locked_i.value = 1
        for edge in range(1, 7):
            await RisingEdge(dut.clk_i)
            await FallingEdge(dut.clk_i)
            assert dut.rst_no.value == (edge >= 4)
        for button in (1, 0):
            await changes(dut, button)
            for edge in range(1, 4):
                await RisingEdge(dut.clk_i)
                await FallingEdge(dut.clk_i)
                assert dut.rst_no.value == ((edge >= 2) != button)
        await RisingEdge(dut.clk_i)
        await Timer(random.randrange(1, 9_000), "ps")
        dut.locked_i.value = 0
        await Timer(1, "ps")
        assert dut.rst_no.value == 0, "waits for the clock"
