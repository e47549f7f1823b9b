# SPDX-License-Identifier: Apache-2.0
"""Operations with random operands on a running system, each answer compared with big integers on the host."""

import random

from garner_hw import CommandError
from garner_hw.model.rsa import Key
from garner_hw.soc.system import Answer, System


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


def twin(system: System, bits: int, count: int) -> Answer:
    """Random products by the multiplier and by its twin in C, on the system: no slot may differ at the end."""
    n = 1 << bits - 1 | random.getrandbits(bits) | 1
    seed = random.getrandbits(31)
    return compared(system.twin(bits, count, seed, n), 0, f"twin seed={seed} n={n:#x}, slots that differ")


def compared(answer: Answer, expected: int, operands: str) -> Answer:
    if answer.value != expected:
        raise Wrong(f"{operands}: the system says {answer.value:#x}, it is {expected:#x}")
    return answer
