# SPDX-License-Identifier: Apache-2.0
"""The golden model of `rsa_core`: every job as the microprogram does it, on big integers, with the bounds of each step.

Numbers are big integers, but each step asserts what the hardware relies on: no operand exceeds the words that `mont`
and the word ALU have for it, no signed value the accumulator's. `test_model.py` runs it on many keys; the tests of the
core compare results with `pow`, not with this model, and cycle counts with `operations`.
"""

import math
import random
from dataclasses import dataclass, field

SMALL_PRIMES = [3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]


def is_prime(n: int) -> bool:
    """Miller-Rabin, 16 random bases: enough for test keys."""
    if any(n % p == 0 for p in SMALL_PRIMES):
        return n in SMALL_PRIMES
    d, s = n - 1, 0
    while d % 2 == 0:
        d, s = d // 2, s + 1
    for _ in range(16):
        x = pow(random.randrange(2, n - 1), d, n)
        if x in (1, n - 1):
            continue
        for _ in range(s - 1):
            x = x * x % n
            if x == n - 1:
                break
        else:
            return False
    return True


@dataclass
class Key:
    """An RSA key; all operands of OpLoadKey in the order of the stream."""

    bits: int
    n: int
    e: int
    p: int
    q: int
    dp: int
    dq: int
    qinv: int
    d: int = field(repr=False)

    @staticmethod
    def generate(bits: int, e: int = 65537) -> "Key":
        def prime() -> int:
            while True:
                p = random.getrandbits(bits // 2) | 1 | 1 << (bits // 2 - 1)
                if math.gcd(p - 1, e) == 1 and is_prime(p):
                    return p

        while True:
            p, q = prime(), prime()
            if p != q and (p * q).bit_length() == bits:
                break
        d = pow(e, -1, (p - 1) * (q - 1))
        return Key(bits, p * q, e, p, q, d % (p - 1), d % (q - 1), pow(q, -1, p), d)


@dataclass
class Sizes:
    """What `rsa_sizes` counts: words of an operand, passes, digits = passes * rows."""

    bits: int
    width: int
    rows: int

    @property
    def words(self) -> int:
        return -(-(self.bits + self.width + 2) // self.width)

    @property
    def passes(self) -> int:
        return -(-self.words // self.rows)

    @property
    def digits(self) -> int:
        return self.passes * self.rows

    @property
    def radix_doublings(self) -> int:
        """From 2^(W*(words-3)), which is below the modulus, to R^2."""
        return self.width * (2 * self.digits - self.words + 3)


class Modulus:
    """A prepared modulus: Orup's scaled modulus and R^2, computed as the word ALU does."""

    def __init__(self, n: int, bits: int, width: int, rows: int) -> None:
        assert n % 2 == 1 and n.bit_length() == bits
        self.n, self.sizes, self.width = n, Sizes(bits, width, rows), width
        self.r = 1 << (width * self.sizes.digits)
        self.space = 1 << (width * self.sizes.words)           # what an operand's words hold
        self.accumulator = 1 << (width * (self.sizes.words + 1) - 1)  # bound of |value| in the ALU
        self.multiplications = 0

        a, mu = 1, 0
        for i in range(width):                                  # 1 + n*mu = 0 mod 2^W, a bit a cycle
            mu |= (a & 1) << i
            a = (a + (n % (1 << width) if a & 1 else 0)) >> 1
        self.scaled = 0
        for i in reversed(range(width)):
            self.scaled = self.signed(2 * self.scaled + (n if mu >> i & 1 else 0))
        assert self.scaled == n * mu and (self.scaled + 1) % (1 << width) == 0
        assert self.r > 4 * self.scaled and self.space > 4 * self.scaled

        x = 1 << (width * (self.sizes.words - 3))
        assert x < n
        for _ in range(self.sizes.radix_doublings):
            x = self.signed(2 * x + (n if x < 0 else -n))
            assert -n < x < n
        self.r2 = x + n if x < 0 else x
        assert self.r2 == self.r * self.r % n

    def signed(self, value: int) -> int:
        assert -self.accumulator <= value < self.accumulator
        return value

    def multiply(self, a: int, b: int, wide: bool = False) -> int:
        """mont: a*b/R, with twice the passes if `wide` (then a may be as long as two operands)."""
        r = self.r * self.r if wide else self.r
        assert 0 <= a < r and 0 <= b < self.space
        if not wide:
            assert a < self.space
        self.multiplications += 2 if wide else 1
        result = (a * b + (-a * b * pow(self.scaled, -1, r)) % r * self.scaled) // r
        assert result < 2 * self.scaled, "the next multiplication could overflow"
        return result

    def canonical(self, value: int) -> int:
        """value mod n for value < 2^(W+1) * n: non-restoring division by n * 2^W, one bit a pass."""
        d = self.n << self.width
        assert 0 <= value < 2 * d
        value = self.signed(value - d)
        for _ in range(self.width):
            value = self.signed(2 * value + (d if value < 0 else -d))
            assert -d <= value < d
        value = value + d if value < 0 else value
        assert value % (1 << self.width) == 0
        return value >> self.width

    def power(self, x: int, one: int, exponent: int, bits: int, window: int) -> int:
        """Fixed window from the top; the last digit takes what is left."""
        table = [one, x]
        while len(table) < 1 << window:
            table.append(self.multiply(x, table[-1]))
        take = min(window, bits)
        left = bits - take
        accumulator = table[exponent >> left]
        while left:
            take = min(window, left)
            for _ in range(take):
                accumulator = self.multiply(accumulator, accumulator)
            left -= take
            accumulator = self.multiply(accumulator, table[exponent >> left & ((1 << take) - 1)])
        return accumulator


class LoadedKey:
    """What a key slot holds after OpLoadKey, and OpPrivate on it."""

    def __init__(self, key: Key, width: int, rows: int, window: int = 5) -> None:
        self.key, self.window = key, window
        self.n = Modulus(key.n, key.bits, width, rows)
        self.p = Modulus(key.p, key.bits // 2, width, rows)
        self.q = Modulus(key.q, key.bits // 2, width, rows)
        n = self.n
        cp = n.multiply(n.multiply(n.multiply(key.q, n.r2), key.qinv), n.r2)  # R * q * (q^-1 mod p)
        cq = n.signed(n.multiply(1, n.r2) - cp)
        cq = n.signed(n.signed(cq + n.scaled) + n.scaled)                      # R * (1 - cp)
        assert 0 <= cq < n.space
        self.cp, self.cq = cp, cq

    def half(self, modulus: Modulus, m: int, exponent: int) -> int:
        one = modulus.multiply(1, modulus.r2)
        x = modulus.multiply(m, modulus.multiply(modulus.r2, modulus.r2), wide=True)
        result = modulus.multiply(modulus.power(x, one, exponent, self.key.bits // 2, self.window), 1)
        assert result <= modulus.scaled
        return result

    def private(self, m: int) -> int:
        n, key = self.n, self.key
        assert n.signed(m - key.n) < 0
        sp = self.half(self.p, m, key.dp)
        sq = self.half(self.q, m, key.dq)
        redundant = n.signed(n.multiply(sp, self.cp) + n.multiply(sq, self.cq))
        s = n.canonical(redundant)
        x = check = n.multiply(s, n.r2)
        for i in reversed(range(key.e.bit_length() - 1)):
            check = n.multiply(check, check)
            if key.e >> i & 1:
                check = n.multiply(check, x)
        assert n.canonical(n.multiply(check, 1)) == m, "StatusCheckFailed"
        return s


def products_at_best(bits: int, width: int = 18) -> int:
    """Word products of a private operation at best: CRT, windows of 5 bits, squaring symmetry. U_op's numerator."""
    s = -(-(bits // 2) // width)
    squarings, multiplications = bits // 2, -(-(bits // 2) // 5) + 30
    return int(2 * (squarings * (1.5 * s * s + 1.5 * s) + multiplications * (2 * s * s + s)))
