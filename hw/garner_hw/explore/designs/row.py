# SPDX-License-Identifier: Apache-2.0
"""The RTL parameters of the thesis's three designs, which are one module, hw/explore/rtl/row.sv."""

from collections.abc import Callable

from garner_hw.explore.designs.multiplier import unregistered
from garner_hw.explore.point import Point

CIOS, FIOS = 0, 1


def rows_of_the_thesis(algorithm: int) -> Callable[[Point], dict[str, int]]:
    def parameters(point: Point) -> dict[str, int]:
        return {"Algorithm": algorithm, "W": point.word, "Ports": fewest(algorithm, point.ports, point.unroll),
                "Pipelined": int(point.pipelined), "Unroll": point.unroll, "Bits": point.bits,
                "Multiplier": unregistered(point)}
    return parameters


def fewest(algorithm: int, ports: int, unroll: int) -> int:
    """The least port count at which the unit is the same as at this one: a word a step has no use for more."""
    if unroll > 1 or algorithm == CIOS:
        return ports
    return ports if ports == 2 else 3 if algorithm != FIOS or ports == 3 else 4
