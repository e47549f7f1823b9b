# SPDX-License-Identifier: Apache-2.0
"""report.json and explore.html from rows. Measures nothing."""

import datetime
import json
from collections import Counter
from pathlib import Path

import jinja2

from garner_hw import CommandError
from garner_hw.explore import dominance, plots, scaling, thesis
from garner_hw.explore.designs import DESIGNS
from garner_hw.explore.point import Point
from garner_hw.explore.space import COMMON, KNOBS
from garner_hw.whole import write_whole

JSON, PAGE = "report.json", "explore.html"
ORDER = list(DESIGNS)
NAMED = ("design", "word", "ports", "multipliers", "bits", "area_time_ratio")  # of a row that dominates


def point_of(row: dict) -> Point:
    """The point of a row, without a check."""
    knobs = tuple(sorted((name, row[name]) for name in KNOBS if name in row))
    return Point(**{name: row[name] for name in COMMON}, knobs=knobs)


def describe(row: dict) -> str:
    return str(point_of(row))


def place(row: dict) -> tuple:
    return (ORDER.index(row["design"]), row["word"], row["ports"] or 99, not row["pipelined"], row["unroll"],
            row["multipliers"], [row.get(name, 0) for name in KNOBS], row["bits"])


def data_of(rows: list[dict], failures: dict[str, str], tools: dict[str, str]) -> dict:
    """What report.json holds, see docs/exploration.md."""
    rows = sorted(rows, key=place)
    best = dominance.over_two_row(rows)
    return {"date": datetime.date.today().isoformat(), "tools": tools, "points": rows,
            "dominates_two_row": [{name: row[name] for name in (*NAMED, *KNOBS) if name in row} for row in best],
            "failures": failures}


def date(path: Path) -> str:
    """When a report.json was written, as 2026-12-01; nothing if it does not say, or is not there."""
    try:
        return str(json.loads(path.read_text())["date"])
    except (FileNotFoundError, ValueError, KeyError, TypeError):
        return ""


def read(path: Path) -> list[dict]:
    """The rows of a report.json."""
    try:
        rows = json.loads(path.read_text())["points"]
        for row in rows:
            point_of(row)
        return rows
    except (ValueError, KeyError, TypeError):
        raise CommandError(f"{path}: not a report of the explorer, a JSON object with points") from None


def write_json(data: dict, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    write_whole(folder / JSON, json.dumps(data, indent=1, allow_nan=False) + "\n")


def write(data: dict, folder: Path) -> Path:
    """Both files; the path of the page."""
    write_json(data, folder)
    environment = jinja2.Environment(loader=jinja2.PackageLoader("garner_hw.explore", "."), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    rows = data["points"]
    sizes = " and ".join(str(bits) for bits in sorted({row["bits"] for row in rows}))
    comparisons = thesis.comparisons(rows)
    page = folder / PAGE
    write_whole(page, environment.get_template("page.html").render(
        data=data, rows=rows, sizes=sizes,
        designs=[DESIGNS[name] for name in ORDER if any(row["design"] == name for row in rows)],
        comparisons=comparisons, unrolled=thesis.unrolled(rows), dominating=dominance.over_two_row(rows),
        plots=pictures(rows, comparisons), scaling=scaling.on_paper(rows),
        knobs=[name for name in KNOBS if any(name in row for row in rows)], describe=describe))
    return page


def pictures(rows: list[dict], comparisons: list[thesis.Comparison]) -> dict[str, str]:
    """By name; what there is no data for is not drawn."""
    if not rows:
        return {}
    found = {"pareto": plots.pareto(rows), "roofline": plots.roofline(rows)}
    if comparisons:
        found["thesis"] = plots.thesis(comparisons)
    if (figure := plots.chapter_4(rows)) is not None:
        found["chapter_4"] = plots.svg(figure)
    caching = [row for row in rows if "kept" in row]
    if max(Counter(map(plots.alike, caching)).values(), default=0) > 1:
        found["operand_cache"] = plots.cache(caching, "kept")
    with_energy = [row for row in rows if row["energy_nj"]]
    if with_energy:
        found["energy"] = plots.energy(with_energy)
    return found
