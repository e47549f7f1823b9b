# SPDX-License-Identifier: Apache-2.0
"""The `garner-hw` command: one subcommand for each part of the flow. Each part brings its own, and loads what it needs
when it is called.
"""

import argparse
import os
import select
import subprocess
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
    except KeyboardInterrupt:  # wherever it comes, also in what another error is told by
        print("garner-hw: interrupted", file=sys.stderr)
        return 130
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
    except subprocess.CalledProcessError as error:
        print(f"garner-hw: {failed(error)}", file=sys.stderr)
        return 2
    except BrokenPipeError:
        raise
    except OSError as error:  # a program or a file is missing, a folder cannot be written
        print(f"garner-hw: {f'{error.filename}: ' if error.filename else ''}{error.strerror or error}", file=sys.stderr)
        return 2


def failed(error: subprocess.CalledProcessError) -> str:
    """A program's failure: its name, its code, the last lines of what it said, if we have them; otherwise it said them itself."""
    command = error.cmd if isinstance(error.cmd, str) else str(error.cmd[0])
    said = error.stderr or error.stdout or ""
    said = (said if isinstance(said, str) else said.decode(errors="replace")).strip().splitlines()[-5:]
    how = f"was ended by signal {-error.returncode}" if error.returncode < 0 else f"failed with {error.returncode}"
    return "\n".join([f"{command} {how}", *said])


def reader_left() -> bool:
    """Whether nobody reads standard output any more (`| head -1`); otherwise a pipe to a program of ours has broken."""
    output = select.poll()
    output.register(sys.stdout.fileno(), 0)  # errors alone
    return bool(output.poll(0))


if __name__ == "__main__":
    sys.exit(main())
