# SPDX-License-Identifier: Apache-2.0
"""The `garner-hw` command: one subcommand for each part of the flow. Each part brings its own, and loads what it needs
when it is called.
"""

import argparse
import os
import select
import sys

from garner_hw import (
    CommandError,
    dist,
    explore,
    formal,
    lint,
    measure,
    placement,
    profile,
    report,
    reproduction,
    soc,
    synthesis,
)
from garner_hw.interface import command as interface

PARTS = (lint, formal, interface, dist, placement, synthesis, measure, report, profile, explore, reproduction, soc)


CLOSED_PIPE = 141  # as a shell says of a process that SIGPIPE ended


def main(arguments: list[str] | None = None) -> int:
    try:
        try:
            return called(arguments)
        finally:
            sys.stdout.flush()  # here: an error when Python exits could not be caught
    except BrokenPipeError:
        if not reader_left():
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still in the buffer
        return CLOSED_PIPE


def called(arguments: list[str] | None) -> int:
    parser = argparse.ArgumentParser(prog="garner-hw", description="Garner's hardware flow.",
                                     epilog="`garner-hw COMMAND --help` has examples.")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for part in PARTS:
        part.add_command(commands)
    chosen = parser.parse_args(arguments)
    try:
        return chosen.run(chosen)
    except CommandError as error:
        print(f"garner-hw: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("garner-hw: interrupted", file=sys.stderr)
        return 130


def reader_left() -> bool:
    """Whether nobody reads standard output any more (`| head -1`); otherwise a pipe to a program of ours has broken."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)  # errors alone
    return bool(output.poll(0))


if __name__ == "__main__":
    sys.exit(main())
