# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc exp` and its like, and `console`: operations on a running system, checked, in words."""

import argparse
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import NoReturn

from garner_hw import CommandError
from garner_hw.soc import build, check
from garner_hw.soc.arguments import add_operations
from garner_hw.soc.board import Board
from garner_hw.soc.system import Answer, Stopped, System, meaning

UNITS = {"row": "the row unit", "mul": "the multiplier", "exp": "the core", "op": "the core"}  # by level
BANNER = ("exp --bits 1024 --scheme sliding --level exp, private --bits 2048 --level op, mbedtls --bits 1024 --level mul, "
          "keygen --bits 512 --level mul, twin --bits 1024 --count 9, toy --bytes 40; help, quit")


def told_toy(arguments: argparse.Namespace, answer: Answer) -> str:
    return (f"toy, {arguments.bytes} bytes, Power() by level {arguments.level}: right\n"
            f"  {answer.cycles:,} cycles; the calls of Power() that a byte makes, alone: {answer.load:,}")


def told(arguments: argparse.Namespace, answer: Answer) -> str:
    """What a person wants to know of an answer that was checked."""
    how = {"exp": "{a.scheme}, level {a.level}", "private": "level {a.level}", "mbedtls": "level {a.level}",
           "twin": "{a.count} products", "keygen": "level {a.level}, {a.how}"}
    level = getattr(arguments, "level", "mul")  # twin's
    lines = [f"{arguments.action}, {arguments.bits} bits, {how[arguments.action].format(a=arguments)}: right",
             f"  {answer.cycles:,} cycles by the processor"]
    if level in UNITS:
        lines[1] += f"; by the monitor {answer.core:,} of them in {UNITS[level]}, {answer.moving:,} moving words"
    if arguments.action == "keygen":
        lines.append(f"  {answer.load} powers; p and q: {answer.value:x}")
    elif level == "op":
        lines.append(f"  the key was loaded before, in {answer.load:,} cycles")
    if answer.fallback:
        lines.append(f"  software did what {UNITS[level]} could not: {meaning(answer.status)} (status {answer.status})")
    return "\n".join(lines)


def perform(system: System, arguments: argparse.Namespace) -> str:
    system.settings(arguments.interrupts, arguments.memory_wait)
    if arguments.action == "toy":
        return told_toy(arguments, check.toy(system, arguments.level == "power", arguments.bytes))
    of = {"exp": lambda: check.exp(system, arguments.level, arguments.scheme, arguments.bits),
          "private": lambda: check.private(system, arguments.level, arguments.bits),
          "mbedtls": lambda: check.mbedtls(system, arguments.level, arguments.bits),
          "keygen": lambda: check.keygen(system, arguments.level, arguments.bits, arguments.seed, arguments.how),
          "twin": lambda: check.twin(system, arguments.bits, arguments.count)}
    return told(arguments, of[arguments.action]())


def run(arguments: argparse.Namespace) -> int:
    start = starter(arguments)
    if arguments.action == "console":
        return prompt(start)
    with start() as system:
        print(perform(system, arguments))
    return 0


def starter(arguments: argparse.Namespace) -> Callable[[], System]:
    """What starts the system that is asked for: the board, or the simulation with mbedTLS where it is needed."""
    release = getattr(arguments, "release", None)
    if arguments.port:
        if release:
            raise CommandError("--release is the simulation's: a board has the mbedTLS of its bitstream")
        return lambda: Board(arguments.port, arguments.baud or 115200)
    if arguments.baud:
        raise CommandError("--baud is of a board's line, which --port names")
    if arguments.action in ("mbedtls", "keygen") or (arguments.action == "console" and has_mbedtls()):
        return lambda: System(mbedtls=release or "2.28")
    return System


def has_mbedtls() -> bool:
    """Whether its source can be had; if not, why is said."""
    try:
        build.firmware("2.28")
    except CommandError as error:
        print(f"without mbedTLS: {error}")
        return False
    return True


class Line(argparse.ArgumentParser):
    """Of a line of the console: a mistake is one sentence."""

    def error(self, message: str) -> NoReturn:
        raise CommandError(f"{message}; `help` says what there is")


def line_parser() -> Line:
    parser = Line(prog="", usage="OPERATION [options], `OPERATION --help` for its options, `quit`", add_help=False)
    add_operations(parser.add_subparsers(dest="action", required=True, metavar="OPERATION", title="operations", prog="soc>"))
    return parser


def prompt(start: Callable[[], System]) -> int:
    """Lines until the end of input, on one system; on a new one where that has stopped."""
    if sys.stdin.isatty():
        with suppress(ImportError):  # not in every Python
            import readline  # noqa: F401  (its import is what edits the lines of input())
    parser = line_parser()
    said = BANNER
    while True:
        with start() as system:
            print(said, flush=True)
            if ended(parser, system):
                return 0
        said = "started again"


def ended(parser: Line, system: System) -> bool:
    """Whether the lines have; otherwise the system has stopped."""
    while (words := asked()) is not None:
        try:
            if words == ["help"]:
                parser.print_help()
            elif words:
                print(perform(system, parser.parse_args(words)), flush=True)
        except SystemExit as exit:
            if exit.code:
                raise  # a signal's; argparse, when it has given help, has no code
        except Stopped as stopped:
            print(stopped, flush=True)
            return False
        except CommandError as error:
            print(error, flush=True)
    return True


def asked() -> list[str] | None:
    """The words of a line; None at the end."""
    try:
        words = shlex.split(input("soc> "))
    except (EOFError, KeyboardInterrupt):
        return None
    except ValueError as error:  # a quotation without its end
        print(error)
        return []
    return None if words in (["quit"], ["exit"]) else words
