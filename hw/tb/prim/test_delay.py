# SPDX-License-Identifier: Apache-2.0
"""delay: what goes in comes out `Cycles` later."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources


@pytest.mark.parametrize("cycles", [1, 7])
def test_delay(cycles):
    simulate("delay", sources("delay"), __name__, {"Width": 18, "Cycles": cycles},
             {"CYCLES": str(cycles)})


@cocotb.test()
async def words_leave_in_order_after_their_cycles(dut):
    cycles = int(os.environ["CYCLES"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    sent = []
    for _ in range(200):
        word = random.getrandbits(18)
        dut.d_i.value = word
        sent.append(word)
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if len(sent) >= cycles:
            assert int(dut.q_o.value) == sent[-cycles]
        await cocotb.triggers.NextTimeStep()
