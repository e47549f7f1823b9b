# SPDX-License-Identifier: Apache-2.0
"""Two-row: the same word of two rows a step, three carries; the thesis's own proposal."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.row import rows_of_the_thesis

TWO_ROW = 2

DESIGN = Design(
    name="two-row", title="the same word of two rows a step", source="Ramesh 2020",
    top="row", bench="row", parameters=rows_of_the_thesis(TWO_ROW),
    multipliers=lambda point: 2 * point.unroll, words_per_product=lambda point: 1.5,  # x, t in, t out for two
    pipelined=(True, False), unroll=(1, 2, 4, 8))
