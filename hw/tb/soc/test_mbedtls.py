# SPDX-License-Identifier: Apache-2.0
"""mbedTLS on the system, at every level, and what it does when key, operand or accelerator are wrong."""

import random

import pytest

from garner_hw import CommandError
from garner_hw.model.rsa import Key
from garner_hw.soc import build, check
from garner_hw.soc.system import Refused, System

TIMEOUT, BAD_LENGTH = 0x100, 4


@pytest.fixture(scope="module")
def built():
    try:
        build.firmware(mbedtls=True)
    except CommandError as error:
        pytest.skip(f"no mbedTLS: {error}")


@pytest.fixture(scope="module")
def system(built):
    with System(mbedtls=True) as running:
        yield running


def operation(system: System, level: str, key: Key, m: int):
    return system.mbedtls(level, key, m, random.randrange(1, 1 << 31), random.randrange(2, key.n))


@pytest.mark.parametrize("level, bits", [("software", 512), ("mul", 512), ("exp", 1024), ("op", 512), ("op", 1024)])
def test_private_operation_says_what_the_host_says(system, level, bits):
    answer = check.mbedtls(system, level, bits)
    assert answer.fallback == 0 and (answer.core > 0) == (level != "software"), answer


@pytest.mark.soak
@pytest.mark.parametrize("level, bits", [("software", 1024), ("mul", 1024), ("mul", 2048), ("exp", 2048), ("op", 2048)])
def test_long_keys_say_what_the_host_says(system, level, bits):
    assert check.mbedtls(system, level, bits).fallback == 0


@pytest.mark.parametrize("m", [0, 1, -1])
def test_messages_at_the_edges(system, m):
    key = Key.generate(512)
    assert operation(system, "op", key, m % key.n).value == pow(m % key.n, key.d, key.n)


def test_primes_shorter_than_the_core_takes_are_done_in_software_and_said(system):
    assert check.mbedtls(system, "exp", 512).status == BAD_LENGTH


@pytest.mark.parametrize("level, part", [("op", "p"), ("mul", "p"), ("mul", "qinv"), ("mul", "dp")])
def test_key_with_a_wrong_part_gives_no_signature(system, level, part):
    key = Key.generate(512)
    setattr(key, part, getattr(key, part) ^ 2)
    with pytest.raises(Refused, match="mbedTLS refused"):
        operation(system, level, key, random.randrange(key.n))


@pytest.mark.parametrize("level", ["op", "mul"])
def test_message_not_below_n_is_refused(system, level):
    key = Key.generate(512)
    with pytest.raises(Refused, match="mbedTLS refused"):
        operation(system, level, key, key.n)


def test_unblinded_operation_is_right_too(system):
    check.mbedtls(system, "mul", 512, blinding=False)


def test_hung_accelerators_are_given_up_and_software_answers(built):
    with System(fault="hang", mbedtls=True) as system:
        for level in ("mul", "op"):
            assert check.mbedtls(system, level, 512).status == TIMEOUT


def test_corrupted_powers_never_become_a_signature(built):
    """mbedTLS raises what it has computed to e, by the same corrupted multiplier."""
    with System(fault="corrupt", mbedtls=True) as system, pytest.raises(Refused, match="mbedTLS refused"):
        check.mbedtls(system, "mul", 512)


def test_key_is_one_of_fips_186_5(system):
    assert check.keygen(system, "mul", 512, seed=7).fallback == 0


@pytest.mark.soak  # 130 million cycles of software, twice: the core takes no modulus of 256 bits
def test_key_is_the_same_whoever_does_its_powers(system):
    software, multiplier, core = (check.keygen(system, level, 512, seed=7) for level in ("software", "mul", "exp"))
    assert software.value == multiplier.value == core.value and software.load == multiplier.load > 2
    assert core.status == BAD_LENGTH


@pytest.mark.parametrize("line", ["keygen 1 448 7", "keygen 1 2112 7", "keygen 3 512 7"])
def test_keys_that_cannot_be_made_are_refused(system, line):
    with pytest.raises(Refused, match="BITS is no multiple|no such LEVEL"):
        system.command(line)


@pytest.mark.soak  # until the limit of cycles: no candidate passes
def test_corrupted_powers_never_become_a_key(built):
    with System(fault="corrupt", mbedtls=True, cycles=400_000_000) as system, pytest.raises(CommandError):
        check.keygen(system, "mul", 512, seed=7)
