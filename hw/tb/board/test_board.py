# SPDX-License-Identifier: Apache-2.0
"""garner_board: what its parameters say of the ports that its engines share, and of RSA's own."""

import os

import cocotb
import pytest

from garner_hw.drivers.host import Host
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
