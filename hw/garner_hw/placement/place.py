# SPDX-License-Identifier: Apache-2.0
"""Synthesis, placement and routing of one top, with its figures as data: `garner-hw place`, and the measurements.

Families: ecp5 (Yosys synth_ecp5, nextpnr for an LFE5U-85 in CABGA756: fmax, LUT, FF, DSP, EBR), xilinx7 (Yosys
synth_xilinx: LUT, FF, DSP, RAMB18; no clock, for no open tool places a 7 series part from the registries; `no_dsp`
makes multipliers of LUTs, for either). `rsa_core` is placed with a register at every port (rsa_core_ports.sv), which
adds some 280 flip-flops. `once`: the instances of this module are all alike, it is synthesised by itself, and the whole
placed by floorplan.py. nextpnr.py says which nextpnr it is.

Results are kept in hw/report/runs (records.py) and used again while sources and parameters are the same (not of this
script: who changes what it asks of Yosys deletes the records); work files lie in hw/build/syn. The report leaves out the
records of tops it has no table for, and names them.
"""

import json
import re
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median

from garner_hw import ToolError, records
from garner_hw.child import ENDS_WITH_PARENT
from garner_hw.placement import nextpnr
from garner_hw.sources import sources
from garner_hw.synthesis.synthesise import synthesise, xilinx7

FLOORPLAN = Path(__file__).parent / "floorplan.py"  # of a full device
DEVICE = ["--85k", "--package", "CABGA756"]
# Tops that are placed inside another, which has a register at every port (hw/syn/*.sv), and its parameters beside theirs.
WRAPPED = {"rsa_core": ("rsa_core_ports", {}), "aes_cbc_encrypt": ("aes_cbc_ports", {"Decrypt": 0}),
           "aes_cbc_decrypt": ("aes_cbc_ports", {"Decrypt": 1}), "aes_core": ("aes_core_ports", {})}
# A cipher and what feeds it are wide, and their paths short of gates and long of wires: with nextpnr's electrostatic placer
# wires of such a circuit are a tenth shorter
WIDE = {"aes_cbc_encrypt", "aes_cbc_decrypt", "aes_core"}
REFINE = Path(__file__).parent / "refine.py"
TARGET = 320  # MHz asked of the router; what it reaches is the result
SEEDS, MORE_SEEDS = (1, 2, 3), (4, 5)
SCATTER = 0.15  # of the median


def stamp_of(files: list[Path], full: bool) -> str:
    """What a record's figures depend on, beside parameters and tools."""
    return records.fingerprint([*files, FLOORPLAN] if full else files)


def design(top: str, family: str, instead: Iterable[Path] = ()) -> tuple[str, list[Path]]:
    """The module that is built in place of `top`, and its files."""
    built = WRAPPED.get(top, (top, {}))[0] if family == "ecp5" else top
    return built, sources(built, family, instead)


def nextpnr_version() -> str:
    said = subprocess.run([*nextpnr.command(), "--version"], capture_output=True, text=True)
    if found := re.search(r"Version ([^)]+)\)", said.stdout + said.stderr):
        return found[1]
    raise ToolError(f"`{' '.join(said.args)}` says no version: it is no nextpnr-ecp5")


def place(netlist: Path, speed: int, seed: int, floorplan: Path | None, pads: bool = True, wide: bool = False,
          limit: float | None = None) -> dict:
    """nextpnr's figures of a netlist. Takes minutes; deterministic for a seed. Without `pads` the top is placed as a part
    of a larger design, for one with more ports than the package has pads. The clock is that of paths between flip-flops
    either way. `limit`: seconds after which nextpnr is ended and has failed."""
    report = netlist.with_suffix(f".{speed}.{seed}.report.json")
    log = netlist.with_suffix(f".{speed}.{seed}.log")
    command = [*ENDS_WITH_PARENT, *nextpnr.command(), *DEVICE, "--speed", str(speed), "--json", netlist.name,
               "--freq", str(TARGET), "--seed", str(seed), "--timing-allow-fail", "--lpf-allow-unconstrained",
               *(["--pre-place", str(floorplan)] if floorplan else []), *([] if pads else ["--out-of-context"]),
               *(["--placer", "static", "--run", str(REFINE)] if wide else []), "--report", report.name]
    with log.open("w") as out:
        try:
            code = subprocess.run(command, stdout=out, stderr=out, cwd=netlist.parent, timeout=limit).returncode
        except subprocess.TimeoutExpired:
            raise ToolError(f"nextpnr took more than {limit:g} s; see {log}") from None
    if code:
        raise ToolError(f"nextpnr failed; see {log}\n{log.read_text()[-2000:]}")
    data = json.loads(report.read_text())
    used = {cell: value["used"] for cell, value in data["utilization"].items()}
    return {"fmax": round(min(clock["achieved"] for clock in data["fmax"].values()), 2), "LUT": used["TRELLIS_COMB"],
            "FF": used["TRELLIS_FF"], "DSP": used.get("MULT18X18D", 0), "EBR": used.get("DP16KD", 0)}


def run(top: str, parameters: dict, family: str = "ecp5", speed: int = 8, seed: int = 1, no_dsp: bool = False,
        once: tuple[str, dict] | None = None, instead: Iterable[Path] = ()) -> dict:
    """One run's record, from hw/report/runs if it is there and the sources are the same."""
    built, files = design(top, family, instead)
    kind = family + (f"-{speed}-seed{seed}" if family == "ecp5" else "") + ("-no-dsp" if no_dsp else "")
    kind = f"{once[0]}-{kind}" if once else kind
    key = records.name_of(top, parameters, kind)
    stamp = stamp_of(files, bool(once))
    if record := records.kept(key, stamp):
        return record
    start = time.time()
    record = {"top": top, "parameters": parameters, "family": family, "no_dsp": no_dsp, "sources": stamp,
              "tools": {"yosys": version("pyosys")}}
    more = WRAPPED[top][1] if built != top else {}
    netlist, counts = synthesise(built, files, parameters | more, family, no_dsp, once)
    if family == "ecp5":
        record["tools"]["nextpnr"] = nextpnr_version()
        record |= {"device": "LFE5U-85", "speed": speed, "seed": seed}
        record |= {"flow": REFINE.name} if top in WIDE else {}
        record |= place(netlist, speed, seed, FLOORPLAN if once else None, wide=top in WIDE)
    else:
        record |= xilinx7(counts)
    record["seconds"] = round(time.time() - start)
    records.keep(key, record)
    return record


def scatters(clocks: list[float]) -> bool:
    """Whether the clocks of some seeds lie so far apart that their median is not to be relied on."""
    return max(clocks) - min(clocks) > SCATTER * median(clocks)


def seeds_of(runs: Callable[[int], dict]) -> Iterator[dict]:
    """The records of three seeds, and of two more where these three scatter."""
    placed = []
    for seed in SEEDS:
        placed.append(runs(seed))
        yield placed[-1]
    if scatters([record["fmax"] for record in placed]):
        yield from map(runs, MORE_SEEDS)
