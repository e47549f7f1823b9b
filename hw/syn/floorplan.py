"""Where the parts of a full device lie: a script for `nextpnr-ecp5 --pre-place`, which gives it `ctx`.

Each core has a strip of the device from the bottom to the shell, as wide as its share of the columns with multipliers;
the shell with the dispatcher has the rows at the top, around the uppermost row of block RAM. Links between them and what
nextpnr adds lie where they fall.

        shell and dispatcher          y = SHELL ...
     +----+----+----+----+----+
     | c0 | c1 | c2 | c3 | c4 |       three rows of multipliers, three of block RAM
     +----+----+----+----+----+

Without it the placer mixes the cores with each other and with the shell: wires are a quarter longer.
"""

import re

SHELL = 80          # first row of the shell
SHELL_MARGIN = 20   # columns left and right that it does not have
FIXED = ("TRELLIS_IO", "DCCA", "DCSC", "EHXPLLL")

columns = sorted({ctx.getBelLocation(bel).x for bel in ctx.getBels() if ctx.getBelType(bel) == "MULT18X18D"})  # noqa: F821
right = max(ctx.getBelLocation(bel).x for bel in ctx.getBels())  # noqa: F821
top = max(ctx.getBelLocation(bel).y for bel in ctx.getBels())  # noqa: F821
in_core = re.compile(r"u_top\.gen_core\[(\d+)\]\.u_core\.")
in_shell = re.compile(r"u_top\.(u_shell|u_dispatcher)\.")
cores = 1 + max(int(found[1]) for name, _ in ctx.cells if (found := in_core.match(name)))  # noqa: F821

first = [columns[core * (len(columns) // cores)] for core in range(cores)]  # column of multipliers of each core
begin = [0] + [(columns[columns.index(x) - 1] + x + 1) // 2 for x in first[1:]] + [right + 1]
for core in range(cores):
    ctx.createRectangularRegion(f"core{core}", begin[core], 0, begin[core + 1] - 1, SHELL - 1)  # noqa: F821
ctx.createRectangularRegion("shell", SHELL_MARGIN, SHELL, right - SHELL_MARGIN, top)  # noqa: F821

for name, cell in ctx.cells:  # noqa: F821
    if cell.type in FIXED:
        continue
    if found := in_core.match(name):
        ctx.constrainCellToRegion(name, f"core{found[1]}")  # noqa: F821
    elif in_shell.match(name):
        ctx.constrainCellToRegion(name, "shell")  # noqa: F821
