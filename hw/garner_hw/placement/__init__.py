# SPDX-License-Identifier: Apache-2.0
"""Placement and routing with nextpnr."""

import argparse
import json
import os

from garner_hw.sources import FAMILIES, assigned

EXAMPLES = """
examples:
  garner-hw place mont -G Rows=8 --seed 1 --seed 2 --speed 8       an LFE5U-85: clock, LUT, FF, DSP, EBR
  garner-hw place mont -G Rows=8 -G W=17 --family xilinx7          area alone; `measure zynq` places the core on one
  garner-hw place garner_pins -G Cores=5 --once garner_core Rows=15,MaxBits=2048,KeySlots=3
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("place", help="synthesis, placement and routing of one top, with its figures as data",
                                 epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("top")
    parser.add_argument("-G", action="append", default=[], metavar="NAME=VALUE", help="parameter of the top")
    parser.add_argument("--family", default="ecp5", choices=FAMILIES[1:])
    parser.add_argument("--speed", type=int, choices=(6, 7, 8), action="append", help="speed grade of the ECP5: 6, 7, 8 (8)")
    parser.add_argument("--seed", type=int, action="append", help="of nextpnr; may be repeated (1)")
    parser.add_argument("--no-dsp", action="store_true", help="multipliers in LUTs")
    parser.add_argument("--once", nargs=2, metavar=("MODULE", "NAME=VALUE,..."),
                        help="this module is synthesised by itself, its instances are all alike; the whole has a floorplan")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.placement import place

    built, files = place.design(arguments.top, arguments.family)
    given = assigned(built, files, arguments.G)
    once = (arguments.once[0], assigned(arguments.once[0], files, arguments.once[1].split(","))) if arguments.once else None
    os.nice(10)
    for speed in arguments.speed or [8]:
        for seed in arguments.seed or [1]:
            record = place.run(arguments.top, given, arguments.family, speed, seed, arguments.no_dsp, once)
            shown = {key: value for key, value in record.items() if key not in ("tools", "sources")}
            print(json.dumps(shown), flush=True)
            if arguments.family != "ecp5":
                return 0
    return 0
