# SPDX-License-Identifier: Apache-2.0
"""Where the parts of a full device lie: a script for `nextpnr-ecp5 --pre-place`, which gives it `ctx`.

Each core has a strip of the device from the bottom to the shell, as wide as its share of the columns with multipliers;
the shell with the dispatcher has the rows at the top, around the uppermost row of block RAM, and some that the cores may
have too. The flip-flops through which the reset is released lie on one line, the first of all in its middle: left to the
placer they were up to 6 ns apart. Links, the shift registers of `garner_pins` and what nextpnr adds lie where they fall.

        shell and dispatcher          y = SHELL ...
     +----+----+----+----+----+
     | c0 | c1 | c2 | c3 | c4 |       three rows of multipliers, three of block RAM
     +----+----+----+----+----+

Without it the placer mixes the cores with each other and with the shell: wires are a quarter longer.
"""

import re

SHELL = 80          # first row that no core has
SHELL_SHARED = 6    # rows below it that the shell has too: closer, and routing takes three times as long
SHELL_MARGIN = 8    # columns left and right that it does not have
RESET = 60          # row of the reset's flip-flops
FIXED = ("TRELLIS_IO", "DCCA", "DCSC", "EHXPLLL")

columns = sorted({ctx.getBelLocation(bel).x for bel in ctx.getBels() if ctx.getBelType(bel) == "MULT18X18D"})  # noqa: F821
right = max(ctx.getBelLocation(bel).x for bel in ctx.getBels())  # noqa: F821
top = max(ctx.getBelLocation(bel).y for bel in ctx.getBels())  # noqa: F821
in_core = re.compile(r"u_top\.gen_core\[(\d+)\]\.u_core\.")
# Yosys names much of the shell after what it drives, the shift register's input among it
in_shell = re.compile(r"u_top\.(?!gen_core)|out_q_.*_DI_LUT4_Z_")
in_reset = re.compile(r"(?:u_top\.gen_core\[(\d+)\]\.u_core\.)?rst_ni_|u_top\.u_reset\.u_cell_.*_LSR_")
cores = 1 + max(int(found[1]) for name, _ in ctx.cells if (found := in_core.match(name)))  # noqa: F821

first = [columns[core * (len(columns) // cores)] for core in range(cores)]  # column of multipliers of each core
begin = [0] + [(columns[columns.index(x) - 1] + x + 1) // 2 for x in first[1:]] + [right + 1]
for core in range(cores):
    ctx.createRectangularRegion(f"core{core}", begin[core], 0, begin[core + 1] - 1, SHELL - 1)  # noqa: F821
ctx.createRectangularRegion("shell", SHELL_MARGIN, SHELL - SHELL_SHARED, right - SHELL_MARGIN, top)  # noqa: F821

free = {kind: [bel for bel in ctx.getBels() if ctx.getBelType(bel) == kind]  # noqa: F821
        for kind in ("TRELLIS_FF", "TRELLIS_COMB")}


def fix(cell: "CellInfo", x: int, y: int) -> None:  # noqa: F821
    """Puts a cell into the tile nearest to (x, y) where none was put; a LUT beside, it is none of the flip-flop's."""
    x += cell.type == "TRELLIS_COMB"
    at = ctx.getBelLocation  # noqa: F821
    bel = min(free[cell.type], key=lambda bel: abs(at(bel).x - x) + abs(at(bel).y - y))
    tile = at(bel).x, at(bel).y
    free[cell.type] = [bel for bel in free[cell.type] if (at(bel).x, at(bel).y) != tile]
    cell.setAttr("BEL", str(bel))


fixed = 0
for name, cell in ctx.cells:  # noqa: F821
    if cell.type in FIXED:
        continue
    if found := in_reset.match(name):
        fixed += cell.type == "TRELLIS_FF"
        fix(cell, (begin[int(found[1])] + begin[int(found[1]) + 1]) // 2 if found[1] else right // 2, RESET)
    elif found := in_core.match(name):
        ctx.constrainCellToRegion(name, f"core{found[1]}")  # noqa: F821
    elif in_shell.match(name):
        ctx.constrainCellToRegion(name, "shell")  # noqa: F821

# The names are Yosys's: two flip-flops release the reset, one in front of each buffer takes it
if fixed != cores + 3:
    raise RuntimeError(f"{fixed} flip-flops of the reset found, {cores + 3} expected: see in_reset")
