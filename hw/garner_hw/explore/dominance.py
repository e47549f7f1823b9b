# SPDX-License-Identifier: Apache-2.0
"""Which designs dominate the thesis's two-row unit at the same word and ports, and which no other dominates."""


RATIOS = {"area_time": "area_time", "bound": "bound_cycles", "cycles": "cycles_with_m"}  # name_ratio: of which costs


def kind(row: dict) -> str:
    """Designs with multipliers in LUTs are compared among themselves, and so are those with DSP blocks."""
    return "dsp" if row["multipliers"] == "dsp" else "lut"


def place(row: dict) -> tuple:
    return row["word"], row["ports"], kind(row), row["bits"]


def dominates(row: dict, other: dict, costs: tuple[str, ...] = ("us", "lut", "dsp")) -> bool:
    """No more of any of these costs, and less of one of them."""
    ours, theirs = ([one[cost] for cost in costs] for one in (row, other))
    return all(a <= b for a, b in zip(ours, theirs, strict=True)) and ours != theirs


def over_two_row(rows: list[dict]) -> list[dict]:
    """The rows that dominate the thesis's two-row units of their word and ports, pipelined and not unrolled, in
    microseconds and LUTs, with what they cost of the one that has the least area x time. DSP blocks do not count: a
    unit of few LUTs that feeds more of them is what one looks for.

    Two-row units count with every kind of LUT multiplier: beating only the worst one would be easy. Unrolled ones do
    not count, and may be faster: `fastest_unrolled`.
    """
    found = []
    for row in rows:
        if row["design"] == "two-row":
            continue
        units = [unit for unit in two_row(rows, place(row)) if unit["unroll"] == 1]
        if units and all(dominates(row, unit, ("us", "lut")) for unit in units):
            best = min(units, key=lambda unit: unit["area_time"])
            ratios = {f"{name}_ratio": row[cost] / best[cost] for name, cost in RATIOS.items()}
            found.append(row | ratios | {"two_row_dsp": best["dsp"]})
    return found


def fastest_unrolled(rows: list[dict], where: tuple) -> dict | None:
    """Of the unrolled two-row units at a place, pipelined, the fastest; None if none is measured."""
    unrolled = [unit for unit in two_row(rows, where) if unit["unroll"] > 1]
    return min(unrolled, key=lambda unit: unit["us"], default=None)


def two_row(rows: list[dict], where: tuple) -> list[dict]:
    """The pipelined two-row units at a place."""
    return [row for row in rows if row["design"] == "two-row" and row["pipelined"] and place(row) == where]


def frontier(rows: list[dict]) -> list[dict]:
    """The rows that no other of the same word, ports and kind dominates."""
    return [row for row in rows if not any(dominates(other, row) for other in rows if place(other) == place(row))]
