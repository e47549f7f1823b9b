"""Shell and dispatcher, with cores that add: rings, streams, interrupts, counters, faults."""

from pathlib import Path

import pytest

from harness import HW, PACKAGE, rtl, simulate
from regs.generate import generate

SHELL = ["prim/fifo", "bus/bus_pkg", "bus/packet_buffer", "bus/dma_read", "bus/dma_write", "bus/descriptor_fetch",
         "bus/completion_write", "bus/dma", "bus/stream_port", "bus/job_mux", "bus/interrupt_coalescer", "bus/counters",
         "bus/shell", "top/dispatcher"]


def sources(core: list[Path]) -> list[Path]:
    """garner_top with this core: its files, `garner_core` last."""
    package, *shell = rtl(*SHELL)
    assert package == PACKAGE
    return [HW / "regs" / "garner_regs.vlt", package, *generate(), *shell, *core, *rtl("top/garner_top")[1:]]


@pytest.mark.parametrize("cores, bus_width, max_beats, in_flight", [(3, 64, 16, 8), (1, 32, 64, 4), (2, 64, 1, 4)])
def test_shell(cores, bus_width, max_beats, in_flight):
    folder = Path(__file__).parent
    simulate("garner_top", sources([folder / "garner_core.sv"]), "shell_tests", folder,
             {"Cores": cores, "BusWidth": bus_width, "MaxBeats": max_beats, "InFlight": in_flight},
             {"CORES": str(cores), "BUS_WIDTH": str(bus_width), "IN_FLIGHT": str(in_flight)})
