# SPDX-License-Identifier: Apache-2.0
"""Where the lanes of AES encryption lie: a script for `nextpnr-ecp5 --pre-place`, which gives it `ctx`.

A rectangle for each lane around the middle of the device, where all else falls. In a round every byte goes to four places and
comes from four; left to the placer, the lanes lie in each other, and the wires of a round are half as long again.

     +---------+---------+
     | lane 0  | lane 1  |      SIDE columns and rows each
     +---------+---------+
     | lane 2  | lane 3  |
     +---------+---------+
"""

import re

SIDE = 46  # two and a half times the tiles that a lane's LUTs need

right = max(ctx.getBelLocation(bel).x for bel in ctx.getBels())  # noqa: F821
top = max(ctx.getBelLocation(bel).y for bel in ctx.getBels())  # noqa: F821
in_lane = re.compile(r"\bgen_lane\[(\d+)\]")
FIXED = ("TRELLIS_IO", "DCCA")

for lane in range(4):
    x, y = right // 2 - SIDE * (1 - lane % 2), top // 2 - SIDE * (1 - lane // 2)
    ctx.createRectangularRegion(f"lane{lane}", x, y, x + SIDE - 1, y + SIDE - 1)  # noqa: F821

constrained = 0
for name, cell in ctx.cells:  # noqa: F821
    if cell.type not in FIXED and (found := in_lane.search(name)):
        ctx.constrainCellToRegion(name, f"lane{found[1]}")  # noqa: F821
        constrained += 1
if not constrained:
    raise RuntimeError("no cell of a lane found: see in_lane")
