# SPDX-License-Identifier: Apache-2.0
"""FIOS: a product word and a reduction word of the same index a step; the thesis's second base."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.row import rows_of_the_thesis

FIOS = 1

DESIGN = Design(
    name="fios", title="a product word and a reduction word a step", source="Koç, Acar, Kaliski 1996; Ramesh 2020",
    top="row", bench="row", parameters=rows_of_the_thesis(FIOS),
    multipliers=lambda point: 2 * point.unroll, words_per_product=lambda point: 2,  # x, n, t in, t out for two
    ports=(3, 4, 0), pipelined=(True, False), unroll=(1, 2, 4, 8))
