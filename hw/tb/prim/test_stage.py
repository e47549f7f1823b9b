# SPDX-License-Identifier: Apache-2.0
"""stage: words leave in the order in which they came, under random stalls on both sides, and none is kept."""

import cocotb

from garner_hw.drivers.handshake import words_in_order
from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_stage():
    simulate("stage", sources("stage"), __name__, {"Width": 16})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_and_none_is_kept(dut):
    async for passage in words_in_order(dut, 16):
        if passage.cycle > 1:  # it is ready a cycle after reset
            assert dut.in_ready_o.value == (len(passage.inside) == 0)
            if passage.empty > 1:
                assert int(dut.out_data_o.value) == 0, "a word is kept"
    assert sum(passage.passed.values()) > 1500
