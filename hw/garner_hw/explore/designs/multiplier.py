# SPDX-License-Identifier: Apache-2.0
"""Which multiplier of the RTL a point has, and with how many registers, so that it is not what limits the clock."""

from garner_hw.explore.point import Point
from garner_hw.explore.benches.multiplier import ARRAY, BLOCK, BOOTH, OPERATOR

KINDS = {"lut": OPERATOR, "booth": BOOTH, "array": ARRAY, "dsp": BLOCK}
STAGES = {8: 2, 16: 3, 18: 3, 32: 4}  # of the operator and of Booth digits
BLOCK_WIDTH = 18                      # of a DSP block


def multiplier(point: Point, add: bool = False, odd: bool = False) -> dict[str, int]:
    """The parameters Multiplier and Stages. `add`: it adds a word as well; `odd`: two rows take turns in a cell, which
    needs an odd number of registers."""
    kind, stages = KINDS[point.multipliers], STAGES[point.word]
    if kind == ARRAY:
        stages = point.word // 2  # two adders between registers
    elif kind == BLOCK:
        stages = 3 + int(add) if point.word <= BLOCK_WIDTH else 5
        if odd and stages % 2 == 0:  # the blocks' registers are not odd in number: the synthesiser's product in blocks
            kind = OPERATOR
    if odd and stages % 2 == 0:
        stages += 1
    return {"Multiplier": kind, "Stages": stages}


def unregistered(point: Point) -> int:
    """The parameter Multiplier where a product is made within a cycle: a block with its registers does not fit there."""
    return OPERATOR if point.multipliers == "dsp" else KINDS[point.multipliers]
