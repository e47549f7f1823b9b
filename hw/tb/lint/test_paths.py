# SPDX-License-Identifier: Apache-2.0
"""The search for paths finds those that are there, and none where a flip-flop is on every way."""

from garner_hw.lint.paths import netlist, through
from garner_hw.sources import sources


def test_a_path_through_a_multiplexer_is_found():
    found = through(netlist("job_mux", sources("job_mux"), {}))
    assert {("sources_i", "jobs_o"), ("jobs_i", "sources_o")} <= set(found)
    assert ("sources_i", "sources_o") not in found


def test_registers_between_two_handshakes_have_none():
    for module in ("stage", "skid_buffer", "fifo"):
        assert through(netlist(module, sources(module), {"Width": 8})) == [], module
