# SPDX-License-Identifier: Apache-2.0
"""skid_buffer: words leave in order under random stalls, one a cycle when nothing stalls, and none is kept."""

import random
from collections import deque

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import NextTimeStep, ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_skid_buffer():
    simulate("skid_buffer", sources("skid_buffer"), __name__, {"Width": 16})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_one_a_cycle_and_none_is_kept(dut):
    dut.rst_ni.value, dut.in_valid_i.value, dut.out_ready_i.value, dut.in_data_i.value = 0, 0, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    inside, passed, most, empty = deque(), [0] * 4, 0, 0
    for cycle in range(6000):
        eager = (cycle // 500) % 4  # filling, draining, both, as fast as it goes
        offered = random.random() < (0.9, 0.2, 0.6, 1)[eager]
        dut.in_valid_i.value = int(offered)
        dut.out_ready_i.value = int(random.random() < (0.2, 0.9, 0.6, 1)[eager])
        dut.in_data_i.value = random.getrandbits(16) if offered else 0
        await ReadOnly()
        assert dut.out_valid_o.value == (len(inside) > 0)
        assert dut.in_ready_o.value == (len(inside) < 2)
        empty = 0 if inside else empty + 1
        if empty > 1:
            assert int(dut.out_data_o.value) == 0 and int(dut.spare_q.value) == 0, "a word is kept"
        if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
            assert int(dut.out_data_o.value) == inside.popleft()
            passed[eager] += 1
        if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 1:
            inside.append(int(dut.in_data_i.value))
        most = max(most, len(inside))
        await NextTimeStep()
        await RisingEdge(dut.clk_i)
    assert most == 2 and passed[3] >= 1495, "a word a cycle"
