# SPDX-License-Identifier: Apache-2.0
"""The bound of a Montgomery multiplication by its multipliers and its ports.

Source: Koç, Acar, Kaliski 1996 for the count of word products, 2 s^2 + s for s words; the rest is counting.
"""

from dataclasses import dataclass
from math import isclose

from garner_hw.explore.designs import design_of
from garner_hw.explore.point import Point


@dataclass(frozen=True)
class Bound:
    """The least cycles of one multiplication, with the s products that make the quotient digits m."""

    cycles: float
    by: str  # "multipliers", "ports", or "multipliers and ports"


def bound(point: Point) -> Bound:
    """Cycles >= (2 s^2 + s) * max(1 / k, words a product / ports), for k multipliers."""
    design = design_of(point)
    products = 2 * point.words() ** 2 + point.words()
    by_multipliers = products / design.multipliers(point)
    by_ports = products * design.words_per_product(point) / point.ports if point.ports else 0.0
    if isclose(by_ports, by_multipliers):
        return Bound(by_multipliers, "multipliers and ports")
    return Bound(by_ports, "ports") if by_ports > by_multipliers else Bound(by_multipliers, "multipliers")
