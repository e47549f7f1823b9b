# SPDX-License-Identifier: Apache-2.0
"""Which row accelerator to build: points of the design space, each simulated, checked, synthesised, placed and compared.

`point` is what is built, `designs` the designs and their bounds (`roofline`), `space` reads points from files, `evaluate`
measures one with a `toolchain`, whose simulation is one of `benches`, and keeps it in a `store`, `sweep` does many on a Dask
cluster, `budget` chooses, `report` makes the page and its JSON with `plots`, `thesis` has the printed figures, `recorded` the
results that are committed.
"""

import argparse
import signal
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from garner_hw import BUILD, CommandError

if TYPE_CHECKING:
    from garner_hw.explore.budget import Budget
    from garner_hw.explore.point import Point
    from garner_hw.explore.space import Space
    from garner_hw.explore.toolchain import Toolchain

SPACES = Path(__file__).resolve().parent / "spaces"
OWN = BUILD / "explore"  # where sweeps keep what they measure if nothing else is said
EXAMPLES = """
examples:
  garner-hw explore                                          a small sweep; page and JSON in hw/build/explore
  garner-hw explore points.csv                               these points: design,word,ports,pipelined,unroll,multipliers,...
  garner-hw explore --space grid.toml                        all points of its grids
  garner-hw explore --space thesis --record --no-energy      the thesis's whole grid (hours; started again it goes on)
  garner-hw explore --budget lut=2000,dsp=4,ports=2,clock=100   which to build, of the last sweep's and those committed
  garner-hw explore --space all --dask tcp://10.0.0.1:8786   on a Dask cluster
"""


