# SPDX-License-Identifier: Apache-2.0
"""Tables and pictures of the documents, from the records of measurements."""

import argparse
from pathlib import Path

from garner_hw import HW, CommandError


def add_command(commands: argparse._SubParsersAction) -> None:
    report = commands.add_parser("report",
                                 help="docs/hardware.md, report.json and the plot from the runs in hw/report/runs",
                                 description="Collects hw/report/runs into report.json, points.svg and the "
                                             "tables of docs/hardware.md and docs/hardware/rsa.md. Measures nothing.")
    report.set_defaults(run=run_report)
    wave = commands.add_parser("wave", help="one multiplication, word by word, as a picture",
                               epilog="example: garner-hw wave --out /tmp/wave.svg")
    wave.add_argument("--out", type=Path, default=HW / "report" / "wave.svg", metavar="FILE",
                      help="(hw/report/wave.svg)")
    wave.set_defaults(run=run_wave)


def run_report(arguments: argparse.Namespace) -> int:
    from garner_hw.report import document

    document.write()
    return 0


def run_wave(arguments: argparse.Namespace) -> int:
    from garner_hw.report import wave

    # Before the simulation, after which it would be late
    formats = (".svg", ".png", ".pdf")
    if arguments.out.suffix not in formats:
        raise CommandError(f"--out {arguments.out}: not a picture's name, which ends in {', '.join(formats)}")
    if not arguments.out.parent.is_dir():
        raise CommandError(f"--out {arguments.out}: there is no folder {arguments.out.parent}")
    wave.make(arguments.out)
    print(arguments.out)
    return 0
