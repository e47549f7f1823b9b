# SPDX-License-Identifier: Apache-2.0
"""The energy of FIU's experiment: its record, the window of the operation, memories apart from the netlist."""

import json
import subprocess
from pathlib import Path

import pytest

from garner_hw import ToolError
from garner_hw.energy import netlist, replay, switching
from garner_hw.energy.netlist import Netlist, Port
from garner_hw.soc import energy, measure
from garner_hw.synthesis import YOSYS

RECORD = json.loads(energy.RECORD.read_text())
PORTS = [Port("d_i", 8, True), Port("memories_n2", 8, True, True), Port("d_o", 8, False), Port("memories_n1", 4, False, True)]
UNIT = """
module unit(input clk, input [3:0] write_address_i, input [3:0] read_address_i, input [7:0] d_i, output [7:0] d_o);
  reg [7:0] words [15:0];
  reg [7:0] read;
  assign d_o = read + 8'd1;
  always @(posedge clk) begin
    words[write_address_i ^ 4'd5] <= d_i;
    read <= words[read_address_i];
  end
endmodule
"""


def test_record_is_of_the_cycles_that_the_system_s_report_has():
    (row,) = [row for row in json.loads((measure.REPORT / "power.json").read_text())
              if row["bytes"] == RECORD["bytes"] and not row["memory_wait"]]
    assert RECORD["runs"]["software"]["cycles"] == row["cycles_software"]
    assert RECORD["runs"]["accelerated"]["cycles"] == row["cycles"]


def test_record_s_ratios_are_those_of_its_runs():
    assert RECORD["ratios"] == energy.ratios(RECORD["runs"])
    assert set(RECORD["cells"]) == set(energy.UNITS)
    assert all(set(run["nj"]) == set(energy.UNITS) for run in RECORD["runs"].values())


def test_ratios_compare_with_a_software_run_without_the_peripheral_and_with_it_idle():
    runs = {"software": {"cycles": 200, "nj": {"processor": 90.0, "bus": 10.0, "power": 20.0}},
            "accelerated": {"cycles": 100, "nj": {"processor": 45.0, "bus": 9.0, "power": 6.0}}}
    assert energy.ratios(runs) == {"absent": {"power": 1.2, "energy": 0.6}, "idle": {"power": 1.0, "energy": 0.5}}


def test_window_is_between_the_last_two_reads_of_the_cycle_counter():
    assert energy.window("10\n20\n30\n55\n", 25) == (30, 54)
    with pytest.raises(ToolError, match="in cycles 30 and 55, and says 24 cycles"):
        energy.window("10\n20\n30\n55\n", 24)


def test_ports_to_the_memories_are_replayed_by_the_memories_and_not_recorded():
    program = replay.replayer("unit", PORTS, Path("trace.txt"), 5, 8, "clk")
    assert "memories u_memories (.clk, .n2(memories_n2), .n1(memories_n1));" in program
    assert "assign {d_i} = inputs;" in program and "{d_o} != outputs" in program
    assert "memories" not in replay.recorder("unit", PORTS, Path("trace.txt"), "clk")


def test_cells_behind_the_inputs_have_the_clock_of_their_activity(tmp_path):
    (tmp_path / "switching.saif").write_text("")
    script = switching.script("unit", Netlist([], {}), tmp_path / "switching.saif", 4, "clk", True).splitlines()
    assert script.index("set_input_delay -clock clock 0 [all_inputs]") > script.index(
        "create_clock -name clock -period 10 [get_ports clk]")


def test_all_memories_go_into_a_module_of_their_own(tmp_path):
    (tmp_path / "unit.v").write_text(UNIT)
    (tmp_path / "unit.ys").write_text("\n".join([
        "read_slang --top unit unit.v", "synth -top unit -flatten -run begin:fine", *netlist.apart("unit", "clk"),
        "synth -top unit -run fine:", "write_json unit.json"]))
    subprocess.run([*YOSYS, "unit.ys"], cwd=tmp_path, check=True, capture_output=True)
    (unit,) = json.loads((tmp_path / "unit.json").read_text())["modules"].values()
    assert not [cell for cell in unit["cells"].values() if "DFF" in cell["type"] or "mem" in cell["type"]]
    directions = {name: port["direction"] for name, port in unit["ports"].items() if name.startswith("memories_")}
    assert sorted(directions.values()).count("input") == 1, directions  # the word that is read; its register is the memory's
    assert "memories_clk" not in directions
    memories = (tmp_path / "memories.v").read_text()
    assert memories.count("module memories") == 1 and "[15:0];" in memories


@pytest.mark.soak
def test_energy_is_that_of_the_record_and_a_wrong_netlist_is_refused():
    made = energy.made()
    assert made["cells"] == RECORD["cells"]
    assert made["ratios"] == RECORD["ratios"]
    circuit = energy.circuit_of("bus")
    wrong = energy.WORK / "bus" / "netlist.v"
    wrong.write_text(wrong.read_text().replace("NAND2X1", "NOR2X1", 1))
    lines = energy.window((energy.WORK / "reads.txt").read_text(), made["runs"]["accelerated"]["cycles"])
    with pytest.raises(ToolError, match="the replay into the netlist failed"):
        energy.weighed("bus", circuit, lines)
    assert "the netlist differs in cycle" in (energy.WORK / "bus" / "replay.log").read_text()
