#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Lints every module: Verilator with all warnings, and slang, the front end of the synthesis. Any message is an error.
So is a combinational path from an input of garner_top to an output (paths.py).

The tops and their parameters are listed in `hw/rtl/*/lint.txt`: `TOP SOURCE... [-GNAME=VALUE...]`, one a line.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import harness
import paths
from harness import HW
from garner_hw.interface import registers


def tops():
    for listing in sorted(HW.glob("rtl/*/lint.txt")):
        for line in listing.read_text().splitlines():
            words = line.split("#")[0].split()
            if words:
                parameters = [word for word in words[1:] if word.startswith("-G")]
                yield words[0], [HW / "rtl" / word for word in words[1:] if not word.startswith("-G")], parameters


def messages(command: list[str]) -> str:
    result = subprocess.run(command, capture_output=True, text=True, cwd=HW / "rtl", env=os.environ)
    return (result.stdout + result.stderr).strip() if result.returncode else ""


def slang(top: str, parameters: list[str], files: list[str]) -> str:
    """What it says of a top; of one with a part that is for simulation alone, nothing."""
    if any("tb/top" in file for file in files):
        return ""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script"
        boxes = [f"--blackboxed-module {Path(file).stem}" for file in files if Path(file).parent.name == "cells"]
        script.write_text(" ".join(["read_slang", "--top", top, *parameters, *boxes, *files]) + "\n")
        result = subprocess.run([sys.executable, HW / "syn" / "yosys.py", script], capture_output=True, text=True)
    found = result.stdout + result.stderr
    return "" if result.returncode == 0 and "0 errors, 0 warnings" in found else found.strip()


def main() -> None:
    registers.rtl()
    bad = 0
    for top, sources, parameters in tops():
        files = [str(harness.PACKAGE), *map(str, sources)]
        found = messages(["verilator", "--lint-only", "-Wall", "--top-module", top, *parameters, *files])
        found += slang(top, parameters, files)
        print(f"{'bad' if found else 'ok '} {top} {' '.join(parameters)}")
        if found:
            print(found)
            bad += 1
    bad += paths.check()
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
