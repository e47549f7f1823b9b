# SPDX-License-Identifier: Apache-2.0
"""The golden model: results are right and every step's bounds hold, over keys, word widths and array sizes."""

import random

import pytest
from garner_hw.model.rsa import Key, LoadedKey


@pytest.mark.parametrize("width, rows", [(18, 15), (17, 8), (16, 1),
                                         *(pytest.param(*other, marks=pytest.mark.soak) for other in ((18, 8), (18, 29)))])
@pytest.mark.parametrize("bits", [512, 576, 1024, 1536])
def test_private_operation_stays_within_the_words(width, rows, bits):
    key = Key.generate(bits, random.choice([3, 17, 65537, (1 << 32) - 5]))
    loaded = LoadedKey(key, width, rows, random.choice([3, 4, 5]))
    for m in (0, 1, key.n - 1, key.p, key.q, random.randrange(key.n)):
        assert loaded.private(m) == pow(m, key.d, key.n)


def test_wrong_crt_part_is_found():
    key = Key.generate(512)
    for part in ("dp", "dq", "qinv"):
        wrong = Key(**{**key.__dict__, part: getattr(key, part) ^ 4})
        with pytest.raises(AssertionError, match="StatusCheckFailed"):
            LoadedKey(wrong, 18, 15).private(random.randrange(2, key.n))
