# SPDX-License-Identifier: Apache-2.0
"""How a wide circuit is placed and routed: a script for `nextpnr-ecp5 --placer static --run`, which gives it `ctx`.

nextpnr's electrostatic placer leaves cells that found no place where they belong far from there. The annealing behind it
brings them back, but ends as soon as wires as a whole do not get shorter, which after a step for the timing they do not.
Called again, the placer keeps what is placed and anneals further.

PLACES   `garner-hw place aes_cbc_encrypt -G Units=1 --seed 1`
   1     161 MHz
   4     170
  16     177
"""

PLACES = 8  # of a large circuit each takes minutes

assert ctx.pack()  # noqa: F821
for _ in range(PLACES):
    assert ctx.place()  # noqa: F821
assert ctx.route()  # noqa: F821
