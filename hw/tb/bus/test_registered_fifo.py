# SPDX-License-Identifier: Apache-2.0
"""registered_fifo: words leave in the order in which they came, under random stalls on both sides, and it holds two more than
its fifo; a word is at the head for as long as it waits."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources

DEPTH = 4


def test_registered_fifo():
    simulate("registered_fifo", sources("registered_fifo"), __name__, {"Width": 16, "Depth": DEPTH})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_under_random_stalls(dut):
    dut.in_valid_i.value = dut.out_ready_i.value = dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    inside, most, passed, shown = [], 0, 0, None
    for filling, draining in ((0.9, 0.1), (0.1, 0.9), (1, 1), (0.5, 0.5)):
        for _ in range(500):
            offered = random.getrandbits(16)
            dut.in_valid_i.value, dut.in_data_i.value = random.random() < filling, offered
            dut.out_ready_i.value = random.random() < draining
            await ReadOnly()
            if shown is not None:
                assert dut.out_valid_o.value and int(dut.out_data_o.value) == shown, "a word that waited is gone"
            put, valid = dut.in_valid_i.value and dut.in_ready_o.value, dut.out_valid_o.value
            shown = int(dut.out_data_o.value) if valid else None
            if valid:
                assert shown == inside[0]
            if valid and dut.out_ready_i.value:
                inside.pop(0)
                passed, shown = passed + 1, None
            await RisingEdge(dut.clk_i)
            if put:
                inside.append(offered)
            most = max(most, len(inside))
    # Of 2,000 cycles some 840; far fewer would be words that wait for nothing.
    assert most == DEPTH + 2 and passed > 700
