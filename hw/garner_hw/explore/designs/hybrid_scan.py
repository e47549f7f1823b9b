# SPDX-License-Identifier: Apache-2.0
"""Hybrid scanning: product scanning over blocks of d x d words; named as future work by the thesis."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.multiplier import multiplier
from garner_hw.explore.point import Point


def parameters(point: Point) -> dict[str, int]:
    # With more ports it is the same unit.
    return {"W": point.word, "Ports": 2, "D": point.knob("d"), "Bits": point.bits} | multiplier(point)


DESIGN = Design(
    name="hybrid", title="product scanning over blocks of d x d words", source="Gura, Patel, Wander, Eberle, Shantz 2004",
    top="hybrid_scan", bench="hybrid_scan", parameters=parameters,
    multipliers=lambda point: point.knob("d"),
    words_per_product=lambda point: 2 / point.knob("d"),  # d words of x and d of y for d^2
    knobs={"d": (1, 2, 3, 4, 8)})
