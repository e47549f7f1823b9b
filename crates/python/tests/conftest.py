# SPDX-License-Identifier: Apache-2.0
"""Keys of both sides: cryptography's, which is the oracle, and the same of Garner's."""

from functools import cache
from typing import NamedTuple

import pytest
from cryptography.hazmat.primitives.asymmetric import rsa

import garner

# 1031 and 2049 bits: the modulus does not end where a byte does, and the encoding of PSS is a byte shorter.
SIZES = [1024, 1031, 1536, 2048, 2049, 3072, 4096]


class Pair(NamedTuple):
    """One key twice."""

    theirs: rsa.RSAPrivateKey
    ours: garner.PrivateKey


@cache
def pair(bits: int) -> Pair:
    theirs = rsa.generate_private_key(65537, bits)
    return Pair(theirs, garner.PrivateKey.from_cryptography(theirs))


@pytest.fixture(params=SIZES)
def keys(request: pytest.FixtureRequest) -> Pair:
    """Each size in turn."""
    return pair(request.param)


@pytest.fixture
def key() -> garner.PrivateKey:
    """Some key, small: for tests of something else."""
    return pair(1024).ours
