#!/usr/bin/env python3
"""Lints every module: Verilator with all warnings. Any message is an error.

The tops and their parameters are listed in `hw/rtl/*/lint.txt`: `TOP SOURCE... [-GNAME=VALUE...]`, one a line.
"""

import os
import subprocess
import sys

import harness
from harness import HW
from regs.generate import generate


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


def main() -> None:
    generate()
    bad = 0
    for top, sources, parameters in tops():
        files = [str(harness.PACKAGE), *map(str, sources)]
        found = messages(["verilator", "--lint-only", "-Wall", "--top-module", top, *parameters, *files])
        print(f"{'bad' if found else 'ok '} {top} {' '.join(parameters)}")
        if found:
            print(found)
            bad += 1
    sys.exit(bad != 0)


if __name__ == "__main__":
    main()
