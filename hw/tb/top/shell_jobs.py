# SPDX-License-Identifier: Apache-2.0
"""Jobs for the adding core of this folder, and what it must answer."""

from garner_hw.drivers.host import EXPONENTIATE, LOAD_KEY, LOAD_MODULUS, MULTIPLY, PRIVATE

MASK = 0xFFFF_FFFF


def words(random, count: int) -> list[int]:
    return [random.getrandbits(32) for _ in range(count)]


def key_words(random, count: int = 9) -> list[int]:
    return [random.getrandbits(32) | 1, *words(random, count - 1)]


def expected(op: int, operands: list[int], key: int) -> list[int]:
    if op == MULTIPLY:
        half = len(operands) // 2
        return [(operands[i] + operands[half + i] + key) & MASK for i in range(half)]
    if op == EXPONENTIATE:
        return [(sum(operands) + key) & MASK]
    if op == PRIVATE:
        return [(word + key + i) & MASK for i, word in enumerate(operands)]
    assert op in (LOAD_MODULUS, LOAD_KEY)
    return []


def random_job(random, keys: dict[int, int], longest: int = 64) -> tuple[int, int, list[int], list[int]]:
    """Operation, slot, operands and result of a job that ends well."""
    op = random.choice((MULTIPLY, EXPONENTIATE, PRIVATE))
    slot = random.choice(list(keys))
    count = random.choice((2, 4, 2 * random.randint(1, longest // 2)))
    operands = words(random, count)
    return op, slot, operands, expected(op, operands, keys[slot])
