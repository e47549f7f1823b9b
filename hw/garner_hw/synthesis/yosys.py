# SPDX-License-Identifier: Apache-2.0
"""Yosys over pyosys: `python -m garner_hw.synthesis.yosys SCRIPT [LOG]` runs a script, one command a line, and writes
the output to LOG as well.

One command more than Yosys has: `unparametrise MODULE` takes all parameters off the instances of a black box, so that a
netlist can take its place.
"""

import sys

from pyosys import libyosys

from garner_hw.child import ends_what_it_starts


def unparametrise(design: libyosys.Design, module: str) -> None:
    for place in design.modules_.values():
        for cell in place.cells_.values():
            if cell.type.str() == f"\\{module}":
                for name in list(cell.parameters):
                    cell.unsetParam(name)


def main() -> None:
    if len(sys.argv) not in (2, 3):
        sys.exit(__doc__)
    ends_what_it_starts()  # ABC is a program of its own
    prefix = f"tee -q -a {sys.argv[2]} " if len(sys.argv) == 3 else ""
    design = libyosys.Design()
    with open(sys.argv[1]) as script:
        for line in script:
            command = line.split("#")[0].strip()
            if command.startswith("unparametrise "):
                unparametrise(design, command.split()[1])
            elif command:
                libyosys.run_pass(prefix + command, design)


if __name__ == "__main__":
    main()
