# SPDX-License-Identifier: Apache-2.0
"""Descriptors of RSA jobs."""

from garner_hw.drivers.host import LOAD_KEY, PRIVATE, Host
from garner_hw.model.rsa import Key


def words(value: int, bits: int) -> list[int]:
    return [value >> 32 * i & 0xFFFF_FFFF for i in range(-(-bits // 32))]


def number(words_: list[int]) -> int:
    return sum(word << 32 * i for i, word in enumerate(words_))


def load_key(host: Host, key: Key, slot: int, **options: int | None) -> bytes:
    half = key.bits // 2
    operands = words(key.n, key.bits) + words(key.e, 32)
    for part in (key.p, key.q, key.dp, key.dq, key.qinv):
        operands += words(part, half)
    return host.descriptor(LOAD_KEY, operands, slot=slot, bits=key.bits, **options)


def private(host: Host, key: Key, m: int, slot: int, **options: int | None) -> bytes:
    return host.descriptor(PRIVATE, words(m, key.bits), key.bits // 32, slot=slot, **options)
