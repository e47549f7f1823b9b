# SPDX-License-Identifier: Apache-2.0
"""Synthesis with Yosys: netlists, the counts of their cells, and netlists as sources for the simulator."""

import argparse
import sys

from garner_hw.child import ENDS_WITH_PARENT

# What runs a script of Yosys, a process of its own: `yosys.py` says what its arguments are.
YOSYS = (*ENDS_WITH_PARENT, sys.executable, "-m", "garner_hw.synthesis.yosys")


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("shell-area", help="what the bus shell costs on an ECP5, without any core")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.synthesis import shell

    shell.write()
    return 0
