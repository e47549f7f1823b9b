# SPDX-License-Identifier: Apache-2.0
"""Where RSA spends its time, and what a faster part would gain: chapter 2 of Ramesh 2020, on mbedTLS and on Garner.

`mbedtls` builds the program that is profiled, `measure` runs it, here and on the RISC-V system (`garner_hw.soc.profile`),
`callgraph` reads what the profilers wrote, `sensitivity` has Amdahl's law, `thesis` the printed figures, `report` makes the
page and its JSON.
"""

import argparse
import shlex
import sys
import time
from pathlib import Path

from garner_hw import BUILD, CommandError

OWN = BUILD / "profile"  # where pages are if nothing else is said
EXAMPLES = """
examples:
  garner-hw profile                                     mbedTLS, 1,000 keys counted: page and JSON in hw/build/profile
  garner-hw profile --keys 5000 --out /tmp/profile      tests per key to 1 %
  garner-hw profile --garner target/release/garner      Garner's scalar path beside it
  garner-hw profile --command 'openssl genrsa 2048'     where any program spends its instructions; mbedTLS is left out
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("profile", help="where RSA spends its time, and what a faster part would gain",
                                 description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, metavar="FOLDER", help="for profile.html and profile.json (hw/build/profile; of "
                        "a --command hw/build/profile/command)")
    parser.add_argument("--keys", type=int, default=1000, help="key generations whose calls are counted (1000)")
    parser.add_argument("--seed", type=int, default=1, help="of the random source (1)")
    parser.add_argument("--system", type=int, default=512, metavar="BITS", help="of the keys that the RISC-V system makes and uses "
                        "in simulation (512; 1024 take minutes more; 0: without the system)")
    parser.add_argument("--garner", type=Path, metavar="FILE", help="the garner command, to be profiled without its vector kernels")
    parser.add_argument("--command", metavar="WORDS", help="profile this command alone")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.profile import measure, mbedtls, report
    from garner_hw.profile.own import commands

    start = time.monotonic()
    if arguments.out is None:
        arguments.out = OWN / "command" if arguments.command is not None else OWN

    def progress(text: str) -> None:
        print(f"[{time.monotonic() - start:5.0f} s] {text}", file=sys.stderr, flush=True)

    if arguments.keys < 1:
        raise CommandError(f"--keys {arguments.keys}: at least one key is needed")
    if arguments.system and not (512 <= arguments.system <= 2048 and arguments.system % 64 == 0):
        raise CommandError(f"--system {arguments.system}: a multiple of 64 from 512 to 2048 is needed, or 0")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
        if arguments.command is not None:
            try:
                words = shlex.split(arguments.command)
            except ValueError as error:
                raise CommandError(f"--command {arguments.command}: {error}") from None
            if not words:
                raise CommandError("--command is empty")
            progress(f"callgrind: {arguments.command}")
            measured = measure.Measured(own={arguments.command: measure.callgrind(words)})
        else:
            own = commands(arguments.garner, arguments.out / "own") if arguments.garner else {}
            measured = measure.measure(arguments.keys, arguments.seed, arguments.system, own, progress)
        page = report.write(measured, arguments.out)
    except (measure.Failed, mbedtls.NotBuilt) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        raise CommandError(f"{error.filename or arguments.out}: {error.strerror}") from error
    progress("done")
    print(page)
    return 0
