# SPDX-License-Identifier: Apache-2.0
"""The designs that are explored. A new one is a file here and its name in FILES; docs/exploration.md has what more it
needs."""

from importlib import import_module

from garner_hw.explore.designs.design import Design
from garner_hw.explore.point import Point, Refused

FILES = ("cios", "fios", "two_row", "chain", "product_scan", "hybrid_scan", "operand_cache", "fifo_rows")
DESIGNS: dict[str, Design] = {design.name: design for design in (
    import_module(f"{__name__}.{file}").DESIGN for file in FILES)}


def design_of(point: Point) -> Design:
    if point.design not in DESIGNS:
        raise Refused(f"there is no design {point.design}; there are {', '.join(DESIGNS)}")
    return DESIGNS[point.design]
