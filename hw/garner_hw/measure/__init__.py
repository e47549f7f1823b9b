# SPDX-License-Identifier: Apache-2.0
"""The measurements behind docs/hardware.md: cycles in simulation, area and clock after synthesis and placement."""

import argparse

EXAMPLES = """
examples:
  garner-hw measure cores                        everything that is not there yet or was made from other sources (hours)
  garner-hw measure cores --only cycles          simulations alone
  garner-hw measure cores --only place --top mont
  garner-hw measure full                         the throughput, then the routed clock (half an hour a seed)
  garner-hw measure full --only place --seed 1
  garner-hw measure full --only shell            the clock of shell and dispatcher alone, with links to five cores
  garner-hw measure zynq                         the exponentiation on an xc7z020, by an open timing model
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("measure", help="measure what docs/hardware.md reports; records in hw/report/runs",
                                 description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    subjects = parser.add_subparsers(title="subjects", metavar="SUBJECT", required=True)

    cores = subjects.add_parser("cores", help="the multiplier and the cores")
    cores.add_argument("--only", choices=("cycles", "place", "xilinx7"))
    cores.add_argument("--top", help="this one alone")
    cores.set_defaults(run=run_cores)

    full = subjects.add_parser("full", help="a full LFE5U-85 as one design")
    full.add_argument("--only", choices=("cycles", "place", "shell"))
    full.add_argument("--speed", type=int, choices=(6, 7, 8), default=8, help="speed grade of the ECP5: 6, 7, 8 (8)")
    full.add_argument("--seed", type=int, action="append",
                      help="of nextpnr; may be repeated (three, and five where these scatter)")
    full.set_defaults(run=run_full)

    zynq = subjects.add_parser("zynq", help="the exponentiation on an xc7z020, hw/report/zynq.json (fetches its nextpnr)")
    zynq.set_defaults(run=run_zynq)


def run_cores(arguments: argparse.Namespace) -> int:
    from garner_hw.measure import cores

    cores.measure_all(arguments.only, arguments.top)
    return 0


def run_full(arguments: argparse.Namespace) -> int:
    from garner_hw.measure import full

    full.measure_all(arguments.only, arguments.speed, arguments.seed)
    return 0


def run_zynq(arguments: argparse.Namespace) -> int:
    from garner_hw.measure import zynq

    record = zynq.measure()
    print(f"{record['device']}: {record['fmax_mhz']} MHz, {record['time_ms']} ms, {record['DSP']} DSP, {record['LUT']} LUT "
          f"({record['timing_model']})")
    return 0
