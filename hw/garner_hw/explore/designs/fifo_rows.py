# SPDX-License-Identifier: Apache-2.0
"""FIFO rows: r rows of FIOS that find their own quotient digits; the partial sum stays in the unit."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.multiplier import multiplier
from garner_hw.explore.point import Point


def parameters(point: Point) -> dict[str, int]:
    # With more ports it is the same unit.
    return {"W": point.word, "Ports": 2, "Rows": point.knob("rows"), "Bits": point.bits} | multiplier(point)


DESIGN = Design(
    name="fifo-rows", title="r rows of FIOS, the partial sum in a FIFO of the unit", source="Tenca, Koç 1999; Garner",
    top="fifo_rows", bench="fifo_rows", parameters=parameters,
    multipliers=lambda point: 2 * point.knob("rows"),
    words_per_product=lambda point: 1 / point.knob("rows"),  # a and n for r rows of both
    knobs={"rows": (1, 2, 3, 4, 6, 8)}, memories=True)
