# SPDX-License-Identifier: Apache-2.0
"""Points from files: a CSV with a point a line, or a TOML file with grids of which all points are meant."""

import csv
import itertools
import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from garner_hw.explore.designs import DESIGNS, design_of
from garner_hw.explore.point import LONGEST, Point, Refused

COMMON = [one.name for one in fields(Point) if one.name != "knobs"]
KNOBS = sorted({name for design in DESIGNS.values() for name in design.knobs})
YES, NO = ("yes", "true", "1"), ("no", "false", "0")


class BadSpace(Exception):
    """A file that cannot be read as points at all, in one sentence."""


@dataclass(frozen=True)
class Space:
    """The points to measure, and what was asked for and cannot be built, a sentence each."""

    points: list[Point]
    refused: list[str]


def point_of(values: dict[str, object]) -> Point:
    """A point from names and values, as text or as TOML has them; the design's check is done."""
    values = {name: value for name, value in values.items() if value not in ("", None)}
    if "design" not in values:
        raise Refused("a point names no design")
    unknown = [name for name in values if name not in COMMON and name not in KNOBS]
    if unknown:
        raise Refused(f"there is no parameter {unknown[0]}; there are {', '.join([*COMMON, *KNOBS])}")
    given = {name: convert(name, value) for name, value in values.items()}
    knobs = tuple(sorted((name, value) for name, value in given.items() if name in KNOBS))
    point = Point(**{name: value for name, value in given.items() if name in COMMON}, knobs=knobs)
    if point.bits > LONGEST:
        raise Refused(f"bits must be {LONGEST:,} at most, not {point.bits:,}: "
                      "a simulation of longer operands does not end in its time")
    design_of(point).check(point)
    if point.bits < 4 * point.word:
        raise Refused(f"bits must be at least four words, not {point.bits}")
    return point


def convert(name: str, value: object) -> Any:
    """The value as its field of Point has it, or a number, which knobs are."""
    if name in ("design", "multipliers"):
        return str(value)
    if name == "pipelined":
        text = str(value).lower()
        if text not in YES + NO:
            raise Refused(f"pipelined must be yes or no, not {value}")
        return text in YES
    if name == "ports" and str(value).lower() == "free":
        return 0
    try:
        number = int(str(value))
    except ValueError:
        raise Refused(f"{name} must be a whole number, not {value}") from None
    if number < 0:
        raise Refused(f"{name} must not be negative: {value}")
    return number


def read_csv(path: Path) -> Space:
    """A header with names of parameters, then a point a line. An empty field is the default."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file, restkey="more", strict=True)
            columns = reader.fieldnames or []
            lines = [(reader.line_num, line) for line in reader]  # blank lines count, and are no points
    except (UnicodeDecodeError, csv.Error) as error:
        raise BadSpace(f"{path}: not a CSV file: {error}") from None
    wrong = [name for name in columns if name not in COMMON and name not in KNOBS]
    if wrong or "design" not in columns:
        raise BadSpace(f"{path}: " + (f"there is no column {wrong[0]!r}" if wrong else "there is no column 'design'") +
                       f"; the columns are {', '.join([*COMMON, *KNOBS])}")
    twice = [name for name in columns if columns.count(name) > 1]
    if twice:
        raise BadSpace(f"{path}: the column {twice[0]!r} is there twice")
    points, refused = [], []
    for number, line in lines:
        try:
            values = len(columns) + len(line.get("more", ())) - list(line.values()).count(None)
            if values != len(columns):
                raise Refused(f"{len(columns)} columns, but {values} values")
            points.append(point_of(line))
        except Refused as error:
            refused.append(f"{path}:{number}: {error}")
    return unique(points, refused, str(path))


def read_space(path: Path) -> Space:
    """[[grid]] tables, each with a value or a list of values for every parameter. A grid's points that no design builds are
    no points of it (FIOS at two ports); a value that no point of the grid can have is refused."""
    try:
        grids = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadSpace(f"{path}: not a TOML file: {error}") from None
    other = [name for name in grids if name != "grid"]
    tables = isinstance(grids.get("grid"), list) and all(isinstance(grid, dict) for grid in grids["grid"])
    if other or not tables or not grids["grid"]:
        raise BadSpace(f"{path}: " + (f"{other[0]!r} is not known" if other else "there is no [[grid]]") +
                       "; a space is [[grid]] tables of parameters")
    points, refused = [], []
    for number, grid in enumerate(grids["grid"], 1):
        found, reasons = grid_points(grid)
        points += found
        refused += [f"{path}: grid {number}: {reason}" for reason in reasons]
    return unique(points, refused, str(path))


def grid_points(grid: dict) -> tuple[list[Point], list[str]]:
    choices = {name: value if isinstance(value, list) else [value] for name, value in grid.items()}
    if empty := [name for name, values in choices.items() if not values]:
        return [], [f"{empty[0]} has an empty list of values"]
    points, used = [], {(name, repr(value)): False for name, values in choices.items() for value in values}
    reasons: dict[tuple[str, str], str] = {}
    for values in itertools.product(*choices.values()):
        chosen = dict(zip(choices, values, strict=True))
        # A knob of other designs says nothing of this one.
        design = DESIGNS.get(str(chosen.get("design")))
        if design:
            foreign = {name for name in chosen if name in KNOBS and name not in design.knobs}
            chosen = {name: value for name, value in chosen.items() if name not in foreign}
        try:
            points.append(point_of(chosen))
            for name, value in zip(choices, values, strict=True):
                used[name, repr(value)] = True
        except Refused as error:
            for name, value in zip(choices, values, strict=True):
                reasons.setdefault((name, repr(value)), str(error))
    refused = list(dict.fromkeys(reasons[one] for one, is_used in used.items() if not is_used))
    return points, refused if points else refused[:1] or ["no points"]


def unique(points: list[Point], refused: list[str], where: str) -> Space:
    if not points and not refused:
        raise BadSpace(f"{where}: there are no points in it")
    return Space(list(dict.fromkeys(points)), refused)
