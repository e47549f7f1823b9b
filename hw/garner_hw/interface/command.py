# SPDX-License-Identifier: Apache-2.0
"""`garner-hw interface`: writes what is generated from hw/interface, or checks that it is up to date."""

import argparse
import sys

from garner_hw.interface import load, outputs


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("interface", description=__doc__.splitlines()[0],
                                 help="registers, descriptors, completions and codes, from hw/interface")
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a committed file is out of date")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    stale = [path for path, text in outputs.render(load()).items() if not path.exists() or path.read_text() != text]
    if arguments.check:
        for path in stale:
            print(f"{path.relative_to(outputs.ROOT)} is not what hw/interface says: run `make hw-regs` and commit it",
                  file=sys.stderr)
        return int(bool(stale))
    for path, text in outputs.render(load()).items():
        if path in stale:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            print(path.relative_to(outputs.ROOT))
    return 0
