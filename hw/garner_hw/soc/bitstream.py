# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc bitstream`: the system for a ULX3S board with an LFE5U-85F, synthesised, placed, routed and packed.

Nothing here has run on hardware. The record, hw/soc/report/ulx3s.json, has clock and area of the last run; the bitstream
and what it was made of lie in hw/build/soc-ulx3s.
"""

import argparse
import json
import subprocess
import time
from dataclasses import asdict
from importlib.metadata import version
from pathlib import Path

from garner_hw import BUILD, HW, CommandError
from garner_hw.child import ENDS_WITH_PARENT
from garner_hw.placement import ecppack, nextpnr
from garner_hw.placement.place import nextpnr_version
from garner_hw.records import fingerprint
from garner_hw.soc import build
from garner_hw.soc.ulx3s import Build
from garner_hw.sources import sources
from garner_hw.synthesis.synthesise import synthesise
from garner_hw.tables import filled, markdown

TOP = "soc_ulx3s"
PINS = build.SOC / "fpga" / "ulx3s.lpf"
RECORD = build.SOC / "report" / "ulx3s.json"
DOCUMENT = HW.parent / "docs" / "soc.md"
WORK = BUILD / "soc-ulx3s"
DEVICE = ("--85k", "--package", "CABGA381", "--speed", "6")


def run(arguments: argparse.Namespace) -> int:
    chosen = Build(arguments.memory, arguments.rows, arguments.clock, arguments.baud, "2.28" if arguments.memory > 128 else "")
    record = made(chosen, arguments.seed)
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
    DOCUMENT.write_text(documented(record))
    print(f"{WORK / TOP}.bit: {record['fmax']} MHz reached, {chosen.clock:g} asked; {record['LUT']:,} LUT, {record['FF']:,} FF, "
          f"{record['DSP']} DSP, {record['EBR']} EBR; {record['hardware']}")
    return 0


def made(chosen: Build, seed: int) -> dict:
    """The bitstream's record. Minutes; fails where the clock is not reached."""
    start = time.time()
    files = [*sources(TOP, "ecp5"), build.processor()]
    image = build.firmware(chosen.mbedtls, chosen.memory * 1024)
    netlist, _ = synthesise(TOP, files, chosen.parameters(), "ecp5", work=WORK, contents=image)
    figures = placed(netlist, chosen.clock, seed)
    ecppack.pack(WORK / f"{TOP}.config", WORK / f"{TOP}.bit")
    return {"top": TOP, "parameters": chosen.parameters(), "board": asdict(chosen), "family": "ecp5",
            "sources": fingerprint([*files, PINS, image]),
            "tools": {"yosys": version("pyosys"), "nextpnr": nextpnr_version(), "trellis": ecppack.VERSION},
            "device": "LFE5U-85F CABGA381", "speed": 6, "seed": seed, **figures,
            "bitstream_bytes": (WORK / f"{TOP}.bit").stat().st_size, "hardware": "not run on hardware",
            "seconds": round(time.time() - start)}


def placed(netlist: Path, clock: float, seed: int) -> dict:
    """Figures of nextpnr; the routed design is in WORK. The clock is the PLL's, so that the pins' file gives it."""
    report, log = WORK / f"{TOP}.report.json", WORK / f"{TOP}.log"
    with log.open("w") as out:
        code = subprocess.run([*ENDS_WITH_PARENT, *nextpnr.command(), *DEVICE, "--json", netlist.name,
                               "--lpf", str(PINS), "--freq", str(clock), "--textcfg", f"{TOP}.config",
                               "--seed", str(seed), "--report", report.name],
                              stdout=out, stderr=out, cwd=netlist.parent).returncode
    if code:
        reached = [line for line in log.read_text().splitlines() if "Max frequency" in line]
        raise CommandError(f"nextpnr failed; with a clock that is not reached, give a lower --clock. {log} ends:\n"
                           + "\n".join(reached[-1:] or log.read_text().splitlines()[-5:]))
    return figures(json.loads(report.read_text()))


def figures(report: dict) -> dict:
    used = {cell: value["used"] for cell, value in report["utilization"].items()}
    return {"fmax": round(min(clock["achieved"] for clock in report["fmax"].values()), 2), "LUT": used["TRELLIS_COMB"],
            "FF": used["TRELLIS_FF"], "DSP": used["MULT18X18D"], "EBR": used["DP16KD"]}


def documented(record: dict) -> str:
    """docs/soc.md with the record's table in its place."""
    board = record["board"]
    table = markdown(("device", "MHz reached", "MHz asked", "LUT", "FF", "DSP", "block RAM", "memory, KiB", "bitstream, bytes"),
                     [(f"{record['device']}, speed {record['speed']}", f"{record['fmax']:.1f}", f"{board['clock']:g}",
                       f"{record['LUT']:,}", f"{record['FF']:,}", record["DSP"], record["EBR"], board["memory"],
                       f"{record['bitstream_bytes']:,}")])
    return filled(DOCUMENT, {"board": table})
