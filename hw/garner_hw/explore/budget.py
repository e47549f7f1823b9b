# SPDX-License-Identifier: Apache-2.0
"""Which design to build on a budget, why, and which would be next.

LUTs are those of the placed design: nextpnr splits and duplicates, up to a third more than the synthesis counts.
"""

from collections.abc import Callable
from dataclasses import dataclass

LIMITS = {"lut": "LUTs", "dsp": "DSP blocks", "ports": "ports", "memory": "block RAMs", "ff": "flip-flops",
          "energy": "nJ"}
COLUMN = {"energy": "energy_nj"}
GOAL = "clock"


class BadBudget(Exception):
    """A budget that says nothing, in one sentence."""


@dataclass(frozen=True)
class Budget:
    """`limits`: the most a design may use. `clock`: the MHz it has to run at, that of the system around it."""

    limits: dict[str, float]
    clock: float | None

    @staticmethod
    def parse(text: str) -> "Budget":
        """From lut=2000,dsp=4,ports=2,clock=100."""
        limits, clock = {}, None
        for part in text.split(","):
            name, equals, value = part.strip().partition("=")
            if not equals or name not in (*LIMITS, GOAL):
                raise BadBudget(f"--budget: {part.strip() or 'an empty part'} is none of {', '.join((*LIMITS, GOAL))}=NUMBER")
            try:
                number = float(value)
            except ValueError:
                raise BadBudget(f"--budget: {name} must be a number, not {value}") from None
            if not number >= 0 or number == float("inf") or (name == GOAL and number == 0):
                least = "above 0" if name == GOAL else "of 0 or more"
                raise BadBudget(f"--budget: {name} must be a number {least}, not {value}")
            if name in limits or (name == GOAL and clock is not None):
                raise BadBudget(f"--budget: {name} is there twice")
            if name == GOAL:
                clock = number
            else:
                limits[name] = number
        return Budget(limits, clock)


@dataclass(frozen=True)
class Advice:
    """The text that answers, and whether there is a design."""

    text: str
    found: bool


def luts(row: dict) -> int:
    """Of the placed design; of the synthesis where no placement counted them."""
    placed = row.get("lut_placed")
    return row["lut"] if placed is None else placed


def used(row: dict, name: str) -> float | None:
    if name == "lut":
        return luts(row)
    if name == "ports" and row["ports"] == 0:
        return float("inf")
    return row[COLUMN.get(name, name)]


def lacks(row: dict, budget: Budget) -> dict[str, float]:
    """By how much of the limit a design is beyond it, for each limit that it breaks."""
    over = {}
    for name, limit in budget.limits.items():
        use = used(row, name)
        if use is None or use > limit:
            over[name] = float("inf") if use is None else (use - limit) / (limit or 1)
    if budget.clock and row["mhz"] < budget.clock:
        over[GOAL] = budget.clock / row["mhz"] - 1
    return over


def time_of(row: dict, budget: Budget) -> float:
    """Microseconds of a multiplication with its quotient digits, at the clock of the system or at the one that the design
    reaches."""
    return row["cycles_with_m"] / (budget.clock or row["mhz"])


def advise(rows: list[dict], budget: Budget, describe: Callable[[dict], str]) -> Advice:
    """For each size of operands that is measured the fastest design within the budget; of two as fast, the smaller.
    `describe` names a row."""
    if not rows:
        return Advice("nothing was measured: there is no design to choose from", False)
    each = [advise_for(bits, [row for row in rows if row["bits"] == bits], budget, describe)
            for bits in sorted({row["bits"] for row in rows})]
    return Advice("\n".join(advice.text for advice in each), all(advice.found for advice in each))


def advise_for(bits: int, rows: list[dict], budget: Budget, describe: Callable[[dict], str]) -> Advice:
    """Of rows that have operands of one size."""
    fitting = sorted((row for row in rows if not lacks(row, budget)), key=lambda row: (time_of(row, budget), luts(row)))
    unweighed = unmeasured(rows, budget)
    if not fitting:
        return Advice("\n".join([f"{bits} bits: {nearest(rows, budget, describe)}", *unweighed]), False)
    best, others = fitting[0], [row for row in fitting[1:] if row["design"] != fitting[0]["design"]]
    lines = [f"build {describe(best)}: {time_of(best, budget):.3g} us a multiplication of {bits} bits,",
             f"  {use_of(best, budget)}.", f"why: the fastest of {len(fitting)} points that fit, of {len(rows)}; {bounded(best)}."]
    if others:
        second = others[0]
        lines.append(f"runner-up: {describe(second)}: {time_of(second, budget):.3g} us "
                     f"({time_of(second, budget) / time_of(best, budget):.2f} times as long), {use_of(second, budget)}.")
    smaller = min(fitting, key=lambda row: luts(row) * time_of(row, budget))
    if smaller is not best:
        lines.append(f"least area x time within the budget: {describe(smaller)}: {time_of(smaller, budget):.3g} us, "
                     f"{use_of(smaller, budget)}.")
    return Advice("\n".join([*lines, *unweighed]), True)


def unmeasured(rows: list[dict], budget: Budget) -> list[str]:
    """A line where designs do not fit for want of a figure: none, or how many there are."""
    return [f"{count} of {len(rows)} points have no measured {name} and were not chosen from."
            for name in budget.limits if (count := sum(used(row, name) is None for row in rows))]


def use_of(row: dict, budget: Budget) -> str:
    """All that it takes of the part, and what else is limited."""
    shown = ["lut", "ff", "dsp", "memory"]
    shown += [name for name in budget.limits if name not in shown]
    parts = [f"{luts(row):,} LUTs placed" if name == "lut" and row.get("lut_placed") is not None else
             counted(used(row, name), name) for name in shown]
    return ", ".join([*parts, f"reaches {row['mhz']:.0f} MHz"])


def counted(value: float | None, name: str) -> str:
    """So many of what is limited: 1 DSP block."""
    return f"{number(value)} {LIMITS[name].removesuffix('s') if value == 1 else LIMITS[name]}"


def number(value: float | None) -> str:
    """As people write it, without an exponent."""
    if value is None or value == float("inf"):
        return "no" if value is None else "free"
    return f"{value:,.0f}" if value >= 1000 or value == int(value) else f"{value:.4g}"


def bounded(row: dict) -> str:
    """What keeps it from being faster."""
    share = row["bound_cycles"] / row["cycles_with_m"]
    return f"its {row['bound_by']} bound it, and it works at {100 * share:.0f} % of that bound"


def nearest(rows: list[dict], budget: Budget, describe: Callable[[dict], str]) -> str:
    """No design fits: the one that lacks least."""
    best = min(rows, key=lambda row: (sum(lacks(row, budget).values()), time_of(row, budget)))
    missing = []
    for name in lacks(best, budget):
        if name == GOAL:
            missing.append(f"it reaches {best['mhz']:.0f} of {budget.clock:g} MHz")
        else:
            use = used(best, name)
            missing.append(f"it has no measured {name}" if use is None else
                           f"it needs {counted(use, name)}, {number(budget.limits[name])} are allowed")
    return f"none of {len(rows)} points fits. The nearest is {describe(best)}: {'; '.join(missing)}."
