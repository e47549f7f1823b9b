# SPDX-License-Identifier: Apache-2.0
"""How many registers a multiplier of a point has, so that it is not what limits the clock."""

from garner_hw.explore.point import Point

STAGES = {8: 2, 16: 3, 18: 3, 32: 4}


def stages(point: Point, odd: bool = False) -> int:
    """`odd`: the next odd number, where two rows take turns in a cell."""
    registers = STAGES[point.word]
    return registers + 1 if odd and registers % 2 == 0 else registers
