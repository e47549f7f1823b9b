# SPDX-License-Identifier: Apache-2.0
"""The system on chip of hw/soc: built, started, talked to; every answer is compared with the host's big integers.

| module | what it does |
|---|---|
| `build` | firmware and simulator, kept by the hash of what they are made of |
| `system` | a running system: commands in, answers out |
| `board` | the same on a board, at the end of a serial line |
| `arguments` | what an operation is asked with, on the command line and in the console |
| `console` | operations in words, one or many |
| `check` | random operands, and what the answers must be |
| `measure` | rows of level, bits and scheme |
| `keys` | rows of key generation |
| `fiu` | rows of FIU's experiment |
| `energy` | the energy of FIU's experiment; hw/soc/report/energy.json |
| `report` | hw/soc/report and the tables of docs/soc.md, from these rows |
| `bitstream` | the system for a ULX3S board, placed and routed; hw/soc/report/ulx3s.json |
| `zynq` | the system on the device of Sharif 2016, placed; hw/soc/report/zynq.json |
"""

import argparse
import signal
from types import FrameType
from typing import TYPE_CHECKING

from garner_hw.soc import ulx3s
from garner_hw.soc.arguments import SCHEMES, add_operations, whole

if TYPE_CHECKING:
    from garner_hw.interface.soc import Soc

__all__ = ["DESCRIPTION", "KEYGEN", "LEVELS", "SCHEMES", "add_command", "run"]

EXAMPLES = """
examples:
  garner-hw soc exp --bits 1024 --scheme sliding --level exp      one exponentiation, checked
  garner-hw soc private --bits 2048 --level op                    one RSA private operation, checked
  garner-hw soc mbedtls --bits 1024 --level mul                   the same by mbedTLS, its powers in the multiplier
  garner-hw soc keygen --bits 1024 --level exp                    a key, its powers in the core
  garner-hw soc twin --bits 2048 --count 100                      multiplier against its twin in C, on the system
  garner-hw soc console                                           a prompt: the same lines without `garner-hw soc`
  garner-hw soc bitstream --clock 50                              placed and routed for a ULX3S board (minutes)
  garner-hw soc energy                                            FIU's experiment: ratios of power and energy (minutes)
  garner-hw soc report                                            all rows; measures those that are not kept (an hour for all)
"""
ENERGY = """\
Weighs what processor, bus, `control` and `power` switch while `toy` computes 4 bytes, as netlists of 0.18 um library cells:
once with Power() in software, once with its peripheral. Only ratios mean something: memories, wires, glitches and the clock's
tree are left out. Writes hw/soc/report/energy.json; `garner-hw reproduction` then writes the tables.
"""


# By __getattr__
DESCRIPTION: "Soc"
LEVELS: dict[str, int]
KEYGEN: dict[str, int]


def __getattr__(name: str) -> object:
    """DESCRIPTION, soc.toml; LEVELS and KEYGEN, its codes of levels and of ways to make a key, by name. It is read when one is
    first asked for, so that a mistake in it is a sentence, and none of a command that does without."""
    if name not in ("DESCRIPTION", "LEVELS", "KEYGEN"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from garner_hw.interface.soc import load

    def codes(part: str) -> dict[str, int]:
        return {code.name.lower(): code.code for code in description.codes[part]}

    description = load()
    globals().update(DESCRIPTION=description, LEVELS=codes("level"), KEYGEN=codes("keygen"))
    return globals()[name]


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("soc", help="the RISC-V system: an operation at a level, a console, the report",
                                 description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    add_actions(parser)
    parser.set_defaults(run=run)


def add_actions(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    operations = add_operations(actions)
    for name in ("mbedtls", "keygen"):
        operations[name].add_argument("--release", choices=("2.28", "3.6"),
                                      help="of mbedTLS (default: 2.28, which is also the console's)")
    console = actions.add_parser("console", help="a prompt for these")
    for action in (*operations.values(), console):
        action.add_argument("--port", default="", metavar="DEVICE",
                            help="not the simulation: a board at this serial line, as /dev/ttyUSB0 (not tried on one)")
        action.add_argument("--baud", type=whole(1), metavar="N", help="of that line (default: 115200)")
    actions.add_parser("report", help="hw/soc/report/report.json and the table of docs/soc.md")
    actions.add_parser("energy", help="the energy of FIU's experiment, Power() in software and in its peripheral (minutes)",
                       description=ENERGY, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions.add_parser("zynq", help="the system on an xc7z020, placed by an open timing model (half an hour)")
    ulx3s.add_arguments(actions.add_parser("bitstream", help="the system for a ULX3S board, placed and routed (minutes)"))


def ended(number: int, frame: FrameType | None) -> None:
    raise SystemExit(128 + number)  # as a shell says of a process that a signal ended


def run(arguments: argparse.Namespace) -> int:
    before = signal.signal(signal.SIGTERM, ended)  # an exception, so that systems, workers and builds are ended as well
    try:
        return performed(arguments)
    finally:
        signal.signal(signal.SIGTERM, before)


def performed(arguments: argparse.Namespace) -> int:
    if arguments.action == "report":
        from garner_hw.soc import report

        return report.run()
    if arguments.action == "energy":
        from garner_hw.soc import energy

        return energy.run()
    if arguments.action == "zynq":
        from garner_hw.soc import zynq

        return zynq.run()
    if arguments.action == "bitstream":
        from garner_hw.soc import bitstream

        return bitstream.run(arguments)
    from garner_hw.soc import console

    return console.run(arguments)
