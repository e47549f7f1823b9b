# SPDX-License-Identifier: Apache-2.0
"""What crosses from host to hardware: registers from SystemRDL."""

import argparse


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("registers", help="the registers from their SystemRDL source: RTL, C header, Rust constants, HTML")
    parser.add_argument("--check", action="store_true", help="only say whether the committed file is what would be generated")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.interface import generate

    generate.run(arguments.check)
    return 0
