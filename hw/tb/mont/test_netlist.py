# SPDX-License-Identifier: Apache-2.0
"""What synthesis made of a small mont for the ECP5 passes mont's tests."""

import pytest

from garner_hw.simulate import simulate
from garner_hw.synthesis import netlist


@pytest.mark.soak
def test_ecp5_netlist_does_what_the_source_does():
    sources, counts = netlist.ecp5("mont", {"Rows": 2, "W": 18, "HopCycles": 5})
    assert counts["MULT18X18D"] == 4
    assert counts["DP16KD"] == 20
    simulate("mont", sources, "tb.mont.test_mont", {}, {"ROWS": "2", "W": "18", "HOP": "5", "BITS": "52"},
             variant="netlist", build_arguments=netlist.BUILD_ARGUMENTS, inside=None, soon=True)