def positive(text: str) -> int:
    """An argument that counts something."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text}: a whole number is needed, 1 or more")
    return int(text)


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("explore", help="which row accelerator to build: sweep the design space and compare",
                                 description=__doc__.splitlines()[0], epilog=EXAMPLES,
                                 formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("points", nargs="?", type=Path, metavar="POINTS.csv", help="a point a line, parameters as columns")
    parser.add_argument("--space", metavar="FILE", help="TOML with [[grid]] tables, or one of: " +
                        ", ".join(built_in_spaces()))
    parser.add_argument("--budget", metavar="LIMITS", help="lut=N,dsp=N,ports=N,ff=N,memory=N,energy=nJ,clock=MHz: which design "
                        "to build and why; without points, of the last sweep's and those that are committed")
    parser.add_argument("--dask", metavar="ADDRESS", help="of a Dask scheduler; without, a cluster on this machine")
    parser.add_argument("--workers", type=positive, metavar="N", help="of the cluster on this machine (its cores)")
    parser.add_argument("--seeds", type=positive, default=5, metavar="N", help="placements of each point (5)")
    parser.add_argument("--no-energy", action="store_true", help="leave the energy out; OpenSTA is asked for its "
                        "version all the same, which circuits have in their names")
    parser.add_argument("--record", action="store_true", help="also into the committed results, hw/explore/results: circuits of "
                        "the space `all`, with their energy unless --no-energy")
    parser.add_argument("--again", action="store_true", help="measure what is recorded, too, unless --out has it already")
    parser.add_argument("--out", type=Path, default=OWN, metavar="FOLDER",
                        help="for explore.html, report.json and a folder for each circuit")
    parser.add_argument("--list", action="store_true", help="only say which points there are")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    from garner_hw.explore import budget, space
    from garner_hw.explore.tools import Tools

    if arguments.dask is not None and not arguments.dask.strip():
        raise CommandError("--dask: an address is needed, such as tcp://HOST:8786, or no --dask for this machine")
    try:
        limits = None if arguments.budget is None else budget.Budget.parse(arguments.budget)
        if limits and not arguments.points and arguments.space is None:
            return advise(measured_before(arguments.out), limits)
        wanted = read(arguments)
        for reason in wanted.refused:
            print(f"garner-hw: {reason}", file=sys.stderr)
        if arguments.list:
            print("\n".join(map(str, wanted.points)))
            return 1 if wanted.refused else 0
        if not 1 <= arguments.seeds <= 100:
            raise CommandError(f"--seeds must be 1 to 100, not {arguments.seeds}")
        rows, failures = measure(arguments, wanted, Tools())
        failed = bool(failures or wanted.refused)
        if limits:
            return advise(rows, limits) or int(failed)
        return int(failed)
    except (space.BadSpace, budget.BadBudget) as error:
        raise CommandError(str(error)) from error
    except BrokenPipeError:  # of standard output: `command` ends
        raise
    except OSError as error:
        raise CommandError(f"{error.filename or arguments.out}: {error.strerror or error}") from error


def measured_before(out: Path) -> list[dict]:
    """The rows of the last sweep and those that are committed, one of each point."""
    from garner_hw.explore import recorded, report

    own, committed = (by_point(folder / report.JSON) for folder in (out, recorded.RESULTS))
    later = report.date(out / report.JSON) >= report.date(recorded.RESULTS / report.JSON)
    rows = {point: chosen(own.get(point), committed.get(point), later) for point in own | committed}
    for folder, found in ((out, own), (recorded.RESULTS, committed)):
        if count := sum(rows[point] is row for point, row in found.items()):
            print(f"{count} points to choose from are in {folder / report.JSON}", file=sys.stderr)
    if not rows:
        raise CommandError(f"{out / report.JSON} has no points: measure something first")
    return list(rows.values())


def by_point(path: Path) -> "dict[Point, dict]":
    """The rows of a report, if it is there."""
    from garner_hw.explore import report

    return {report.point_of(row): row for row in report.read(path)} if path.exists() else {}


def chosen(own: dict | None, committed: dict | None, later: bool) -> dict:
    """Of a point's rows that of the later report; of one circuit the committed one, which has all five placements, but where
    the other one alone has an energy."""
    if own is None or committed is None:
        (row,) = filter(None, (own, committed))
        return row
    if own.get("circuit", "") == committed.get("circuit"):
        return own if own["energy_nj"] and not committed["energy_nj"] else committed
    return own if later else committed


def read(arguments: argparse.Namespace) -> "Space":
    from garner_hw.explore import space

    if arguments.points and arguments.space is not None:
        raise CommandError("give either a CSV file of points or --space, not both")
    if arguments.points:
        return space.read_csv(arguments.points)
    name = "small" if arguments.space is None else arguments.space
    built_in = SPACES / f"{name}.toml"
    file = built_in if "/" not in name and built_in.exists() else Path(name)
    if not file.exists():
        raise CommandError(f"--space {name}: there is no such file, and it is none of {', '.join(built_in_spaces())}")
    return space.read_space(file)


def built_in_spaces() -> list[str]:
    return sorted(path.stem for path in SPACES.glob("*.toml"))


def measure(arguments: argparse.Namespace, wanted: "Space",
            toolchain: "Toolchain") -> tuple[list[dict], dict[str, str]]:
    """The sweep, with what is measured in the page even if it is cut off."""
    from garner_hw.explore import recorded, report
    from garner_hw.explore.evaluate import Effort, steps_of
    from garner_hw.progress import bar
    from garner_hw.explore.store import Store
    from garner_hw.explore.sweep import circuits, cluster, sweep

    tools = toolchain.versions()
    effort = Effort(tuple(range(1, arguments.seeds + 1)), not arguments.no_energy)
    rows, failures = [], {}
    arguments.out = arguments.out.resolve()  # tools run elsewhere
    arguments.out.mkdir(parents=True, exist_ok=True)
    todo = circuits(wanted.points, toolchain)
    store, interrupted = Store(arguments.out / "points"), False
    record = None if arguments.again else recorded.record_of(recorded.RESULTS)
    known = {name for name, points in todo.items() if steps_of(points[0], effort) <= {
        *store.folder(name).steps(), *(record.steps(name) if record else ())}}
    print(f"{len(wanted.points)} points, {len(todo)} circuits, {len(todo) - len(known)} of them to be measured", file=sys.stderr)
    signal.signal(signal.SIGTERM, signal.default_int_handler)  # as by Ctrl-C: what is there is reported and recorded
    try:
        with cluster(arguments.dask, arguments.workers) as client, bar(len(todo) - len(known), "circuit") as advance:
            def done(name: str) -> None:
                if name not in known:  # or the time left would be counted from those, too
                    advance(name)

            for row in sweep(todo, toolchain, store, effort, client, done, record, bool(arguments.dask)):
                if row.failure:
                    failures[str(row.point)] = row.failure
                else:
                    assert row.figures is not None
                    rows.append(row.figures)
    except KeyboardInterrupt:
        interrupted = True
    if arguments.record:
        kept = recorded.keep(list(todo), store, toolchain, recorded.RESULTS)
        print(f"{kept} points in {recorded.RESULTS}", file=sys.stderr)
        if other := recorded.outside(todo, toolchain):
            print(f"{len(other)} of the {len(todo)} circuits are of no point of {recorded.SPACE.name} and are "
                  "not recorded", file=sys.stderr)
    page = report.write(report.data_of(rows, failures, tools), arguments.out)
    for point, why in failures.items():
        print(f"garner-hw: {point}: {why}", file=sys.stderr)
    if interrupted:
        raise CommandError(f"interrupted; {len(rows)} points are in {page}. The same command goes on from here")
    print(page)
    return rows, failures


def advise(rows: list[dict], limits: "Budget") -> int:
    from garner_hw.explore import budget, report

    advice = budget.advise(rows, limits, report.describe)
    print(advice.text)
    return 0 if advice.found else 1
