# SPDX-License-Identifier: Apache-2.0
"""`garner-hw soc exp` and its like, and `console`: operations on a running system, checked, in words."""

import argparse
import shlex

from garner_hw import CommandError
from garner_hw.soc import add_actions, build, check
from garner_hw.soc.board import Board
from garner_hw.soc.system import Answer, System


def told_toy(arguments: argparse.Namespace, answer: Answer) -> str:
    return (f"toy, {arguments.bytes} bytes, Power() by level {arguments.level}: right\n"
            f"  {answer.cycles:,} cycles; the calls of Power() that a byte makes, alone: {answer.load:,}")


def told(arguments: argparse.Namespace, answer: Answer) -> str:
    """What a person wants to know of an answer that was checked."""
    how = {"exp": "{a.scheme}, level {a.level}", "private": "level {a.level}", "mbedtls": "level {a.level}",
           "twin": "{a.count} products", "keygen": "level {a.level}, {a.how}"}
    lines = [f"{arguments.action}, {arguments.bits} bits, {how[arguments.action].format(a=arguments)}: right",
             f"  {answer.cycles:,} cycles by the processor; by the monitor {answer.core:,} of them in the core, "
             f"{answer.moving:,} moving words"]
    if arguments.action == "keygen":
        lines.append(f"  {answer.load} powers; p and q: {answer.value:x}")
    elif answer.load:
        lines.append(f"  the key was loaded before, in {answer.load:,} cycles")
    if answer.fallback:
        lines.append(f"  the core failed (status {answer.status}): software answered")
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
    release = getattr(arguments, "release", "")
    if arguments.action == "console" and not arguments.port and has_mbedtls():
        release = "2.28"
    with Board(arguments.port, arguments.baud) if arguments.port else System(mbedtls=release) as system:
        if arguments.action != "console":
            print(perform(system, arguments))
            return 0
        print("exp --bits 1024 --scheme sliding --level exp, private --bits 2048 --level op, "
              "mbedtls --bits 1024 --level mul, keygen --bits 512, twin --bits 1024 --count 9, toy --bytes 40; quit")
        return prompt(system)


def has_mbedtls() -> bool:
    """Whether its source can be had; if not, why is said."""
    try:
        build.firmware("2.28")
    except CommandError as error:
        print(f"without mbedTLS: {error}")
        return False
    return True


def prompt(system: System) -> int:
    parser = argparse.ArgumentParser(prog="", add_help=False)
    add_actions(parser)
    while True:
        try:
            words = shlex.split(input("soc> "))
        except (EOFError, KeyboardInterrupt):
            return 0
        except ValueError as error:
            print(error)
            continue
        if words == ["quit"]:
            return 0
        try:
            arguments = parser.parse_args(words)
            if arguments.action in ("exp", "private", "mbedtls", "keygen", "twin", "toy"):
                print(perform(system, arguments), flush=True)
        except SystemExit:
            pass  # argparse has said what is wrong
        except CommandError as error:
            print(error)
