# SPDX-License-Identifier: Apache-2.0
"""rsa_core from outside: every job against `pow`, every refusal, faults, stalls, equal times. Erasure: core_erasure_tests.py."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from garner_hw.drivers.rsa import (BAD_LENGTH, BAD_MODULUS, BAD_OP, BAD_OPERAND, BAD_SLOT, CHECK_FAILED, EMPTY_SLOT,
                                   EXPONENTIATE, FIXED, LEFT_TO_RIGHT, LOAD_KEY, LOAD_MODULUS, MULTIPLY, OK,
                                   RIGHT_TO_LEFT, SLIDING, Driver, Job, words32)
from garner_hw.model.rsa import Key
from garner_hw.simulate import simulate
from garner_hw.sources import sources
from tb.rsa.core_shared import LIMIT, PARAMETERS, SMALL_KEY, modulus, of_length, radix, slot_words, started, still_works, stride


@pytest.mark.parametrize("rows, w, tests", [
    (8, 18, ""), pytest.param(20, 17, "private_.*are_right|multi.*are_right|every_memory", marks=pytest.mark.soak),
    pytest.param(20, 17, "exponentiations", marks=pytest.mark.soak),
    pytest.param(4, 16, "private_.*are_right|multi.*are_right|exponentiations", marks=pytest.mark.soak)])
def test_rsa_core(rows, w, tests):
    simulate("rsa_core", sources("rsa_core"), (__name__, "tb.rsa.core_erasure_tests"), {"Rows": rows, "W": w, **PARAMETERS},
             {"ROWS": str(rows), "W": str(w), "COCOTB_TEST_FILTER": tests}, inside=("ram", "fifo"))


@cocotb.test(**LIMIT)
async def private_operations_are_right_for_all_inputs_and_lengths(dut):
    driver = await started(dut)
    for bits, e in ((512, 3), random.choice(((576, 17), (768, 65537))), (1024, 65537), (512, (1 << 32) - 1)):
        key = Key.generate(bits, e)
        if random.random() < 0.5:  # p may be the larger prime or the smaller
            key = Key(bits, key.n, e, key.q, key.p, key.dq, key.dp, pow(key.p, -1, key.q), key.d)
        slot = random.randrange(2)
        await driver.load(Job.load_key(key, slot))
        corners = (0, 1, key.n - 1, key.p, key.q, key.n - key.p)
        for m in (*random.sample(corners, 3 if bits == 512 else 1), random.randrange(key.n), random.randrange(key.n)):
            answer = await driver.run(Job.private(m, bits, slot))
            assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n)), (key, m)


@cocotb.test(**LIMIT)
async def exponentiations_of_every_scheme_are_right(dut):
    driver = await started(dut)
    for bits in (512, 576, 1024):
        n = modulus(bits)
        await driver.load(Job.load_modulus(n))
        cases = [(1, 1), (1, 0), (5, 31), (6, 32), (17, 65537 & 0x1FFFF), (18, 1), (19, 1 << 18), (64, 0),
                 (72, (1 << 72) - 1), (random.randrange(20, 100), 0)]
        for exponent_bits, exponent in random.sample(cases, 2) + [(random.randrange(80, 200), None)]:
            if exponent is None or exponent_bits >= 64 and exponent == 0 and random.random() < 0.5:
                exponent = random.getrandbits(exponent_bits)
            for scheme in (FIXED, LEFT_TO_RIGHT, RIGHT_TO_LEFT, SLIDING):
                base = random.choice((0, 1, n - 1, random.randrange(n), random.randrange(n)))
                answer = await driver.run(Job.exponentiate(base, exponent, exponent_bits, bits, scheme))
                assert (answer.status, answer.value) == (OK, pow(base, exponent, n)), (bits, exponent_bits, scheme)
    exponent = random.getrandbits(1024)
    base = random.randrange(n)
    answer = await driver.run(Job.exponentiate(base, exponent, 1024, bits, FIXED))
    assert (answer.status, answer.value) == (OK, pow(base, exponent, n))


@cocotb.test(**LIMIT)
async def multiplications_are_right(dut):
    driver = await started(dut)
    for bits in (512, 640, 1024):
        n = modulus(bits)
        await driver.load(Job.load_modulus(n, 1))
        inverse = pow(radix(bits), -1, n)
        for _ in range(25):
            a, b = (random.choice((0, 1, n - 1, random.randrange(n), random.randrange(n))) for _ in range(2))
            answer = await driver.run(Job.multiply(a, b, bits, 1))
            assert (answer.status, answer.value) == (OK, a * b * inverse % n)


@cocotb.test(**LIMIT)
async def streams_that_stall_change_nothing(dut):
    driver = await started(dut, stall=0.3)
    for bits in (512, 576):
        key = Key.generate(bits)
        await driver.load(Job.load_key(key))
        m = random.randrange(key.n)
        assert (await driver.run(Job.private(m, bits))).value == pow(m, key.d, key.n)
        for _ in range(10):
            a, b = random.randrange(key.n), random.randrange(key.n)
            answer = await driver.run(Job.multiply(a, b, bits))
            assert answer.value == a * b * pow(radix(bits), -1, key.n) % key.n


async def refused(driver: Driver, job: Job, status: int):
    answer = await driver.run(job)
    assert (answer.status, answer.value) == (status, None), job


async def is_right(driver: Driver, key: Key, m: int):
    assert (await driver.run(Job.private(m, key.bits))).value == pow(m, key.d, key.n)


async def other_slot_lives(driver: Driver):
    """Slot 1, with a modulus of 512 bits."""
    assert (await driver.run(Job.exponentiate(5, 3, 2, 512, slot=1))).value == 125


@cocotb.test(**LIMIT)
async def an_unknown_operation_is_refused_whatever_its_slot(dut):
    driver = await started(dut, stall=0.05)
    for op in (0, 7, 15):
        await refused(driver, Job(op, [1, 2, 3]), BAD_OP)
        await refused(driver, Job(op, [1], slot=200), BAD_OP)
    await still_works(driver)


@cocotb.test(**LIMIT)
async def a_slot_that_is_not_there_or_holds_no_such_key_is_refused(dut):
    driver = await started(dut, stall=0.05)
    for job in (Job.load_key(SMALL_KEY, 2), Job.private(1, 512, 255), Job.zeroise(2), Job.multiply(1, 1, 512, 17)):
        await refused(driver, job, BAD_SLOT)
    for job in (Job.private(1, 512), Job.multiply(1, 1, 512, 1), Job.exponentiate(1, 1, 1, 512)):
        await refused(driver, job, EMPTY_SLOT)
    await driver.load(Job.load_modulus(SMALL_KEY.n, 1))
    await refused(driver, Job.private(1, 512, 1), EMPTY_SLOT)  # a modulus is not a key
    await other_slot_lives(driver)


@cocotb.test(**LIMIT)
async def a_length_that_was_not_built_is_refused(dut):
    driver = await started(dut, stall=0.05)
    await driver.load(Job.load_modulus(SMALL_KEY.n, 1))
    for bits in (0, 448, 511, 513, 544, 1088, 4096, 8128):
        await refused(driver, Job(LOAD_MODULUS, words32(SMALL_KEY.n, 512), bits=bits), BAD_LENGTH)
    for bits in (0, 1025, 8191):
        await refused(driver, Job(EXPONENTIATE, words32(1234, 512) + [3], slot=1, exponent_bits=bits), BAD_LENGTH)
    await other_slot_lives(driver)


@cocotb.test(**LIMIT)
async def a_stream_too_short_or_too_long_is_refused_and_leaves_no_key(dut):
    driver = await started(dut, stall=0.05)
    m, whole = words32(1234, 512), Job.load_key(SMALL_KEY).words
    await driver.load(Job.load_modulus(SMALL_KEY.n, 1))
    for count in (1, 15, 17, 40, len(whole) - 1):
        await refused(driver, Job(LOAD_KEY, whole[:count], bits=512), BAD_LENGTH)
    await refused(driver, Job(LOAD_KEY, whole + [0], bits=512), BAD_LENGTH)
    await refused(driver, Job.private(1, 512), EMPTY_SLOT)
    await refused(driver, Job(MULTIPLY, m + m[:-1], slot=1), BAD_LENGTH)
    await refused(driver, Job(MULTIPLY, m + m + m, slot=1), BAD_LENGTH)
    await refused(driver, Job(EXPONENTIATE, m, slot=1, exponent_bits=5), BAD_LENGTH)
    await other_slot_lives(driver)


@cocotb.test(**LIMIT)
async def a_modulus_that_is_even_or_short_of_a_bit_is_refused_and_leaves_no_key(dut):
    driver = await started(dut, stall=0.05)
    key = SMALL_KEY
    await refused(driver, Job.load_modulus(key.n + 1, bits=512), BAD_MODULUS)
    await refused(driver, Job.load_modulus(key.n >> 1 | 1, bits=512), BAD_MODULUS)
    for part in ("n", "p", "q"):
        for value in (getattr(key, part) ^ 1, getattr(key, part) >> 1 | 1):
            await refused(driver, Job.load_key(Key(**{**key.__dict__, part: value})), BAD_MODULUS)
    await refused(driver, Job.private(1, 512), EMPTY_SLOT)
    await still_works(driver)


@cocotb.test(**LIMIT)
async def an_operand_not_below_its_modulus_is_refused_and_the_key_stays(dut):
    driver = await started(dut, stall=0.05)
    key = SMALL_KEY
    await driver.load(Job.load_key(key))
    for value in (key.n, key.n + 1, (1 << 512) - 1):
        await refused(driver, Job.private(value, 512), BAD_OPERAND)
        await refused(driver, Job.exponentiate(value, 3, 2, 512), BAD_OPERAND)
        await refused(driver, Job.multiply(value, 1, 512), BAD_OPERAND)
        await refused(driver, Job.multiply(1, value, 512), BAD_OPERAND)
    await is_right(driver, key, 77)


@cocotb.test(**LIMIT)
async def a_zeroised_slot_is_empty_and_the_other_lives(dut):
    driver = await started(dut, stall=0.05)
    await driver.load(Job.load_key(SMALL_KEY))
    await driver.load(Job.load_modulus(SMALL_KEY.n, 1))
    await driver.load(Job.zeroise(0))
    await refused(driver, Job.private(1, 512), EMPTY_SLOT)
    await other_slot_lives(driver)
    await still_works(driver)


@cocotb.test(**LIMIT)
async def a_wrong_key_never_releases_a_result(dut):
    driver = await started(dut)
    for part in ("dp", "dq", "qinv", "e"):
        wrong = Key(**{**SMALL_KEY.__dict__, part: getattr(SMALL_KEY, part) ^ 2})
        await driver.load(Job.load_key(wrong))
        answer = await driver.run(Job.private(random.randrange(2, wrong.n), 512))  # run asserts that no word comes
        assert (answer.status, answer.value) == (CHECK_FAILED, None), part
    await still_works(driver)


@cocotb.test(**LIMIT)
async def a_flipped_bit_never_releases_a_result(dut):
    driver = await started(dut)
    key = SMALL_KEY
    failed = 0
    for memory in (dut.u_mont.u_operand_b, dut.u_mont.u_operand_a, dut.u_mont.u_modulus, dut.u_mont.u_sum, dut.u_keys):
        await driver.load(Job.load_key(key))
        m = random.randrange(2, key.n)
        job = cocotb.start_soon(driver.run(Job.private(m, 512)))
        await ClockCycles(dut.clk_i, 5000 + random.randrange(12000))  # in the halves
        # memories: the accumulator of context 0; Nb of context 1 (either copy); its sum; a word of dp
        words = {"u_modulus": len(memory.memory) // 2 + 3, "u_sum": 7, "u_keys": None}
        index = words.get(memory._name, 3)
        if index is None:
            full, half = 1024, 512
            w = int(os.environ["W"])
            full, half = (-(-(x + w + 2) // w) + 1 for x in (full, half))
            index = 1 + 5 * full + 4 * half + 2
        word = memory.memory[index]
        word.value = int(word.value) ^ 1 << random.randrange(int(os.environ["W"]))
        answer = await job
        assert answer.status == CHECK_FAILED or answer.value == pow(m, key.d, key.n), memory._name
        failed += answer.status == CHECK_FAILED
    assert failed >= 2, "the flips hit nothing"  # some meet a word that was to be overwritten, or had been used
    await still_works(driver)


@cocotb.test(**LIMIT)
async def a_bit_flipped_in_the_result_never_releases_it(dut):
    """In any word of either copy of s, from its being written to the last comparison, some 200 cycles before the end."""
    driver = await started(dut)
    key = SMALL_KEY
    await driver.load(Job.load_key(key))
    m = random.randrange(2, key.n)
    cycles = (await driver.run(Job.private(m, 512))).cycles
    words, room = of_length(512), of_length(PARAMETERS["MaxBits"]) + 1
    released = dut.u_keys, PARAMETERS["KeySlots"] * slot_words() + room  # FieldResult
    checked = dut.u_mont.u_operand_b, stride(512)                        # RegionA
    failed = 0
    moments = (220, 1000, *random.sample((300, 2000, 3000, 4000, 4500, 5000, 5500, 6000), 3))
    for before in moments:
        for memory, base in (released, checked):
            job = cocotb.start_soon(driver.run(Job.private(m, 512)))
            await RisingEdge(dut.busy_o)
            await ClockCycles(dut.clk_i, cycles - before)
            word = memory.memory[base + random.randrange(words)]
            word.value = int(word.value) ^ 1 << random.randrange(int(os.environ["W"]))
            answer = await job
            assert answer.status == CHECK_FAILED or answer.value == pow(m, key.d, key.n), (memory._name, before)
            failed += answer.status == CHECK_FAILED
    assert failed >= 4, "the flips hit nothing"  # those of the first two moments hit; of the earliest, none need to
    await still_works(driver)


@cocotb.test(**LIMIT)
async def time_depends_on_lengths_alone(dut):
    driver = await started(dut)
    for bits in (512, 576):
        loads, privates, powers, products = set(), set(), set(), set()
        for _ in range(2):
            key = Key.generate(bits)
            answer = await driver.run(Job.load_key(key))
            loads.add(answer.cycles)
            for m in (0, key.p, random.randrange(key.n)):
                answer = await driver.run(Job.private(m, bits))
                assert answer.status == OK
                privates.add(answer.cycles)
            for exponent in (0, 1, (1 << 70) - 1, random.getrandbits(70), 1 << 69):
                base = random.choice((0, 1, key.n - 1, random.randrange(key.n)))
                answer = await driver.run(Job.exponentiate(base, exponent, 70, bits))
                assert answer.value == pow(base, exponent, key.n)
                powers.add(answer.cycles)
            for base in (0, key.n - 1):
                products.add((await driver.run(Job.multiply(base, base, bits))).cycles)
        assert [len(times) for times in (loads, privates, powers, products)] == [1, 1, 1, 1], (loads, privates, powers)
        dut._log.info("%d bits: load %s, private %s, power of 70 bits %s, multiply %s", bits, loads, privates, powers,
                      products)
    # nor on a scheme that is not theirs
    for scheme in range(4):
        job = Job.private(random.randrange(key.n), bits)
        job.scheme = scheme
        answer = await driver.run(job)
        assert answer.status == OK and answer.cycles in privates, scheme
    # and the schemes for research do what they are marked for
    times = {(await driver.run(Job.exponentiate(5, e, 100, bits, SLIDING))).cycles for e in (1, (1 << 100) - 1)}
    assert len(times) == 2
