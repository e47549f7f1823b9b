# SPDX-License-Identifier: Apache-2.0
"""Shell and dispatcher, with cores that add: rings, streams, interrupts, counters, faults."""

from pathlib import Path

import pytest

from garner_hw.simulate import simulate
from garner_hw.sources import sources

CORE = Path(__file__).parent / "garner_core.sv"  # adds
TESTS = ("tb.top.ring_tests", "tb.top.interrupt_tests", "tb.top.zeroise_tests", "tb.top.packet_tests")
SEEN = ("garner_core", "dispatcher", "stream_port", "packet_buffer", "skid_buffer", "ram")  # by the tests, below the top

# What depends on the bus, its bursts and the number of cores
BUS = "registers_say|wrap_the_rings|place_of_a_page|beyond_a_result|bad_descriptors|cannot_be_|full_completion_ring|all_busy"


@pytest.mark.parametrize("name", BUS.split("|"))
def test_what_depends_on_the_bus_is_there(name):
    assert any(name in line for line in (Path(__file__).parent / "ring_tests.py").read_text().splitlines()
               if line.startswith("async def "))


@pytest.mark.parametrize("cores, bus_width, max_beats, in_flight, tests", [
    (3, 64, 16, 8, ""), (1, 32, 64, 4, BUS), pytest.param(2, 64, 1, 4, BUS, marks=pytest.mark.soak),
    pytest.param(1, 32, 64, 4, "", marks=pytest.mark.soak), pytest.param(2, 64, 1, 4, "", marks=pytest.mark.soak)])
def test_shell(cores, bus_width, max_beats, in_flight, tests):
    simulate("garner_top", sources("garner_top", instead=[CORE]), TESTS,
             {"Cores": cores, "BusWidth": bus_width, "MaxBeats": max_beats, "InFlight": in_flight},
             {"CORES": str(cores), "BUS_WIDTH": str(bus_width), "IN_FLIGHT": str(in_flight), "COCOTB_TEST_FILTER": tests},
             inside=SEEN)


def test_shell_without_streams():
    simulate("garner_top", sources("garner_top", instead=[CORE]), "tb.top.no_stream_tests",
             {"Cores": 2, "InFlight": 4, "StreamPort": 0, "ArCache": 0b1111, "AwCache": 0b0111, "AxProt": 0b011},
             {"CORES": "2", "BUS_WIDTH": "64", "IN_FLIGHT": "4"}, inside=SEEN)
