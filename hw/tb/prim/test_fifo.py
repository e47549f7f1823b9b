# SPDX-License-Identifier: Apache-2.0
"""fifo: words leave in the order in which they came, under random stalls on both sides, full and empty."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import NextTimeStep, ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_fifo():
    simulate("fifo", sources("fifo"), __name__, {"Width": 16, "Depth": 4})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_under_random_stalls(dut):
    dut.rst_ni.value, dut.in_valid_i.value, dut.out_ready_i.value = 0, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    inside, most, passed = deque(), 0, 0
    for cycle in range(6000):
        eager = (cycle // 500) % 3  # filling, draining, both
        dut.in_valid_i.value = int(random.random() < (0.9, 0.2, 0.6)[eager])
        dut.out_ready_i.value = int(random.random() < (0.2, 0.9, 0.6)[eager])
        dut.in_data_i.value = random.getrandbits(16)
        await ReadOnly()
        assert dut.in_ready_o.value == (len(inside) < 4)
        assert dut.out_valid_o.value == (len(inside) > 0)
        if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
            assert int(dut.out_data_o.value) == inside.popleft()
            passed += 1
        if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 1:
            inside.append(int(dut.in_data_i.value))
        most = max(most, len(inside))
        await NextTimeStep()
        await RisingEdge(dut.clk_i)
    assert most == 4 and passed > 1000
