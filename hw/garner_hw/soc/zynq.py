# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc zynq`: the system on the device of Sharif 2016, an xc7z020: the clock of a placement, and its time for an
exponentiation of 1,024 bits. hw/soc/report/zynq.json. By an open timing model, placement/xilinx.py says which; the
processor is VexRiscv in the fabric, not the device's own."""

import json
from importlib.metadata import version
from pathlib import Path

from garner_hw import BUILD
from garner_hw.placement import xilinx
from garner_hw.records import fingerprint
from garner_hw.soc import build, measure
from garner_hw.sources import sources
from garner_hw.synthesis import synthesise as synthesis
from garner_hw.synthesis.synthesise import synthesise, xilinx7

TOP = "soc_serial"
RECORD = build.SOC / "report" / "zynq.json"
WORK = BUILD / "soc-zynq"
BITS, SCHEME, LEVELS = 1024, "sliding", ("mul", "exp")
WORD = 17     # bits: a DSP48E1 has no more of unsigned factors
MEMORY = 128  # KiB, without mbedTLS: Yosys cascades the block RAMs of deeper memories, and nextpnr cannot place that
PARAMETERS = {"Words": MEMORY * 256, "W": WORD, "Rows": measure.ROWS}
# Pads of bank 13, 34 and 35, of no board in particular
PINS = {"clk_i": "H16", "rst_ni": "M20", "rx_i": "Y18", "tx_o": "Y19", "lost_o": "R14", "stopped_o": "P14",
        **{f"stop_code_o[{i}]": pin for i, pin in enumerate(("W14", "Y14", "T11", "T10", "V16", "W16", "V12", "W13"))}}
TARGET = 150  # MHz asked of the router; what it reaches is the result
SEEDS = (1,)  # a quarter of an hour each


def run() -> int:
    record = measured()
    print(f"{record['device']}: {record['fmax_mhz']} MHz, {record['LUT']:,} LUT, {record['DSP']} DSP "
          f"({record['timing_model']}); " + ", ".join(f"{row['level']} {row['time_ms']} ms" for row in record["rows"]))
    print("`garner-hw reproduction` brings it into docs/reproduction.md")
    return 0


def measured() -> dict:
    """The record; its placements are kept as they come, so that a run that is ended goes on where it was."""
    files, image = [*sources(TOP, "xilinx7"), build.processor()], build.firmware("", MEMORY * 1024)
    record = json.loads(RECORD.read_text()) if RECORD.exists() else {}
    stamp = fingerprint([*files, image, Path(synthesis.__file__)])

    def netlist() -> tuple[Path, dict]:
        return synthesise(TOP, files, PARAMETERS, "xilinx7", work=WORK, contents=image, keep=True)

    if record.get("sources") != stamp:
        record = {"top": TOP, "parameters": PARAMETERS, "sources": stamp,
                  "tools": {"yosys": version("pyosys"), "nextpnr": xilinx.VERSION}, "device": xilinx.DEVICE,
                  "timing_model": xilinx.MODEL, **xilinx7(netlist()[1]), "placements": []}
    xilinx.place_seeds(record, lambda: netlist()[0], PINS, TARGET, keep, SEEDS)
    rows = [measure.row(level, BITS, SCHEME, word=WORD) for level in LEVELS]
    measure.all_checked(rows)
    record["rows"] = [row | {"time_ms": round(row["cycles"] / record["fmax_mhz"] / 1e3, 3)} for row in rows]
    keep(record)
    return record


def keep(record: dict) -> None:
    RECORD.write_text(json.dumps(record, indent=1) + "\n")
