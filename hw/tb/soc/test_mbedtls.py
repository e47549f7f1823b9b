# SPDX-License-Identifier: Apache-2.0
"""mbedTLS on the system, at every level, and what it does when key, operand or accelerator are wrong."""

import random
from functools import partial

import pytest

from garner_hw import CommandError
from garner_hw.model.rsa import Key
from garner_hw.soc import KEYGEN, build, check
from garner_hw.soc.system import RSA, TIMEOUT, Refused, System

(BAD_LENGTH,) = RSA.statuses.of("BadLength")


@pytest.fixture(scope="module")
def built():
    try:
        build.firmware("2.28")
    except CommandError as error:
        pytest.skip(f"no mbedTLS: {error}")


@pytest.fixture(scope="module")
def system(built):
    with System(mbedtls="2.28") as running:
        yield running


def operation(system: System, level: str, key: Key, m: int):
    return system.mbedtls(level, key, m, random.randrange(1, 1 << 31), random.randrange(2, key.n))


@pytest.mark.parametrize("level, bits", [("software", 512), ("mul", 512), ("exp", 1024), ("op", 512), ("op", 1024)])
def test_private_operation_says_what_the_host_says(system, level, bits):
    answer = check.mbedtls(system, level, bits)
    assert answer.fallback == 0 and (answer.core > 0) == (level != "software"), answer


@pytest.mark.parametrize("level, bits", [pytest.param("software", 512, marks=pytest.mark.soak), ("mul", 512), ("op", 512)])
def test_private_operation_of_the_long_term_release_says_what_the_host_says(level, bits):
    try:
        build.firmware("3.6")
    except CommandError as error:
        pytest.skip(f"no mbedTLS 3.6: {error}")
    with System(mbedtls="3.6") as system:
        answer = check.mbedtls(system, level, bits)
    assert answer.fallback == 0 and (answer.core > 0) == (level != "software"), answer


@pytest.mark.soak
@pytest.mark.parametrize("level, bits", [("software", 1024), ("mul", 1024), ("mul", 2048), ("exp", 2048), ("op", 2048)])
def test_long_keys_say_what_the_host_says(system, level, bits):
    assert check.mbedtls(system, level, bits).fallback == 0


@pytest.mark.parametrize("level", ["software", "mul", "exp"])
def test_public_operation_says_what_the_host_says(system, level):
    answer = check.public(system, level, 1024)
    assert answer.fallback == 0 and (answer.core > 0) == (level != "software"), answer


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
    with System(fault="hang", mbedtls="2.28") as system:
        for level in ("mul", "op"):
            assert check.mbedtls(system, level, 512).status == TIMEOUT


def test_corrupted_powers_never_become_a_signature(built):
    """mbedTLS raises what it has computed to e, by the same corrupted multiplier."""
    with System(fault="corrupt", mbedtls="2.28") as system, pytest.raises(Refused, match="a power was wrong"):
        check.mbedtls(system, "mul", 512)


@pytest.mark.parametrize("how", [pytest.param(how, marks=[pytest.mark.soak] * (how != "batched")) for how in KEYGEN])
def test_key_is_one_of_fips_186_5(system, how):
    assert check.keygen(system, "mul", 512, 7, how).fallback == 0


@pytest.mark.soak
def test_core_tests_candidates_while_the_processor_sieves_others(system):
    """Of the core's time only a part is the processor's: loading moduli, mostly. Seed 39 needs few powers."""
    answer = check.keygen(system, "exp", 1024, 39, "batched")
    assert answer.fallback == 0 and answer.load == 24, answer  # 8 rounds for each prime, 7 composites, qinv
    assert answer.core > 0.95 * 24 * 150_000 and answer.in_powers < 0.3 * answer.core, answer


@pytest.mark.soak  # 130 and 50 million cycles of software, twice: the core takes no modulus of 256 bits
@pytest.mark.parametrize("how", KEYGEN)
def test_key_is_the_same_whoever_does_its_powers(system, how):
    software, multiplier, core = (check.keygen(system, level, 512, 7, how) for level in ("software", "mul", "exp"))
    assert software.value == multiplier.value == core.value and software.load > 2
    assert multiplier.load == core.load == software.load + (how == "batched"), "qinv is a power at mul and exp"
    assert core.status == BAD_LENGTH


def test_command_without_memory_is_refused_and_leaves_the_program_whole(built, monkeypatch):
    """The C library says by errno that there is none."""
    firmware = partial(build.firmware, memory=208 * 1024)  # of which the heap has nothing
    monkeypatch.setattr(build, "firmware", firmware)
    with System(mbedtls="2.28") as system:
        with pytest.raises(Refused):
            check.mbedtls(system, "op", 512)
        assert system.command("read 0") == firmware("2.28").read_text().split()[0]
        assert check.exp(system, "software", "l2r", 64).fallback == 0


def test_reset_gives_back_what_the_program_had_of_the_heap(built, monkeypatch):
    """Memory keeps what it holds over a reset, so initialised data has to be made anew."""
    monkeypatch.setattr(build, "firmware", partial(build.firmware, memory=220 * 1024))  # enough for some ten operations' keys
    with System(mbedtls="2.28", resets=20) as system:
        for _ in range(20):
            check.mbedtls(system, "op", 512)
            system.reset()
        check.mbedtls(system, "op", 512)


@pytest.mark.parametrize("line, why", [
    ("keygen 1 448 7 1", "BITS is no multiple"), ("keygen 1 2112 7 1", "BITS is no multiple"), ("keygen 3 512 7 1", "no such LEVEL"),
    ("keygen 1 512 7 2", "no such LEVEL or HOW"), ("keygen 1 512 7", "HOW is missing"), ("keygen 1 512 -7 1", "no decimal number"),
    ("mbedtls 3 1o24 7", "no decimal number"), ("public 3 512", "no such LEVEL"), ("public 0", "BITS is missing"),
    ("public 0 500", "BITS is no multiple"), ("public 0 512 5 3 2", "n is shorter than BITS"), ("public 0 512", "n, e or m is missing")])
def test_commands_that_cannot_be_done_are_refused(system, line, why):
    with pytest.raises(Refused, match=why):
        system.command(line)


@pytest.mark.soak  # every power in software, after the core's patience
def test_hung_core_makes_a_key_in_software(built):
    with System(fault="hang", mbedtls="2.28") as system:
        answer = check.keygen(system, "exp", 1024, 39, "batched")
        assert answer.status == TIMEOUT and answer.core == 0


@pytest.mark.soak  # until the limit of cycles: no candidate passes
@pytest.mark.parametrize("how", KEYGEN)
def test_corrupted_powers_never_become_a_key(built, how):
    with System(fault="corrupt", mbedtls="2.28", cycles=400_000_000) as system, pytest.raises(CommandError):
        check.keygen(system, "mul", 512, 7, how)
