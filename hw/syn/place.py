#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Synthesis, placement and routing of one top, with its figures as data.

    place.py mont MONT -G Rows=8 --seed 1 --seed 2 --speed 8
    place.py mont MONT -G Rows=8 -G W=17 --family xilinx7
    place.py garner_pins TOP CORE top/garner_top ../syn/garner_pins -G Cores=5 --once garner_core Rows=15,MaxBits=2048,KeySlots=3

Families: ecp5 (Yosys synth_ecp5, nextpnr for an LFE5U-85 in CABGA756: fmax, LUT, FF, DSP, EBR), xilinx7 (Yosys
synth_xilinx: LUT, FF, DSP, RAMB18; no clock, for no open tool places a 7 series part from the registries; `--no-dsp`
makes multipliers of LUTs, for either). `rsa_core` is placed with a register at every port (rsa_core_ports.sv), which
adds some 280 flip-flops. A word in capitals (MONT) stands for the list of that name in harness.py.
`--once MODULE PARAMETERS`: the instances of this module are all alike, it is synthesised by itself, and the whole placed by
floorplan.py. nextpnr.py says which nextpnr it is.

Results are kept in hw/report/runs/*.json, one file a run, and used again while sources and parameters are the same
(`sources` is a hash of them, comments left out; not of this script: who changes what it asks of Yosys deletes the records);
work files lie in hw/build/syn. hw/report/report.py leaves out the records of tops it has no table for, and names them.
"""

import argparse
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tokenize
from collections.abc import Callable, Iterator
from importlib.metadata import version
from pathlib import Path
from statistics import median

HW = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HW), str(HW / "syn")]
import harness  # noqa: E402
import nextpnr  # noqa: E402

RUNS = HW / "report" / "runs"
WORK = HW / "build" / "syn"
FLOORPLAN = HW / "syn" / "floorplan.py"  # of a full device
CELLS = HW / "tb" / "prim" / "cells"  # their models serve as declarations: inside, they are black boxes
VENDOR = {"ecp5": ("MULT18X18D", "DP16KD", "DCCA", "CCU2C"), "xilinx7": ("DSP48E1", "RAMB18E1", "BUFG")}
DEVICE = ["--85k", "--package", "CABGA756"]
# Tops that are placed inside another, which has a register at every port: hw/syn/*.sv
WRAPPED = {"rsa_core": "rsa_core_ports"}
TARGET = 320  # MHz asked of the router; what it reaches is the result
SEEDS, MORE_SEEDS = (1, 2, 3), (4, 5)
SCATTER = 0.15  # of the median


def name_of(top: str, parameters: dict, extra: str = "") -> str:
    return "-".join([top] + [f"{key}={value}" for key, value in sorted(parameters.items())] + ([extra] if extra else []))


def fingerprint(files: list[Path]) -> str:
    """Of what the files say; a comment changes nothing."""
    digest = hashlib.sha256()
    for file in files:
        if file.suffix == ".py":
            digest.update(python_without_comments(file).encode())
        else:
            digest.update(re.sub(r"\s*//[^\n]*", "", file.read_text()).encode())
    return digest.hexdigest()[:16]


def python_without_comments(file: Path) -> str:
    """The tokens of a Python file, one a line, but comments and empty lines."""
    with file.open("rb") as source:
        return "\n".join(token.string for token in tokenize.tokenize(source.readline)
                         if token.type not in (tokenize.COMMENT, tokenize.NL))


def stamp_of(files: list[Path], full: bool) -> str:
    """What a record's figures depend on, beside parameters and tools."""
    return fingerprint([*files, FLOORPLAN] if full else files)


def sources(top: str, names: tuple[str, ...], family: str) -> tuple[str, list[Path]]:
    """The module that is built in place of `top`, and its files."""
    built = WRAPPED.get(top, top) if family == "ecp5" else top
    wrapper = [HW / "syn" / f"{built}.sv"] if built != top else []
    return built, harness.rtl(*names, family=family) + wrapper


