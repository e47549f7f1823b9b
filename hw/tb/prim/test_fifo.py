# SPDX-License-Identifier: Apache-2.0
"""fifo: words leave in the order in which they came, under random stalls on both sides, full and empty."""

import cocotb

from garner_hw.drivers.handshake import BOTH, DRAINING, FILLING, words_in_order
from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_fifo():
    simulate("fifo", sources("fifo"), __name__, {"Width": 16, "Depth": 4})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_under_random_stalls(dut):
    most = 0
    async for passage in words_in_order(dut, 16, (FILLING, DRAINING, BOTH), idle=None):
        assert dut.in_ready_o.value == (len(passage.inside) < 4)
        most = max(most, len(passage.inside))
    assert most == 4 and sum(passage.passed.values()) > 1000
