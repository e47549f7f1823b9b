# SPDX-License-Identifier: Apache-2.0
"""Shell and dispatcher, with cores that add: rings, streams, interrupts, counters, faults."""

from pathlib import Path

import pytest

from harness import HW, TOP, rtl, simulate


def sources(core: list[Path]) -> list[Path]:
    """garner_top with this core: its files, `garner_core` last."""
    return list(dict.fromkeys([HW / "regs" / "garner_regs.vlt", *rtl(*TOP), *core, *rtl("top/garner_top")]))


@pytest.mark.parametrize("cores, bus_width, max_beats, in_flight", [(3, 64, 16, 8), (1, 32, 64, 4), (2, 64, 1, 4)])
def test_shell(cores, bus_width, max_beats, in_flight):
    folder = Path(__file__).parent
    simulate("garner_top", sources([folder / "garner_core.sv"]), "shell_tests", folder,
             {"Cores": cores, "BusWidth": bus_width, "MaxBeats": max_beats, "InFlight": in_flight},
             {"CORES": str(cores), "BUS_WIDTH": str(bus_width), "IN_FLIGHT": str(in_flight)}, inside=None)
