# SPDX-License-Identifier: Apache-2.0
"""What synthesis makes of a module for the ECP5, as sources that the simulator takes in the module's place.

LUTs, carry chains, registers and small memories are Yosys' models, put in their cells' places; multipliers and memory
blocks are ours (hw/cells).
"""

import json
import subprocess
from pathlib import Path

import pyosys

from garner_hw.sources import cells, sources
from garner_hw.synthesis import YOSYS
from garner_hw.synthesis.synthesise import synthesise

BUILD_ARGUMENTS = ["-Wno-lint", "-Wno-style", "--no-public-flat-rw", "-DNETLIST"]
MODELS = Path(pyosys.__file__).parent / "share" / "ecp5"


def ecp5(top: str, parameters: dict, others: tuple[Path, ...] = (), contents: Path | None = None) -> tuple[list[Path], dict]:
    """The sources of a netlist of `top` (which has no parameters any more), and the counts of its cells by kind.

    `others`: sources that no manifest has. `contents`: what a memory is filled with, as for `synthesise`.
    """
    netlist, counts = synthesise(top, [*sources(top, "ecp5"), *others], parameters, "ecp5", contents=contents)
    instances, verilog, script = (netlist.with_suffix(end) for end in (".cells.v", ".v", ".ys"))
    if not verilog.exists() or verilog.stat().st_mtime <= netlist.stat().st_mtime:
        script.write_text("\n".join([
            f"read_json {netlist}", f"write_verilog -noattr {instances}", "design -reset",
            f"read_verilog -sv -nooverwrite -I{MODELS} {MODELS / 'cells_sim.v'}", f"read_verilog {instances}",
            f"hierarchy -top {top}", "proc", "flatten", "opt_clean -purge", f"write_verilog -noattr {verilog}"]))
        subprocess.run([*YOSYS, script], check=True, capture_output=True)
    ports = json.loads(netlist.read_text())["modules"][top]["ports"]  # all that is seen of it: it would be slow
    public = netlist.with_suffix(".vlt")
    public.write_text("\n".join(["`verilator_config", *(f'public_flat_rw -module "{top}" -var "{port}"' for port in ports), ""]))
    return [public, verilog, *cells("ecp5")], counts
