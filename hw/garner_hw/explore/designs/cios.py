# SPDX-License-Identifier: Apache-2.0
"""CIOS: two words of one row a step, product rows and reduction rows in turn; the thesis's first base."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.row import rows_of_the_thesis

CIOS = 0

DESIGN = Design(
    name="cios", title="two words of one row a step", source="Koç, Acar, Kaliski 1996; Ramesh 2020",
    top="row", bench="row", parameters=rows_of_the_thesis(CIOS),
    multipliers=lambda point: 2 * point.unroll, words_per_product=lambda point: 3,  # x, t in, t out
    pipelined=(True, False), unroll=(1, 2, 4, 8))
