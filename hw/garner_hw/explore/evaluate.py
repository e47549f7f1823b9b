# SPDX-License-Identifier: Apache-2.0
"""One point, from parameters to figures: simulated and checked first, then synthesised, placed five times, its energy."""

import errno
import hashlib
import json
import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from statistics import median

from garner_hw import ToolError
from garner_hw.alone import alone
from garner_hw.explore.designs import design_of
from garner_hw.explore.point import Point
from garner_hw.explore.roofline import bound
from garner_hw.explore.store import Folder
from garner_hw.explore.toolchain import Toolchain

SEEDS = (1, 2, 3, 4, 5)


@dataclass(frozen=True)
class Effort:
    """How much is measured of each point."""

    seeds: tuple[int, ...] = SEEDS
    energy: bool = True


@dataclass(frozen=True)
class Outcome:
    """What became of a circuit: all that was measured, by step, and if that is not everything, why."""

    steps: dict[str, dict]
    failure: str | None = None


def key_of(point: Point, toolchain: Toolchain) -> str:
    """The name of a point's folder, by the sources as they are now. Points that are one circuit have one folder."""
    return name_of(point, toolchain.sources(point), toolchain.versions())


def name_of(point: Point, sources: str, tools: dict[str, str]) -> str:
    design = design_of(point)
    circuit = {"top": design.top, "parameters": design.parameters(point), "dsp": point.multipliers == "dsp",
               "sources": sources, "tools": tools}
    digest = hashlib.sha256(json.dumps(circuit, sort_keys=True).encode()).hexdigest()[:12]
    return f"{design.name}-{point.word}-{point.multipliers}-{digest}"


def evaluate(point: Point, toolchain: Toolchain, folder: Folder, effort: Effort) -> Outcome:
    """Measures what is not kept in the folder, which has the circuit's name. Never raises for what a tool or the disk
    does."""
    try:
        with alone(folder.path / folder.path.name):  # another sweep may have the same folders
            measure(point, toolchain, folder, effort)
        return Outcome(folder.steps())
    except ToolError as error:
        failure = str(error).splitlines()[0]
    except OSError as error:
        failure = f"{error.filename or folder.path}: {error.strerror or error}"
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            failure += "; what was measured before is kept"
    return Outcome(folder.steps(), failure)


def measure(point: Point, toolchain: Toolchain, folder: Folder, effort: Effort) -> None:
    folder.path.mkdir(parents=True, exist_ok=True)

    def step(name: str, done: Callable[[], dict]) -> dict:
        kept = folder.kept(name)
        if kept is not None:
            return kept
        start = time.monotonic()
        figures = done()
        took = time.monotonic() - start
        if key_of(point, toolchain) != folder.path.name:
            folder.clear()  # also of netlists, which the tools would use again
            raise ToolError(f"the sources changed while it was measured (step {name}); nothing of it is kept")
        return folder.keep(name, figures | {"seconds": round(took, 1)})

    step("point", lambda: point.row() | {"parameters": design_of(point).parameters(point),
                                         "tools": toolchain.versions(), "sources": toolchain.sources(point)})
    # What is wrong is not worth measuring.
    simulation = step("simulation", lambda: toolchain.simulate(point, folder.path))
    dsp = point.multipliers == "dsp"
    step("synthesis", lambda: toolchain.synthesise(point, dsp, folder.path))
    if dsp:
        step("synthesis-without-dsp", lambda: toolchain.synthesise(point, False, folder.path))
    for seed in effort.seeds:
        step(f"placement-{seed}", partial(toolchain.place, point, seed, folder.path))
    if effort.energy:
        step("energy", lambda: toolchain.energy(point, simulation["cycles"], folder.path))


def steps_of(point: Point, effort: Effort) -> set[str]:
    """The steps that a row is made of."""
    steps = {"simulation", "synthesis", *(f"placement-{seed}" for seed in effort.seeds)}
    if point.multipliers == "dsp":
        steps.add("synthesis-without-dsp")
    return steps | {"energy"} if effort.energy else steps


def figures(point: Point, steps: dict[str, dict], effort: Effort) -> dict:
    """A row of the report, from all steps. Times in microseconds, clocks in MHz, area x time in LUT x us."""
    simulation, synthesis = steps["simulation"], steps["synthesis"]
    placements = [steps[f"placement-{seed}"] for seed in effort.seeds]
    clocks = sorted(placement["mhz"] for placement in placements)
    mhz, cycles = median(clocks), simulation["cycles"]
    # The processor's products for m, if the unit's own multipliers made them while nothing else runs.
    with_m = cycles + math.ceil(simulation["processor_products"] / design_of(point).multipliers(point))
    limit = bound(point)
    return point.row() | {
        "cycles": cycles, "cycles_with_m": with_m, "bound_cycles": limit.cycles, "bound_by": limit.by,
        "mhz": mhz, "mhz_range": [clocks[0], clocks[-1]], "us": cycles / mhz, "us_with_m": with_m / mhz,
        "lut": synthesis["lut"], "lut_without_dsp": steps.get("synthesis-without-dsp", synthesis)["lut"],
        "lut_placed": placements[0]["lut"], "ff": synthesis["ff"], "dsp": synthesis["dsp"],
        "memory": synthesis["memory"], "words_moved": simulation["words_moved"],
        "words_per_product": simulation["words_moved"] / (2 * point.words() ** 2),
        "transfer_rate": simulation["words_moved"] / cycles, "area_time": synthesis["lut"] * cycles / mhz,
        "energy_nj": steps.get("energy", {}).get("energy_nj"), "seconds": seconds(steps)}


def seconds(steps: dict[str, dict]) -> float | None:
    """Of a worker's time for all steps of a circuit; None if a step is older than their being counted."""
    each = [figures for step, figures in steps.items() if step != "point"]
    return round(sum(one["seconds"] for one in each), 1) if all("seconds" in one for one in each) else None
