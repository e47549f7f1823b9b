# SPDX-License-Identifier: Apache-2.0
"""Shell and dispatcher, with cores that add: rings, streams, interrupts, counters, faults."""

from pathlib import Path

import pytest

from harness import TOP, rtl, simulate


def sources(core: list[Path]) -> list[Path]:
    """garner_top with this core: its files, `garner_core` last."""
    return list(dict.fromkeys([*rtl(*TOP), *core, *rtl("top/garner_top")]))


@pytest.mark.parametrize("cores, bus_width, max_beats, in_flight", [(3, 64, 16, 8), (1, 32, 64, 4), (2, 64, 1, 4)])
def test_shell(cores, bus_width, max_beats, in_flight):
    folder = Path(__file__).parent
    simulate("garner_top", sources([folder / "garner_core.sv"]), "shell_tests", folder,
             {"Cores": cores, "BusWidth": bus_width, "MaxBeats": max_beats, "InFlight": in_flight},
             {"CORES": str(cores), "BUS_WIDTH": str(bus_width), "IN_FLIGHT": str(in_flight)}, inside=None)


def test_shell_without_streams():
    folder = Path(__file__).parent
    simulate("garner_top", sources([folder / "garner_core.sv"]), "no_stream_tests", folder,
             {"Cores": 2, "InFlight": 4, "StreamPort": 0, "ArCache": 0b1111, "AwCache": 0b0111, "AxProt": 0b011},
             {"CORES": "2", "BUS_WIDTH": "64", "IN_FLIGHT": "4"}, inside=None)
