#!/usr/bin/env python3
"""LUT, flip-flops and block RAM of the shell alone (registers, DMA, streams; no dispatcher, no core) on an ECP5."""

import re
import sys
import tempfile
from pathlib import Path

from pyosys import libyosys

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from harness import rtl  # noqa: E402
from regs.generate import generate  # noqa: E402
from tb.top.test_shell import SHELL  # noqa: E402

CELLS = {"LUT4": "LUT4", "CCU2C": "CCU2C (two LUT4 each)", "TRELLIS_DPR16X4": "DPR16X4 (two LUT4 each)",
         "TRELLIS_FF": "FF", "DP16KD": "EBR"}


def area(parameters: dict[str, int]) -> dict[str, int]:
    package, *modules = rtl(*SHELL[:-1])
    files = " ".join(map(str, [package, *generate(), *modules]))
    settings = "".join(f" -G{name}={value}" for name, value in parameters.items())
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log"
        design = libyosys.Design()
        for command in (f"tee -q read_slang --top shell{settings} {files}", "tee -q synth_ecp5 -nodsp -top shell",
                        f"tee -q -o {log} stat"):
            libyosys.run_pass(command, design)
        text = log.read_text()
    return {cell: sum(int(count) for count in re.findall(rf"^ *(\d+) +{cell}$", text, re.M)) for cell in CELLS}


def main() -> None:
    for name, parameters in (("64-bit master, streams", {"BusWidth": 64, "StreamPort": 1}),
                             ("64-bit master", {"BusWidth": 64, "StreamPort": 0}),
                             ("32-bit master", {"BusWidth": 32, "StreamPort": 0})):
        found = area(parameters)
        total = found["LUT4"] + 2 * found["CCU2C"] + 2 * found["TRELLIS_DPR16X4"]
        print(f"{name:24} {total:6} LUT  {found['TRELLIS_FF']:6} FF  {found['DP16KD']:3} EBR")


if __name__ == "__main__":
    main()
