# SPDX-License-Identifier: Apache-2.0
"""garner_board: what its parameters say of the ports that its engines share, and of RSA's own; what they share of the bus."""

import os

import cocotb
import pytest
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge

from garner_hw.drivers.host import LOAD_KEY, OK, PRIVATE, Host
from garner_hw.simulate import simulate
from garner_hw.sources import sources
from tb.top.test_shell import CORE

DEFAULTS = {"StreamPort": 1, "ArCache": 0b0011, "AwCache": 0b0011, "AxProt": 0b010}
OTHERS = {"StreamPort": 0, "ArCache": 0b1111, "AwCache": 0b0111, "AxProt": 0b011}


@pytest.mark.parametrize("given, expected", [
    pytest.param({}, DEFAULTS, id="defaults", marks=pytest.mark.soak), pytest.param(OTHERS, OTHERS, id="others")])
def test_board(given, expected):
    simulate("garner_board", sources("garner_board", instead=[CORE]), __name__,
             {"Cores": 1, "AesMessages": 1, "AesStages": 1, "AesKeySlots": 1, **given},
             {name: str(value) for name, value in expected.items()}, soon=True)


@cocotb.test()
async def ports_are_those_of_the_parameters(dut):
    host = Host(dut)
    await host.reset()
    while await host.field("STATUS_ZEROISING"):
        pass
    stream = int(os.environ["StreamPort"])
    assert await host.field("CAPABILITY_CORES_STREAM") == int(dut.s_axis_tready.value) == stream
    for channel, cache in (("ar", "ArCache"), ("aw", "AwCache")):
        assert int(getattr(dut, f"m_axi_{channel}cache").value) == int(os.environ[cache])
        assert int(getattr(dut, f"m_axi_{channel}prot").value) == int(os.environ["AxProt"])


async def take_addresses_with_their_data(dut: HierarchyObject, host: Host) -> None:
    """A slave of writes, one at a time, whose AWREADY waits for AWVALID and WVALID, as AXI4 allows (A3.3.1)."""
    channels, under_way = host.axi.write_if, False
    while True:
        await FallingEdge(dut.clk_i)  # what is seen here is what the next edge takes
        seen = {name: int(getattr(dut, f"m_axi_{name}").value) for name in ("awvalid", "awready", "wvalid", "wready", "wlast")}
        ends = seen["wvalid"] and seen["wready"] and seen["wlast"]
        begins = seen["awvalid"] and seen["awready"]
        under_way = (under_way or begins) and not ends
        channels.aw_channel.pause = bool(under_way or ends or not (seen["awvalid"] and seen["wvalid"]))
        channels.w_channel.pause = not under_way


@cocotb.test()
async def a_slave_that_takes_addresses_with_their_data_holds_nothing_up(dut):
    host = Host(dut)
    cocotb.start_soon(take_addresses_with_their_data(dut, host))
    await host.reset()
    while await host.field("STATUS_ZEROISING"):
        pass
    await host.start()
    jobs = [host.descriptor(LOAD_KEY, [5]), *(host.descriptor(PRIVATE, [job], 1) for job in range(20))]
    done = await host.run(jobs, limit=2000)
    assert {completion.status for completion in done.values()} == {OK}
    assert [host.result(job) for job in jobs[1:]] == [[job + 5] for job in range(20)]
