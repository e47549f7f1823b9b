# SPDX-License-Identifier: Apache-2.0
"""Lint: Verilator and slang over every module of hw/rtl, and combinational paths through garner_top."""

import argparse

EXAMPLES = """
examples:
  garner-hw lint                 everything, as `make hw-lint`
  garner-hw lint --core mont     the targets of one .core file
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("lint",
                                 help="Verilator and slang over every module of hw/rtl, warnings are errors; paths through garner_top",
                                 description="Lints the targets lint and lint_... of the .core files with Verilator and "
                                             "slang; finds combinational paths from inputs of garner_top to its outputs.",
                                 epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--core", metavar="NAME", help="this core's targets alone, as prim or mont")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.lint import check, paths

    bad = check.check(arguments.core)
    if arguments.core is None:
        bad += paths.check()
    return int(bad != 0)
