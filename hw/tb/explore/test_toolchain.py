# SPDX-License-Identifier: Apache-2.0
"""The real tool chain's own logic, over programs that measure nothing."""

import json
import os
import sys
from pathlib import Path
from types import ModuleType

import pytest

from garner_hw import HW, ToolError, simulate
from garner_hw.explore import bench, tools
from garner_hw.explore.point import Point
from garner_hw.explore.store import Folder
from garner_hw.placement import nextpnr
from garner_hw.synthesis import synthesise
from tb.processes import running, wait_until

POINT = Point("cios")


def test_sources_are_read_again_for_each_circuit(tmp_path, monkeypatch):
    rtl = tmp_path / "row.sv"
    monkeypatch.setattr(tools, "sources", lambda *arguments: [rtl])
    said = []
    for text in ("module row;", "module row (input clk_i);", "module row;  // a comment says nothing"):
        rtl.write_text(text)
        said.append(tools.Tools().sources(POINT))
    assert said[0] != said[1] and said[0] == said[2]


def test_what_is_measured_lies_in_the_circuit_s_folder_and_nothing_of_before(tmp_path, monkeypatch):
    monkeypatch.setattr(tools, "run", lambda command, what, log: (tmp_path / command[-1]).write_text('{"cycles": 1}'))
    (tmp_path / "sources").mkdir()
    (tmp_path / "sources" / "old.sv").touch()
    tools.Tools().simulate(POINT, tmp_path)
    files = {file.relative_to(tmp_path / "sources") for file in (tmp_path / "sources").rglob("*") if file.is_file()}
    assert {Path("explore/rtl/row.sv"), Path("explore/tb/row_bench.sv"), Path("garner_hw/explore/benches/row.py")} <= files
    assert Path("old.sv") not in files
    assert all((tmp_path / "sources" / file).read_bytes() == (HW / file).read_bytes() for file in files)


@pytest.mark.parametrize("observers, seed", [([], None), (["recorder.sv"], "1")])
def test_what_is_recorded_has_the_same_operands_in_each_run(tmp_path, monkeypatch, observers, seed):
    seeds = []
    simulation = ModuleType("simulation")
    simulation.run = lambda *given, observers: seeds.append((os.environ.get("COCOTB_RANDOM_SEED"), len(observers)))
    monkeypatch.setitem(sys.modules, "garner_hw.explore.benches.fake", simulation)
    monkeypatch.setattr(bench, "ends_what_it_starts", lambda: None)
    monkeypatch.setattr(simulate, "BUILD", tmp_path)
    monkeypatch.setenv("COCOTB_RANDOM_SEED", "")  # so that it is undone
    monkeypatch.delenv("COCOTB_RANDOM_SEED")
    monkeypatch.setattr(sys, "argv", ["bench.py", "fake", "{}", "2", str(tmp_path / "record"), *observers])
    bench.main()
    assert seeds == [(seed, len(observers))]


def test_a_simulation_that_is_killed_leaves_no_step(tmp_path, monkeypatch):
    def killed(command, what, log):
        (tmp_path / command[-1]).write_text('{"cycles": 1}')
        raise KeyboardInterrupt

    monkeypatch.setattr(tools, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        tools.Tools().simulate(POINT, tmp_path)
    assert list(tmp_path.iterdir()) and Folder(tmp_path).steps() == {}


@pytest.fixture
def hanging(tmp_path, monkeypatch):
    """A program that says its pid and hangs, in the place of Yosys and nextpnr."""
    program = tmp_path / "hangs"
    program.write_text(f"#!/bin/sh\necho $$ > {tmp_path}/pid\nexec sleep 600\n")
    program.chmod(0o755)
    monkeypatch.setattr(tools, "BUILDING", 10.0)  # time enough to say it
    monkeypatch.setenv(nextpnr.OTHER, str(program))
    monkeypatch.setattr(synthesise, "YOSYS", [str(program)])
    yield
    pid = int((tmp_path / "pid").read_text())
    try:
        wait_until(lambda: not running(pid))
    finally:
        if running(pid):
            os.kill(pid, 9)


def test_a_placement_that_hangs_is_ended_and_fails(tmp_path, monkeypatch, hanging):
    circuit = tmp_path / "circuit.netlist.json"
    circuit.write_text(json.dumps({"modules": {"row": {"attributes": {}, "ports": {}}}}))
    monkeypatch.setattr(tools, "netlist", lambda *arguments: (circuit, {}))
    with pytest.raises(ToolError, match="nextpnr took more than 10 s; see .*circuit"):
        tools.Tools().place(POINT, 1, tmp_path)


def test_a_synthesis_that_hangs_is_ended_and_fails(tmp_path, hanging):
    with pytest.raises(ToolError, match="Yosys took more than 10 s on row .*; see "):
        tools.Tools().synthesise(POINT, False, tmp_path)