def synthesise(top: str, files: list[Path], parameters: dict, family: str,
               no_dsp: bool = False, once: tuple[str, dict] | None = None) -> tuple[Path, dict]:
    """The netlist of `top` as JSON, and the counts of its cells by kind.

    `once`: a module and its parameters, the same in all instances, that is synthesised by itself and put into the rest.
    """
    WORK.mkdir(parents=True, exist_ok=True)
    base = WORK / name_of(top, parameters, family + ("-no-dsp" if no_dsp else "") + (f"-{once[0]}" if once else ""))
    netlist, mark, log = base.with_suffix(".netlist.json"), base.with_suffix(".mark"), base.with_suffix(".yosys.log")
    stat = base.with_suffix(".stat.json")
    cells = [CELLS / f"{cell}.v" for cell in VENDOR[family]]

    def netlist_of(module: str, values: dict, *boxes: str) -> list[str]:
        generics = [f"-G{key}={value}" for key, value in values.items()]
        black = [f"--blackboxed-module {box}" for box in (*VENDOR[family], *boxes)]
        synth = {"ecp5": "synth_ecp5 -abc9", "xilinx7": "synth_xilinx -family xc7 -abc9 -flatten"}[family]
        synth = f"{synth}{' -nodsp' if no_dsp else ''} -top {module}"
        # The eight flip-flops of an ECP5 tile share one reset (as nextpnr has it): hundreds of small synchronous
        # ones, in their place in the logic, would leave tiles half empty, and a full device without a place.
        stages = [f"{synth} -run :map_ffs", "dffunmap -srst-only", f"{synth} -run map_ffs:"]
        return [" ".join(["read_slang", "--top", module, *generics, *black, *map(str, [*files, *cells])]),
                *(stages if family == "ecp5" else [synth])]

    if once:
        module, values = once
        read, *synth = netlist_of(top, parameters, module)
        script = [*netlist_of(module, values), "design -stash once", read, f"unparametrise {module}", *synth,
                  f"delete ={module}", f"design -copy-from once -as {module} {module}", "flatten",
                  "opt_clean -purge"]
    else:
        script = netlist_of(top, parameters)
    script += [f"tee -q -o {stat} stat -json", *([f"write_json {netlist}"] if family == "ecp5" else [])]
    stamp = "\n".join([fingerprint(files), version("pyosys"), *script])
    if not (mark.exists() and mark.read_text() == stamp):
        mark.unlink(missing_ok=True)
        base.with_suffix(".ys").write_text("\n".join(script) + "\n")
        log.unlink(missing_ok=True)
        result = subprocess.run([sys.executable, str(HW / "syn" / "yosys.py"), str(base.with_suffix(".ys")), str(log)],
                                capture_output=True, text=True)
        if result.returncode or not stat.exists():
            raise RuntimeError(f"Yosys failed on {top} {parameters}; see {log}\n{(result.stdout + result.stderr)[-2000:]}")
        mark.write_text(stamp)
    counts = json.loads(stat.read_text())["design"]["num_cells_by_type"]
    return netlist, counts


def xilinx7(counts: dict) -> dict:
    """Cells of a 7 series netlist as the reports count them."""
    lut = sum(n for cell, n in counts.items() if cell.startswith("LUT") and cell != "LUT6_2")
    memory = sum(n for cell, n in counts.items() if cell.startswith(("RAM32", "RAM64", "RAM128", "SRL")))
    return {"LUT": lut + memory, "LUT as memory": memory,
            "FF": sum(n for cell, n in counts.items() if cell.startswith("FD")),
            "CARRY4": counts.get("CARRY4", 0), "DSP": counts.get("DSP48E1", 0),
            "RAMB18": counts.get("RAMB18E1", 0) + 2 * counts.get("RAMB36E1", 0)}


def nextpnr_version() -> str:
    said = subprocess.run([*nextpnr.command(), "--version"], capture_output=True, text=True)
    return re.search(r"Version ([^)]+)\)", said.stdout + said.stderr)[1]


