# SPDX-License-Identifier: Apache-2.0
"""The system on chip of hw/soc: built, started, talked to; every answer is compared with the host's big integers.

| module | what it does |
|---|---|
| `build` | firmware and simulator, kept by the hash of what they are made of |
| `system` | a running system: commands in, answers out |
| `board` | the same on a board, at the end of a serial line |
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

from garner_hw.interface.soc import load
from garner_hw.soc import ulx3s

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
DESCRIPTION = load()
LEVELS = {code.name.lower(): code.code for code in DESCRIPTION.codes["level"]}
KEYGEN = {code.name.lower(): code.code for code in DESCRIPTION.codes["keygen"]}  # how a key is made
SCHEMES = {"fixed": "FixedWindow", "l2r": "LeftToRight", "r2l": "RightToLeft", "sliding": "SlidingWindow"}  # as rsa.toml has them


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("soc", help="the RISC-V system: an operation at a level, a console, the report",
                                 description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    add_actions(parser)
    parser.set_defaults(run=run)


def add_actions(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    exp = actions.add_parser("exp", help="one modular exponentiation of random operands, exponent of full length")
    exp.add_argument("--scheme", choices=SCHEMES, default="sliding")
    exp.add_argument("--level", choices=("software", "row", "mul", "exp"), default="exp")
    private = actions.add_parser("private", help="one RSA private operation by the CRT, with a fresh key")
    private.add_argument("--level", choices=("software", "op"), default="op")
    twin = actions.add_parser("twin", help="random Montgomery products, in the multiplier and by its twin in C")
    twin.add_argument("--count", type=int, default=20, help="products (default: 20)")
    mbedtls = actions.add_parser("mbedtls", help="the same by mbedTLS on the system, blinding on")
    mbedtls.add_argument("--level", choices=("software", "mul", "exp", "op"), default="op")
    keygen = actions.add_parser("keygen", help="a key made on the system, checked against FIPS 186-5 (minutes)")
    keygen.add_argument("--level", choices=("software", "mul", "exp"), default="exp")
    keygen.add_argument("--seed", type=int, default=31, help="other numbers, another key (default: 31)")
    keygen.add_argument("--how", choices=KEYGEN, default="batched",
                        help="by mbedTLS alone, or candidates sieved while the core tests others (default: batched)")
    for action in (mbedtls, keygen):
        action.add_argument("--release", choices=("2.28", "3.6"), default="2.28",
                            help="of mbedTLS (default: 2.28, which is also the console's)")
    for action in (exp, private, twin, mbedtls, keygen):
        action.add_argument("--bits", type=int, choices=(512, 1024, 1536, 2048), default=1024)
    toy = actions.add_parser("toy", help="FIU's RSA of single bytes, Power() in software or its peripheral")
    toy.add_argument("--bytes", type=int, default=40, help="how many (default: 40)")
    toy.add_argument("--level", choices=("software", "power"), default="power")
    for action in (exp, private, twin, mbedtls, keygen, toy):
        action.add_argument("--interrupts", action="store_true", help="the core is waited for by interrupt, not by polling")
        action.add_argument("--memory-wait", type=int, choices=range(256), default=0, metavar="CYCLES",
                            help="so many cycles more for each access of memory (default: 0)")
    console = actions.add_parser("console", help="a prompt for these")
    for action in (exp, private, twin, mbedtls, keygen, toy, console):
        action.add_argument("--port", default="", metavar="DEVICE",
                            help="not the simulation: a board at this serial line, as /dev/ttyUSB0 (not tried on one)")
        action.add_argument("--baud", type=int, default=115200, help="of that line (default: 115200)")
    actions.add_parser("report", help="hw/soc/report/report.json and the table of docs/soc.md")
    actions.add_parser("energy", help="the energy of FIU's experiment, Power() in software and in its peripheral (minutes)",
                       description=ENERGY, formatter_class=argparse.RawDescriptionHelpFormatter)
    actions.add_parser("zynq", help="the system on an xc7z020, placed by an open timing model (half an hour)")
    ulx3s.add_arguments(actions.add_parser("bitstream", help="the system for a ULX3S board, placed and routed (minutes)"))


def run(arguments: argparse.Namespace) -> int:
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
