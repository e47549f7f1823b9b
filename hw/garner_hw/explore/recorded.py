# SPDX-License-Identifier: Apache-2.0
"""The results that are committed: a record of circuits, and the report made from it. A long sweep grows them bit by bit."""

from collections.abc import Iterable
from pathlib import Path

from garner_hw import HW
from garner_hw.explore import report, space
from garner_hw.explore.evaluate import Effort, figures, steps_of
from garner_hw.explore.store import Record, Store
from garner_hw.explore.sweep import circuits
from garner_hw.explore.toolchain import Toolchain

SPACE = Path(__file__).resolve().parent / "spaces" / "all.toml"
RESULTS = HW / "explore" / "results"
CIRCUITS = "circuits.jsonl"
EFFORT = Effort(energy=False)  # the least that a row of the report needs


def record_of(folder: Path = RESULTS) -> Record:
    return Record(folder / CIRCUITS)


def rows_of(record: Record, toolchain: Toolchain) -> list[dict]:
    """The rows of all points of the whole space whose circuits are recorded, with energy where that was measured, and with
    the circuit's name."""
    return [figures(point, record.steps(name), EFFORT) | {"circuit": name}
            for name, points in circuits(space.read_space(SPACE).points, toolchain).items()
            for point in points if steps_of(point, EFFORT) <= record.steps(name).keys()]


def whole(toolchain: Toolchain) -> set[str]:
    """The circuits of the whole space."""
    return set(circuits(space.read_space(SPACE).points, toolchain))


def outside(names: Iterable[str], toolchain: Toolchain) -> set[str]:
    """Those of these circuits that no point of the whole space has, which `keep` leaves out."""
    return set(names) - whole(toolchain)


def keep(names: list[str], store: Store, toolchain: Toolchain, folder: Path = RESULTS) -> int:
    """Adds what was measured of these circuits, and makes the report anew. Circuits that no point of the whole space has,
    or has any more, are left out. Gives the number of rows."""
    record = record_of(folder)
    for name in names:
        record.add(name, store.folder(name).steps())
    record.write(whole(toolchain))
    rows = rows_of(record, toolchain)
    report.write_json(report.data_of(rows, {}, toolchain.versions()), folder)
    return len(rows)
