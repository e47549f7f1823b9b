# SPDX-License-Identifier: Apache-2.0
"""The designs that are explored. A new one is a file here and its name in DESIGNS; docs/exploration.md has what more it
needs."""

from garner_hw.explore.designs import (chain, cios, fifo_rows, fios, hybrid_scan, operand_cache, product_scan,
                                       two_row)
from garner_hw.explore.designs.design import Design
from garner_hw.explore.point import Point, Refused

DESIGNS: dict[str, Design] = {module.DESIGN.name: module.DESIGN for module in (
    cios, fios, two_row, chain, product_scan, hybrid_scan, operand_cache, fifo_rows)}


def design_of(point: Point) -> Design:
    if point.design not in DESIGNS:
        raise Refused(f"there is no design {point.design}; there are {', '.join(DESIGNS)}")
    return DESIGNS[point.design]
