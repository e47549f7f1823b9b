# SPDX-License-Identifier: Apache-2.0
"""Placement and routing for a Zynq xc7z020 with nextpnr-himbaechel-xilinx, fetched at its first use.

Its clocks are those of an open timing model, not of the vendor's, and nothing was compared with the vendor's: MODEL says
what the packaged one leaves out. They are no sign-off.
"""

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from statistics import median

from garner_hw import BUILD, FETCH, ToolError
from garner_hw.child import ENDS_WITH_PARENT
from garner_hw.placement import debian

VERSION = "0.11.1+dfsg-5+b1"  # of Debian's package
SUITE = "sid"
FOLDER = BUILD / "nextpnr-xilinx"
DEVICE = "xc7z020clg400-1"
MODEL = ("nextpnr's packaged model of the 7 series, -1, slow corner: without the paths through DSP48E1 and SRL16E, "
         "block RAM without its output register")

SEEDS = (1, 2, 3)


def place_seeds(record: dict, netlist: Callable[[], Path], pins: dict[str, str], target: int,
                keep: Callable[[dict], None], seeds: tuple[int, ...] = SEEDS) -> None:
    """Adds the placements that `record` lacks, and the median of their clocks; each is kept as it comes."""
    for seed in seeds[len(record["placements"]):]:
        record["placements"].append(place(netlist(), pins, target, seed))
        record["fmax_mhz"] = median(run["fmax"] for run in record["placements"])
        keep(record)


def place(netlist: Path, pins: dict[str, str], target: int, seed: int) -> dict:
    """nextpnr's figures of a netlist. `pins`: the pad of each port; `target`: MHz asked of the router."""
    debian.fetch(FOLDER, SUITE, "nextpnr-himbaechel-xilinx", VERSION,
                 f"Where Debian's {SUITE} has a newer one, change VERSION in {Path(__file__).name} and measure again")
    constraints, report, log = (netlist.with_suffix(f".{seed}.{end}") for end in ("xdc", "report.json", "log"))
    constraints.write_text("".join(f"set_property -dict {{ PACKAGE_PIN {pin} IOSTANDARD LVCMOS33 }} [get_ports {port}]\n"
                                   for port, pin in pins.items()))
    words = [str(FETCH / "run.sh"), str(FOLDER), "nextpnr-himbaechel-xilinx", "--device", DEVICE, "--json", str(netlist),
             "-o", f"xdc={constraints}", "--freq", str(target), "--seed", str(seed), "--timing-allow-fail",
             "--report", str(report)]
    with log.open("w") as out:
        if subprocess.run([*ENDS_WITH_PARENT, *words], stdout=out, stderr=out, check=False).returncode:
            raise ToolError(f"nextpnr failed; see {log}\n{log.read_text()[-2000:]}")
    data = json.loads(report.read_text())
    used = {cell: value["used"] for cell, value in data["utilization"].items() if value["used"]}
    return {"seed": seed, "fmax": round(min(clock["achieved"] for clock in data["fmax"].values()), 2), "cells": used}
