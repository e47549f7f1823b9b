"""What synthesis made of a small mont for the ECP5 passes mont's tests, on Yosys' models of LUTs and registers and ours of
the multiplier and memory cells."""

import os
import subprocess
import sys
from pathlib import Path

import pyosys

from harness import HW, MONT, rtl, simulate

sys.path.insert(0, str(HW / "syn"))
import place  # noqa: E402

ECP5 = Path(pyosys.__file__).parent / "share" / "ecp5"


def test_ecp5_netlist_does_what_the_source_does(monkeypatch):
    monkeypatch.setitem(os.environ, "MAKEFLAGS", "OPT_FAST=-O0 OPT_SLOW=-O0")  # it is big, and runs for a moment only
    parameters = {"Rows": 2, "W": 18, "HopCycles": 5}
    netlist, counts = place.synthesise("mont", rtl(*MONT, family="ecp5"), parameters, "ecp5")
    assert counts["MULT18X18D"] == 4
    assert counts["DP16KD"] == 20
    verilog, script = netlist.with_suffix(".v"), netlist.with_suffix(".ys")
    script.write_text("\n".join([
        f"read_json {netlist}", f"write_verilog -noattr {verilog}", "design -reset",
        f"read_verilog -sv -nooverwrite -I{ECP5} {ECP5 / 'cells_sim.v'}", f"read_verilog {verilog}", "hierarchy -top mont",
        "proc", "flatten", "opt_clean -purge", f"write_verilog -noattr {verilog}"]))  # each cell's model in its place
    subprocess.run([sys.executable, HW / "syn" / "yosys.py", script], check=True, capture_output=True)
    simulate("mont", [verilog, *(place.CELLS / f"{cell}.v" for cell in place.VENDOR["ecp5"])],
             "test_mont", Path(__file__).parent, {}, {"ROWS": "2", "W": "18", "HOP": "5", "BITS": "52"},
             variant="netlist", build_arguments=["-Wno-lint", "-Wno-style"])
