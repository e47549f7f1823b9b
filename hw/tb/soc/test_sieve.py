# SPDX-License-Identifier: Apache-2.0
"""The sieve of key generation, compiled for the host, against trial division by Python."""

import ctypes
import random
import subprocess

import pytest

from garner_hw.soc.build import FIRMWARE, MBEDTLS

LIMIT = 8192
PRIMES = [n for n in range(3, LIMIT, 2) if all(n % d for d in range(3, int(n**0.5) + 1, 2))]
between = ctypes.CFUNCTYPE(None)(lambda: None)


@pytest.fixture(scope="module")
def sieve(tmp_path_factory):
    library = tmp_path_factory.mktemp("sieve") / "sieve.so"
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", f"-I{FIRMWARE}", f"-I{MBEDTLS}", MBEDTLS / "sieve.c",
                    FIRMWARE / "number.c", "-o", library], check=True)
    loaded = ctypes.CDLL(str(library))
    loaded.sieve_begin()

    def passes(x: int, words: int) -> bool:
        return bool(loaded.sieve_passes((ctypes.c_uint32 * words)(*(x >> 32 * i & 0xFFFFFFFF for i in range(words))),
                                        words, between))

    return passes


@pytest.mark.parametrize("words", [8, 32])
def test_random_numbers_pass_as_by_trial_division(sieve, words):
    passed = 0
    for _ in range(2000):
        x = random.getrandbits(32 * words) | 1
        expected = all(x % prime for prime in PRIMES)
        assert sieve(x, words) == expected, hex(x)
        passed += expected
    assert 180 < passed < 320  # 12.5 of 100 odd numbers have no divisor below 8,192


def test_every_prime_is_seen_alone(sieve):
    """A number whose only small divisor is this prime."""
    bits = 256
    for prime in PRIMES:
        while True:
            factor = random.getrandbits(bits - 14) | 1
            if all(factor % other for other in PRIMES):
                break
        assert sieve(factor, bits // 32) and not sieve(factor * prime, bits // 32), prime


def test_numbers_at_the_edges(sieve):
    everything = 1
    for prime in PRIMES:
        if (everything * prime).bit_length() > 1024:
            break
        everything *= prime
    assert not sieve(everything, 32)
    assert sieve((1 << 521) - 1, 17)  # a Mersenne prime: words of ones
    assert sieve((1 << 607) - 1, 19)
