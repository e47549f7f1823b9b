# SPDX-License-Identifier: Apache-2.0
"""Operands of Montgomery multiplications at the ends of their ranges."""

from collections.abc import Iterator


def corners(bits: int, word: int) -> Iterator[tuple[int, int, int]]:
    """(a, b, n): ends of the ranges, and carries through every word."""
    top = 1 << (bits - 1)
    ones = (1 << bits) - 1
    yield ones - 1, ones - 1, ones
    yield 0, ones - 1, ones
    yield 1, 1, top + 1
    n = ones - (1 << (bits // 2))
    yield n - 1, 1, n
    yield n - 1, (1 << word) - 1 << (bits - 2 * word), n
