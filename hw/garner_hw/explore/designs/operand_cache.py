# SPDX-License-Identifier: Apache-2.0
"""Operand caching: e words of y are kept; x and t cross the ports once for e products. Future work of the thesis."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.multiplier import multiplier
from garner_hw.explore.point import Point


def parameters(point: Point) -> dict[str, int]:
    # With more than three ports it is the same unit.
    return {"W": point.word, "Ports": 2 if point.ports == 2 else 3, "Cached": point.knob("kept"),
            "Lanes": point.knob("lanes"), "Bits": point.bits} | multiplier(point)


def refuses(point: Point) -> str | None:
    """As operand_cache.sv."""
    kept, lanes = point.knob("kept"), point.knob("lanes")
    fold = kept // lanes
    if kept % lanes:
        return f"lanes must divide the {kept} words kept, {lanes} does not"
    if point.ports == 2 and fold % 2:
        return f"with two ports a column must take an even number of cycles, not {kept} / {lanes}"
    write_at = 2 + parameters(point)["Stages"] + lanes + fold
    write_at += int(point.ports == 2 and write_at % fold == 0)
    if write_at >= fold * (point.words() + 1):
        return f"with {lanes} lanes a pass over {point.words()} words would read some that are not yet written"
    return None


DESIGN = Design(
    name="operand-cache", title="passes for e words that are kept, column by column", source="Hutter, Wenger 2011",
    top="operand_cache", bench="operand_cache", parameters=parameters,
    multipliers=lambda point: point.knob("lanes"),
    words_per_product=lambda point: 3 / point.knob("kept"),  # x, t in, t out for e
    knobs={"kept": (2, 4, 8, 16, 32), "lanes": (1, 2, 4, 8)}, refuses=refuses)
