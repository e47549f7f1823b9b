# SPDX-License-Identifier: Apache-2.0
"""Netlists of a top for an ECP5 (Yosys synth_ecp5) or a 7 series part (synth_xilinx), and the counts of their cells."""

import json
import subprocess
from importlib.metadata import version
from pathlib import Path

from garner_hw import BUILD, ToolError
from garner_hw.records import fingerprint, name_of
from garner_hw.sources import VENDOR_CELLS, cells
from garner_hw.synthesis import YOSYS

WORK = BUILD / "syn"
# What is done otherwise than the family's own script does it, and before which of its steps.
CHANGES = {
    # The eight flip-flops of an ECP5 tile share one reset (as nextpnr has it): hundreds of small synchronous ones, in their
    # place in the logic, would leave tiles half empty, and a full device without a place.
    "ecp5": ("map_ffs", "dffunmap -srst-only"),
    # ABC9 takes carries out of the middle of chains for other logic, and nextpnr then cuts the chain there: the program
    # counter of rsa_core was its slowest path. A short adder is as fast in LUTs.
    "xilinx7": ("fine", "techmap t:$alu r:Y_WIDTH<=8 %i"),
}


def synthesise(top: str, files: list[Path], parameters: dict, family: str,
               no_dsp: bool = False, once: tuple[str, dict] | None = None, work: Path = WORK,
               contents: Path | None = None, keep: bool = False, limit: float | None = None) -> tuple[Path, dict]:
    """The netlist of `top` as JSON, and the counts of its cells by kind. Script, log and netlist lie in `work`.

    `once`: a module and its parameters, the same in all instances, that is synthesised by itself and put into the rest.
    `contents`: what the macro FIRMWARE names, a file that a memory is filled with.
    `keep`: the netlist of a 7 series part is written as well; that of an ECP5 always is.
    `limit`: seconds after which Yosys is ended and has failed.
    """
    work.mkdir(parents=True, exist_ok=True)
    base = work / name_of(top, parameters, family + ("-no-dsp" if no_dsp else "") + (f"-{once[0]}" if once else ""))
    netlist, mark, log = base.with_suffix(".netlist.json"), base.with_suffix(".mark"), base.with_suffix(".yosys.log")
    stat = base.with_suffix(".stat.json")

    def netlist_of(module: str, values: dict, *boxes: str) -> list[str]:
        generics = [f"-G{key}={value}" for key, value in values.items()]
        black = [f"--blackboxed-module {box}" for box in (*VENDOR_CELLS[family], *boxes)]
        synth = {"ecp5": "synth_ecp5 -abc9", "xilinx7": "synth_xilinx -family xc7 -abc9 -flatten"}[family]
        synth = f"{synth}{' -nodsp' if no_dsp else ''} -top {module}"
        stop, change = CHANGES[family]
        macros = [f'-DFIRMWARE="{contents}"'] if contents else []
        return [" ".join(["read_slang", "--top", module, *generics, *macros, *black, *map(str, [*files, *cells(family)])]),
                f"{synth} -run :{stop}", change, f"{synth} -run {stop}:"]

    if once:
        module, values = once
        read, *synth = netlist_of(top, parameters, module)
        script = [*netlist_of(module, values), "design -stash once", read, f"unparametrise {module}", *synth,
                  f"delete ={module}", f"design -copy-from once -as {module} {module}", "flatten",
                  "opt_clean -purge"]
    else:
        script = netlist_of(top, parameters)
    script += [f"tee -q -o {stat} stat -json", *([f"write_json {netlist}"] if family == "ecp5" or keep else [])]
    stamp = "\n".join([fingerprint([*files, *([contents] if contents else [])]), version("pyosys"), *script])
    if not (mark.exists() and mark.read_text() == stamp):
        mark.unlink(missing_ok=True)
        base.with_suffix(".ys").write_text("\n".join(script) + "\n")
        log.unlink(missing_ok=True)
        try:
            result = subprocess.run([*YOSYS, base.with_suffix(".ys"), log], capture_output=True, text=True,
                                    timeout=limit)
        except subprocess.TimeoutExpired:
            raise ToolError(f"Yosys took more than {limit:g} s on {top} {parameters}; see {log}") from None
        if result.returncode or not stat.exists():
            said = (log.read_text() if log.exists() else result.stdout + result.stderr).splitlines()
            why = [*dict.fromkeys(line.strip() for line in said if "error: " in line.lower())][:3] or said[-5:]
            raise ToolError("\n".join([f"Yosys failed on {top} {parameters}; see {log}", *why]))
        mark.write_text(stamp)
    counts = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    return netlist, counts


def ecp5(counts: dict) -> dict:
    """Cells of an ECP5 netlist: a carry cell is two LUTs, a distributed memory of 16 x 4 bits six, with its writing."""
    return {"LUT": counts.get("LUT4", 0) + 2 * counts.get("CCU2C", 0) + 6 * counts.get("TRELLIS_DPR16X4", 0),
            "FF": counts.get("TRELLIS_FF", 0), "DSP": counts.get("MULT18X18D", 0), "EBR": counts.get("DP16KD", 0)}


def xilinx7(counts: dict) -> dict:
    """Cells of a 7 series netlist as the reports count them."""
    lut = sum(n for cell, n in counts.items() if cell.startswith("LUT") and cell != "LUT6_2")
    memory = sum(n for cell, n in counts.items() if cell.startswith(("RAM32", "RAM64", "RAM128", "SRL")))
    return {"LUT": lut + memory, "LUT as memory": memory,
            "FF": sum(n for cell, n in counts.items() if cell.startswith("FD")),
            "CARRY4": counts.get("CARRY4", 0), "DSP": counts.get("DSP48E1", 0),
            "RAMB18": counts.get("RAMB18E1", 0) + 2 * counts.get("RAMB36E1", 0)}
