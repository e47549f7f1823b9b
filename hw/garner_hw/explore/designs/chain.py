# SPDX-License-Identifier: Apache-2.0
"""Chain: r rows of a product at once, in a chain of multiply-add cells; a word of t crosses the ports once for r products."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.stages import stages
from garner_hw.explore.designs.thesis import fewest
from garner_hw.explore.point import Point

CHAIN = 3


def folded(point: Point) -> bool:
    """With one port for t each cell serves two rows in turn."""
    return point.ports == 2


def parameters(point: Point) -> dict[str, int]:
    return {"Algorithm": CHAIN, "W": point.word, "Ports": fewest(CHAIN, point.ports, 1), "Rows": point.knob("rows"),
            "Stages": stages(point, odd=folded(point)), "Booth": int(point.multipliers == "booth"), "Bits": point.bits}


def refuses(point: Point) -> str | None:
    rows = point.knob("rows")
    if point.words() % rows:
        return f"rows must divide the {point.words()} words of an operand, {rows} does not"
    if rows * (stages(point, odd=folded(point)) + 1) + 4 >= point.words() * (2 if folded(point) else 1):
        return f"with {rows} rows the chain is longer than a pass over {point.words()} words"
    return None


DESIGN = Design(
    name="chain", title="r rows at once in a chain of cells", source="Garner",
    top="row", bench="row", parameters=parameters,
    multipliers=lambda point: point.knob("rows") / (2 if folded(point) else 1),
    words_per_product=lambda point: 3 / point.knob("rows"),  # x, t in, t out for r
    knobs={"rows": (1, 2, 4, 8, 16)}, refuses=refuses)
