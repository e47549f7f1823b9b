# SPDX-License-Identifier: Apache-2.0
"""Chain: r rows of a product at once, in a chain of multiply-add cells; a word of t crosses the ports once for r
products."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.multiplier import multiplier
from garner_hw.explore.designs.row import fewest
from garner_hw.explore.point import Point

CHAIN = 3


def fold(point: Point) -> int:
    """Rows that a cell serves in turn: two with one port for t."""
    return 2 if point.ports == 2 else 1


def parameters(point: Point) -> dict[str, int]:
    return {"Algorithm": CHAIN, "W": point.word, "Ports": fewest(CHAIN, point.ports, 1), "Rows": point.knob("rows"),
            "Bits": point.bits} | multiplier(point, add=True, odd=fold(point) == 2)


def refuses(point: Point) -> str | None:
    """As row.sv: a pass would read words of t that are not written yet."""
    rows, turns = point.knob("rows"), fold(point)
    if rows % turns:
        return f"with {point.ports} ports two rows share a cell, and there is {rows}"
    write_at = rows * (parameters(point)["Stages"] + 1) + turns + 1
    write_at += int(turns == 2 and write_at % 2 == 0)
    if write_at >= (point.words() + rows + 1) * turns:
        return f"with {rows} rows the chain is longer than a pass over {point.words()} words"
    return None


DESIGN = Design(
    name="chain", title="r rows at once in a chain of cells", source="Garner",
    top="row", bench="row", parameters=parameters,
    multipliers=lambda point: point.knob("rows") / fold(point),
    words_per_product=lambda point: 3 / point.knob("rows"),  # x, t in, t out for r
    knobs={"rows": (1, 2, 4, 8, 16)}, refuses=refuses)
