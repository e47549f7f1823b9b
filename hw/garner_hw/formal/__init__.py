# SPDX-License-Identifier: Apache-2.0
"""Proofs with SymbiYosys: the .sby files of hw/formal, which take their sources from the .core files. The complete files
are written into hw/build/formal.
"""

import argparse
import sys

from garner_hw import HW, CommandError

EXAMPLES = """
examples:
  garner-hw formal --list              every proof and its tasks
  garner-hw formal bus/dma_read        one proof, every task
  garner-hw formal prim/fifo prove     one task
"""


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("formal", help="run a proof of hw/formal", description=__doc__, epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proof", nargs="?", help="as FOLDER/NAME of hw/formal; all if none is given")
    parser.add_argument("task", nargs="?", help="of the proof; all if none is given")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.formal.prove import prove, tasks

    folder = HW / "formal"
    proofs = [folder / f"{arguments.proof}.sby"] if arguments.proof else sorted(folder.glob("*/*.sby"))
    if not proofs[0].exists():
        raise CommandError(f"{arguments.proof}: hw/formal has no such proof; --list names them")
    failed = 0
    for sby in proofs:
        for task in tasks(sby):
            if arguments.task not in (None, task):
                continue
            name = f"{sby.parent.name}/{sby.stem} {task}"
            if arguments.list:
                print(name)
                continue
            try:
                prove(sby, task)
            except AssertionError as why:
                failed += 1
                print(f"bad {name}\n{why}", flush=True)
            else:
                print(f"ok  {name}", flush=True)
    if arguments.task and arguments.task not in tasks(proofs[0]):
        print(f"{arguments.proof} has no task {arguments.task}", file=sys.stderr)
        return 2
    return int(failed > 0)
