# SPDX-License-Identifier: Apache-2.0
"""skid_buffer: words leave in order under random stalls, one a cycle when nothing stalls, and none is kept."""

import cocotb

from garner_hw.drivers.handshake import FAST, words_in_order
from garner_hw.simulate import simulate
from garner_hw.sources import sources


def test_skid_buffer():
    simulate("skid_buffer", sources("skid_buffer"), __name__, {"Width": 16})


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def words_leave_in_order_one_a_cycle_and_none_is_kept(dut):
    most = 0
    async for passage in words_in_order(dut, 16):
        assert dut.in_ready_o.value == (len(passage.inside) < 2)
        if passage.empty > 1:
            assert int(dut.out_data_o.value) == 0 and int(dut.spare_q.value) == 0, "a word is kept"
        most = max(most, len(passage.inside))
    assert most == 2 and passage.passed[FAST] >= 1495, "a word a cycle"
