# SPDX-License-Identifier: Apache-2.0
"""What `mont` computes, in big integers."""

import random
from dataclasses import dataclass
from math import ceil


def to_words(value: int, count: int, w: int) -> list[int]:
    assert 0 <= value < 1 << w * count
    return [value >> w * i & (1 << w) - 1 for i in range(count)]


def from_words(words: list[int], w: int) -> int:
    return sum(word << w * i for i, word in enumerate(words))


@dataclass(frozen=True)
class Sizes:
    """Of all operations of a run: modulus of `bits` bits, words of `w` bits, an array of `rows` rows."""
    bits: int
    w: int
    rows: int

    @property
    def words(self) -> int:
        return ceil((self.bits + self.w + 2) / self.w)

    @property
    def passes(self) -> int:
        return ceil(self.words / self.rows)

    @property
    def r(self) -> int:
        return 1 << self.w * self.rows * self.passes

    def bound(self) -> float:
        """The least cycles of an operation: 2s^2 + s word products over 2*rows multipliers."""
        s = ceil(self.bits / self.w)
        return (2 * s * s + s) / (2 * self.rows)


class Modulus:
    """n with the constants the array needs of it."""

    def __init__(self, n: int, sizes: Sizes) -> None:
        assert n & 1 and n.bit_length() == sizes.bits
        self.n, self.sizes = n, sizes
        self.scaled = n * (-pow(n, -1, 1 << sizes.w) % (1 << sizes.w))
        self.nb = (self.scaled + 1) >> sizes.w
        self._inverse = -pow(self.scaled, -1, sizes.r) % sizes.r

    def multiply(self, a: int, b: int) -> int:
        """The redundant result, to the bit: (a*b + q*N~) / R with the q that makes it whole."""
        product = a * b
        result = (product + (product * self._inverse % self.sizes.r) * self.scaled) // self.sizes.r
        assert result % self.n == product * pow(self.sizes.r, -1, self.n) % self.n
        assert result < 2 * self.scaled
        return result

    def operand(self) -> int:
        """Any that the contract allows, corners often."""
        corners = (0, 1, self.n - 1, self.n, self.scaled - 1, self.scaled, 2 * self.scaled - 1,
                   (1 << self.sizes.w * random.randrange(1, self.sizes.words)) - 1,      # carries through every word
                   1 << random.randrange(self.sizes.bits))
        value = random.choice(corners) if random.random() < 0.3 else random.randrange(2 * self.scaled)
        return min(value, 2 * self.scaled - 1)


def random_modulus(sizes: Sizes) -> Modulus:
    """Odd, of `sizes.bits` bits; sometimes with long runs of ones or zeros."""
    top = 1 << sizes.bits - 1
    kind = random.random()
    if kind < 0.15:
        n = 2 * top - 1 - 2 * random.getrandbits(4)
    elif kind < 0.3:
        n = top + 1 + 2 * random.getrandbits(4)
    else:
        n = top | random.getrandbits(sizes.bits) | 1
    return Modulus(n, sizes)
