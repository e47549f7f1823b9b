# SPDX-License-Identifier: Apache-2.0
"""The energy step: what is read from recordings and from SAIF, and a netlist that is not what was recorded."""

import re

import pytest

from garner_hw import ToolError
from garner_hw.energy import netlist, opensta, replay, switching
from garner_hw.energy.netlist import Netlist, Port

PORTS = [Port("start_i", 1, True), Port("acc_o", 2, False), Port("busy_o", 1, False)]

SAIF = r"""(SAIFILE
(DURATION 40000)
(INSTANCE replay
 (NET
  (outer (T0 1) (T1 2) (TX 0) (TC 3))
 )
 (INSTANCE dut
  (NET
   (start_i (T0 20000) (T1 20000) (TX 0) (TC 4))
   (x\[1\] (T0 30000) (T1 10000) (TX 0) (TC 2))
  )
  (INSTANCE _12_
   (NET
    (A (T0 40000) (T1 0) (TX 0) (TC 0))
   )
  )
 )
)
)
"""


def test_the_last_multiplication_is_found_by_its_busy_cycles(tmp_path):
    trace = tmp_path / "trace.txt"
    busy = "0110111010"  # two multiplications of three and a pause in each
    trace.write_text("".join(f"1 01{one}\n" for one in busy))
    assert replay.window(trace, PORTS, 3) == (5, 8)
    with pytest.raises(ToolError, match="busy in 6 cycles, a multiplication takes 7"):
        replay.window(trace, PORTS, 7)


def test_activity_is_transitions_a_cycle_and_the_share_of_the_time_high(tmp_path):
    saif = tmp_path / "switching.saif"
    saif.write_text(SAIF)
    assert switching.activity(saif, "dut", 4) == {"start_i": (1.0, 0.5), "x[1]": (0.5, 0.25)}


def test_a_netlist_s_drivers_are_named_by_their_nets():
    cells = {"_12_": {"type": "FAX1", "connections": {"A": [2], "YC": [5], "YS": []}},
             "_13_": {"type": "INVX1", "connections": {"A": [2], "Y": [3]}}}
    unit = {"ports": {"clk_i": {"direction": "input", "bits": [4]}, "start_i": {"direction": "input", "bits": [2]}},
            "netnames": {"start_i": {"bits": [2]}, "x": {"bits": [3, 5]}}, "cells": cells}
    circuit = netlist.read(unit, "clk_i")
    assert circuit == Netlist([Port("start_i", 1, True)], {"_12_/YC": "x[1]", "_13_/Y": "x[0]"}) and circuit.cells == 2
    cells["_14_"] = {"type": "ODD", "connections": {"A": [2], "Z": [3]}}
    with pytest.raises(ToolError, match="of the netlist's 3 cells only 2 drive one of Y, Q"):
        netlist.read(unit, "clk_i")


def test_a_cell_or_an_input_without_activity_is_refused(tmp_path):
    saif = tmp_path / "switching.saif"
    saif.write_text(SAIF)
    script = switching.script("unit", Netlist(PORTS, {"_12_/Y": "x[1]"}), saif, 4)
    assert "[get_pins {_12_/Y}] 0.500000 0.250000" in script and "[get_ports {start_i}] -activity 1.000000" in script
    with pytest.raises(ToolError, match=r"no activity of 1 nets, x\[0\] among them"):
        switching.script("unit", Netlist(PORTS, {"_12_/Y": "x[1]", "_13_/Y": "x[0]"}), saif, 4)
    with pytest.raises(ToolError, match="no activity of 1 nets, end_i among them"):
        switching.script("unit", Netlist([Port("end_i", 1, True)], {"_12_/Y": "x[1]"}), saif, 4)


@pytest.fixture
def no_cache():
    opensta.versions.cache_clear()
    yield
    opensta.versions.cache_clear()


def program(path, text):
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


@pytest.mark.parametrize("said, reason", [("echo no such library >&2; exit 127", "says no version: no such library"),
                                          ("echo 2.4.0; exit 3", "it ended with 3"), ("exit 0", "it ended with 0")])
def test_an_opensta_that_does_not_run_has_no_version(tmp_path, monkeypatch, no_cache, said, reason):
    program(tmp_path / "run.sh", said)
    (tmp_path / "whole").touch()
    (tmp_path / "cells.lib").touch()
    for name, value in {"FETCH": tmp_path, "FOLDER": tmp_path, "LIBRARY": tmp_path / "cells.lib"}.items():
        monkeypatch.setattr(opensta, name, value)
    with pytest.raises(ToolError, match=reason):
        opensta.versions()


def test_an_opensta_that_cannot_be_fetched_is_named_without_advice_that_does_not_help(tmp_path, monkeypatch, no_cache):
    program(tmp_path / "debian.sh", "exit 1")
    monkeypatch.setattr(opensta, "FETCH", tmp_path)
    monkeypatch.setattr(opensta, "FOLDER", tmp_path)
    with pytest.raises(ToolError, match="cannot be fetched from Debian$"):
        opensta.versions()


def test_the_replay_compares_every_output_of_the_multiplication(tmp_path):
    program = replay.replayer("unit", PORTS, tmp_path / "trace.txt", 5, 8)
    assert re.search(r"line >= 5 && \{acc_o, busy_o\} != outputs\) \$fatal", program)
    assert "line <= 8" in program
