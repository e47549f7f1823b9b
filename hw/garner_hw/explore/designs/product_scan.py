# SPDX-License-Identifier: Apache-2.0
"""Product scanning: column by column, the sum in an accumulator; named as future work by the thesis."""

from garner_hw.explore.designs.design import Design
from garner_hw.explore.designs.multiplier import multiplier
from garner_hw.explore.point import Point


def lanes(point: Point) -> int:
    return point.ports // 2 if point.ports else point.unroll


def parameters(point: Point) -> dict[str, int]:
    return {"W": point.word, "Ports": 2 if point.ports == 3 else point.ports, "Unroll": point.unroll,
            "Bits": point.bits} | multiplier(point)


def refuses(point: Point) -> str | None:
    if point.unroll > 1 and point.ports:
        return "unroll is for free ports; else the ports say how many multipliers there are"
    if lanes(point) > point.words():  # product_scan.sv counts down by its multipliers in the bits that count its words
        return f"{lanes(point)} multipliers are more than the {point.words()} words of an operand"
    return None


DESIGN = Design(
    name="product-scan", title="column by column, the sum kept in an accumulator", source="Koç, Acar, Kaliski 1996 (FIPS)",
    top="product_scan", bench="product_scan", parameters=parameters,
    multipliers=lanes, words_per_product=lambda point: 2,
    unroll=(1, 2, 4, 8), refuses=refuses)