def place(netlist: Path, speed: int, seed: int, floorplan: Path | None) -> dict:
    """nextpnr's figures of a netlist. Takes minutes; deterministic for a seed."""
    report = netlist.with_suffix(f".{speed}.{seed}.report.json")
    log = netlist.with_suffix(f".{speed}.{seed}.log")
    with log.open("w") as out:
        code = subprocess.run([*nextpnr.command(), *DEVICE, "--speed", str(speed), "--json", netlist.name, "--freq", str(TARGET),
                               "--seed", str(seed), "--timing-allow-fail", "--lpf-allow-unconstrained",
                               *(["--pre-place", str(floorplan)] if floorplan else []),
                               "--report", report.name], stdout=out, stderr=out, cwd=WORK).returncode  # sees no /tmp
    if code:
        raise RuntimeError(f"nextpnr failed; see {log}\n{log.read_text()[-2000:]}")
    data = json.loads(report.read_text())
    used = {cell: value["used"] for cell, value in data["utilization"].items()}
    return {"fmax": round(min(clock["achieved"] for clock in data["fmax"].values()), 2), "LUT": used["TRELLIS_COMB"],
            "FF": used["TRELLIS_FF"], "DSP": used.get("MULT18X18D", 0), "EBR": used.get("DP16KD", 0)}


def run(top: str, names: tuple[str, ...], parameters: dict, family: str = "ecp5", speed: int = 8, seed: int = 1,
        no_dsp: bool = False, once: tuple[str, dict] | None = None) -> dict:
    """One run's record, from hw/report/runs if it is there and the sources are the same."""
    built, files = sources(top, names, family)
    kind = family + (f"-{speed}-seed{seed}" if family == "ecp5" else "") + ("-no-dsp" if no_dsp else "")
    kind = f"{once[0]}-{kind}" if once else kind
    key = name_of(top, parameters, kind)
    kept = RUNS / f"{key}.json"
    stamp = stamp_of(files, bool(once))
    if kept.exists():
        record = json.loads(kept.read_text())
        if record["sources"] == stamp:
            return record
    start = time.time()
    record = {"top": top, "parameters": parameters, "family": family, "no_dsp": no_dsp, "sources": stamp,
              "tools": {"yosys": version("pyosys")}}
    netlist, counts = synthesise(built, files, parameters, family, no_dsp, once)
    if family == "ecp5":
        record["tools"]["nextpnr"] = nextpnr_version()
        record |= {"device": "LFE5U-85", "speed": speed, "seed": seed}
        record |= place(netlist, speed, seed, FLOORPLAN if once else None)
    else:
        record |= xilinx7(counts)
    record["seconds"] = round(time.time() - start)
    RUNS.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps(record, indent=1) + "\n")
    return record


def scatters(clocks: list[float]) -> bool:
    """Whether the clocks of some seeds lie so far apart that their median is not to be relied on."""
    return max(clocks) - min(clocks) > SCATTER * median(clocks)


def seeds_of(runs: Callable[[int], dict]) -> Iterator[dict]:
    """The records of three seeds, and of two more where these three scatter."""
    records = []
    for seed in SEEDS:
        records.append(runs(seed))
        yield records[-1]
    if scatters([record["fmax"] for record in records]):
        yield from map(runs, MORE_SEEDS)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top")
    parser.add_argument("sources", nargs="+", help="as harness.rtl takes them, or the name of a list in harness.py")
    parser.add_argument("-G", action="append", default=[], metavar="NAME=VALUE", help="parameter of the top")
    parser.add_argument("--family", default="ecp5", choices=sorted(VENDOR))
    parser.add_argument("--speed", type=int, action="append", help="speed grade of the ECP5: 6, 7, 8 (8)")
    parser.add_argument("--seed", type=int, action="append", help="of nextpnr; may be repeated (1)")
    parser.add_argument("--no-dsp", action="store_true", help="multipliers in LUTs")
    parser.add_argument("--once", nargs=2, metavar=("MODULE", "NAME=VALUE,..."), help="synthesised by itself: see above")
    arguments = parser.parse_args()
    os.nice(10)
    names = tuple(name for word in arguments.sources
                  for name in (getattr(harness, word) if word.isupper() else (word,)))

    def values(pairs: list[str]) -> dict:
        return {key: int(value) for key, value in (pair.split("=") for pair in pairs)}

    parameters = values(arguments.G)
    once = (arguments.once[0], values(arguments.once[1].split(","))) if arguments.once else None
    for speed in arguments.speed or [8]:
        for seed in arguments.seed or [1]:
            record = run(arguments.top, names, parameters, arguments.family, speed, seed, arguments.no_dsp, once)
            print(json.dumps({key: value for key, value in record.items() if key not in ("tools", "sources")}), flush=True)
            if arguments.family != "ecp5":
                return


if __name__ == "__main__":
    main()
