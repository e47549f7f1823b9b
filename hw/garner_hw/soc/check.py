# SPDX-License-Identifier: Apache-2.0
"""Operations with random operands on a running system, each answer compared with big integers on the host."""

import math
import random

from garner_hw import CommandError
from garner_hw.model.rsa import Key, is_prime
from garner_hw.soc.system import Answer, Refused, System, meaning


class Wrong(CommandError):
    """An answer that is not what it must be."""


def exp(system: System, level: str, scheme: str, bits: int, exponent: int | None = None) -> Answer:
    n = 1 << bits - 1 | random.getrandbits(bits) | 1
    base = random.choice([0, 1, n - 1]) if random.random() < 0.1 else random.randrange(n)
    exponent = 1 << bits - 1 | random.getrandbits(bits) if exponent is None else exponent
    answer = system.exp(level, scheme, bits, n, base, exponent)
    return compared(answer, pow(base, exponent, n), f"{level} {scheme} n={n:#x} base={base:#x} exponent={exponent:#x}")


def private(system: System, level: str, bits: int) -> Answer:
    key = Key.generate(bits)
    m = random.randrange(key.n)
    return compared(system.private(level, key, m), pow(m, key.d, key.n), f"{level} {key} m={m:#x}")


def mbedtls(system: System, level: str, bits: int, blinding: bool = True) -> Answer:
    """The private operation of mbedTLS on a system that has it."""
    key = Key.generate(bits)
    m, seed = random.randrange(key.n), random.randrange(1, 1 << 31) if blinding else 0
    try:
        answer = system.mbedtls(level, key, m, seed, random.randrange(2, key.n))
    except Refused as refused:
        if "refused key or m" not in str(refused):
            raise
        # The firmware cannot tell; here both are known to be good.
        raise Refused(f"mbedTLS refused what it had computed at level {level}: key and m are good, so a power was wrong") from None
    return compared(answer, pow(m, key.d, key.n), f"mbedTLS {level} {key} m={m:#x} {seed=}")


def public(system: System, level: str, bits: int) -> Answer:
    """The public operation of mbedTLS on a system that has it."""
    key = Key.generate(bits)
    m = random.randrange(key.n)
    return compared(system.public(level, key, m), pow(m, key.e, key.n), f"mbedTLS public {level} {key} m={m:#x}")


def keygen(system: System, level: str, bits: int, seed: int, how: str) -> Answer:
    """A key that the system makes, held against FIPS 186-5, A.1.1 and A.1.3."""
    answer = system.keygen(level, bits, seed, how)
    p, q = divmod(answer.value, 1 << bits // 2)
    d = pow(65537, -1, math.lcm(p - 1, q - 1)) if math.gcd(65537, (p - 1) * (q - 1)) == 1 else 0
    if not (is_prime(p) and is_prime(q) and p * p >> bits - 1 and q * q >> bits - 1 and (p * q).bit_length() == bits
            and abs(p - q) >> bits // 2 - 100 and d >> bits // 2):
        raise Wrong(f"keygen {level}, {bits} bits, {seed=}, {how}: {p=:#x}, {q=:#x} make no key of FIPS 186-5")
    return answer


def twin(system: System, bits: int, count: int) -> Answer:
    """Random products by the multiplier and by its twin in C, on the system: no slot may differ at the end."""
    n = 1 << bits - 1 | random.getrandbits(bits) | 1
    seed = random.getrandbits(31)
    answer = system.twin(bits, count, seed, n)
    if answer.status:
        raise Wrong(f"twin seed={seed} n={n:#x}: the multiplier failed, nothing was compared: {meaning(answer.status)} "
                    f"(status {answer.status})")
    return compared(answer, 0, f"twin seed={seed} n={n:#x}, slots that differ")


def toy(system: System, hardware: bool, count: int) -> Answer:
    """FIU's RSA of `count` bytes: their ciphers' hash, as hw/soc/firmware/toy_rsa.h has it."""
    seed = state = random.randrange(1, 1 << 32)
    expected = 0
    for _ in range(count):
        state ^= state << 13 & 0xFFFFFFFF
        state ^= state >> 17
        state ^= state << 5 & 0xFFFFFFFF
        expected = (31 * expected + pow(state & 0xFF, 7, 60491)) % (1 << 32)
    return compared(system.toy(hardware, count, seed), expected, f"toy RSA, {hardware=}, {count} bytes, {seed=}")


def compared(answer: Answer, expected: int, operands: str) -> Answer:
    if answer.value != expected:
        raise Wrong(f"{operands}: the system says {answer.value:#x}, it is {expected:#x}")
    return answer
