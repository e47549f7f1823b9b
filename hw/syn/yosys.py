#!/usr/bin/env python3
"""Yosys over pyosys: `yosys.py SCRIPT [LOG]` runs a script, one command a line, and writes the output to LOG as well."""

import sys

from pyosys import libyosys


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    prefix = f"tee -q -a {sys.argv[2]} " if len(sys.argv) == 3 else ""
    design = libyosys.Design()
    with open(sys.argv[1]) as script:
        for line in script:
            command = line.split("#")[0].strip()
            if command:
                libyosys.run_pass(prefix + command, design)


if __name__ == "__main__":
    main()
