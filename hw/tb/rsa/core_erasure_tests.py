# SPDX-License-Identifier: Apache-2.0
"""rsa_core from outside and inside, run by test_rsa_core.py: what zeroise, OpZeroise, a refused load and reset leave, which
is no trace of a key, and that the core goes on.
"""

import os
import random

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from garner_hw.drivers.rsa import (BAD_LENGTH, BAD_MODULUS, EMPTY_SLOT, LOAD_KEY, MULTIPLY, OK, RIGHT_TO_LEFT, TAG_BITS,
                                   Driver, Job, words32)
from garner_hw.model.rsa import Key, LoadedKey
from tb.rsa.core_shared import (LIMIT, SMALL_KEY, contents, holds, memories, modulus, not_zero, slot_words, started,
                                still_works)


def secrets(key: Key) -> dict[str, tuple[int, int]]:
    """The parts of a key and what is computed of them: numbers and their bits."""
    w, rows, half = int(os.environ["W"]), int(os.environ["ROWS"]), key.bits // 2
    loaded = LoadedKey(key, w, rows)
    parts = {name: (getattr(key, name), half) for name in ("p", "q", "dp", "dq", "qinv")}
    for name, modulus in (("p", loaded.p), ("q", loaded.q)):
        parts |= {f"N~ of {name}": (modulus.scaled, half), f"Nb of {name}": (modulus.scaled + 1 >> w, half),
                  f"R^2 of {name}": (modulus.r2, half)}
    return parts | {"factor of p": (loaded.cp, key.bits), "factor of q": (loaded.cq, key.bits)}


async def zeroised(driver: Driver):
    dut = driver.dut
    dut.zeroise_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.zeroise_i.value = 0
    await ClockCycles(dut.clk_i, 4)  # until a core that has no job is seen to take none
    await driver.ready()
    for memory in memories(dut):
        assert not not_zero(memory), memory._path


@cocotb.test(**LIMIT)
async def zeroise_overwrites_every_memory(dut):
    driver = await started(dut)
    for memory in memories(dut):
        assert not not_zero(memory), f"{memory._path} after reset"
    await driver.load(Job.load_key(SMALL_KEY, 0))
    await driver.load(Job.load_key(SMALL_KEY, 1))
    await driver.run(Job.private(5, 512))
    n = modulus(1024)
    await driver.load(Job.load_modulus(n, 1))
    for memory in memories(dut):
        assert not_zero(memory), f"{memory._path} was never used"
    await driver.load(Job.zeroise(1))
    assert not [i for i in not_zero(dut.u_keys.memory) if i >= slot_words()], "slot 1 and the work area after OpZeroise"
    await driver.load(Job.load_key(SMALL_KEY, 1))
    await driver.run(Job.private(5, 512))
    await zeroised(driver)
    for slot in (0, 1):
        assert (await driver.run(Job.multiply(1, 1, 512, slot))).status == EMPTY_SLOT
    await still_works(driver)


@cocotb.test(**LIMIT)
async def a_key_that_is_loaded_is_in_its_slot_alone(dut):
    driver = await started(dut)
    key = SMALL_KEY
    await driver.load(Job.load_key(key, 1))
    slots, keys, parts = slot_words(), dut.u_keys.memory, secrets(key)
    for memory in memories(dut):
        words = contents(memory, None if memory is not keys else (*range(slots), *range(2 * slots, len(keys))))
        for name, secret in parts.items():
            assert not holds(words, *secret), (name, memory._path)
    words = contents(keys)
    for name, secret in parts.items():
        if name not in ("p", "q", "qinv", "Nb of p", "Nb of q"):
            assert holds(words, *secret), f"{name} is not where it is looked for"


@cocotb.test(**LIMIT)
async def a_key_that_is_gone_or_was_refused_leaves_no_trace(dut):
    driver = await started(dut)
    key, other = SMALL_KEY, Key.generate(512)
    whole, parts = Job.load_key(key, 1), secrets(key)

    async def gone(why: str, slot_alone: bool = False):
        for memory in [dut.u_keys.memory] if slot_alone else memories(dut):
            words = contents(memory)
            for name, secret in parts.items():
                assert not holds(words, *secret), (why, name, memory._path)
        assert (await driver.run(Job.private(5, 512, 1))).status == EMPTY_SLOT

    for used in (False, True):
        await driver.load(whole)
        if used:
            assert (await driver.run(Job.private(5, 512, 1))).status == OK
        await driver.load(Job.zeroise(1))
        await gone("OpZeroise")

    # refused half way: what had come of it, and the key before
    for words, status in ((whole.words[:40], BAD_LENGTH), (whole.words + [0], BAD_LENGTH),
                          (Job.load_key(Key(**{**key.__dict__, "q": key.q ^ 1})).words, BAD_MODULUS)):
        await driver.load(whole)
        assert (await driver.run(Job(LOAD_KEY, words, 1, 512))).status == status
        await gone("refused")

    await driver.load(whole)
    await driver.load(Job.load_modulus(other.n, 1))
    await gone("OpLoadModulus", slot_alone=True)
    await still_works(driver, 1)


@cocotb.test(**LIMIT)
async def jobs_that_come_while_zeroise_is_asked_for_are_refused(dut):
    driver = await started(dut)
    await driver.load(Job.load_key(SMALL_KEY))
    running = cocotb.start_soon(driver.run(Job.private(5, 512)))
    await ClockCycles(dut.clk_i, 5000)
    dut.zeroise_i.value = 1
    assert (await running).status == EMPTY_SLOT
    for job in (Job.load_key(SMALL_KEY), Job.private(5, 512), Job.load_modulus(SMALL_KEY.n), Job.zeroise(),
                Job(0, [1, 2, 3])):
        assert (await driver.run(job)).status == EMPTY_SLOT, job.op
    dut.zeroise_i.value = 0
    await RisingEdge(dut.clk_i)
    await zeroised(driver)  # the words of these jobs
    await still_works(driver)


@cocotb.test(**LIMIT)
async def zeroise_stops_the_job_under_way_and_answers_it(dut):
    driver = await started(dut)
    for job, delay in ((Job.private(5, 512), 15000), (Job.load_key(SMALL_KEY, 1), 20000), (Job.private(9, 512), 600),
                       (Job.exponentiate(3, 5, 64, 512, RIGHT_TO_LEFT), random.randrange(300, 10000)),
                       (Job.multiply(7, 8, 512), 100)):
        await driver.load(Job.load_key(SMALL_KEY))
        running = cocotb.start_soon(driver.run(job))
        await ClockCycles(dut.clk_i, delay)
        await zeroised(driver)
        assert (await running).status == EMPTY_SLOT, job.op
        await still_works(driver, random.randrange(2))

    # while the job waits for operands: the memories are overwritten all the same, the rest of the operands is read
    await driver.load(Job.load_key(SMALL_KEY))
    dut.job_i.value = Job.private(5, 512).packed(1)
    dut.job_valid_i.value = 1
    await driver.handshake(dut.job_ready_o)
    dut.job_valid_i.value = 0
    await ClockCycles(dut.clk_i, 500)
    dut.zeroise_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.zeroise_i.value = 0
    await ClockCycles(dut.clk_i, 60000)
    for memory in memories(dut):
        assert not not_zero(memory), memory._path
    await driver.send(words32(5, 512))
    await ReadOnly()
    if dut.response_valid_o.value == 0:
        await RisingEdge(dut.response_valid_o)
    assert int(dut.response_o.value) == EMPTY_SLOT << TAG_BITS | 1
    await RisingEdge(dut.clk_i)
    dut.response_ready_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.response_ready_i.value = 0
    await still_works(driver)


@cocotb.test(**LIMIT)
async def zeroise_just_when_a_slot_is_filled_leaves_it_empty(dut):
    driver = await started(dut)
    cycles = (await driver.run(Job.load_modulus(SMALL_KEY.n))).cycles
    for before in range(1, 12):  # the response; the instruction that marks the slot is a few cycles earlier
        running = cocotb.start_soon(driver.run(Job.load_modulus(SMALL_KEY.n)))
        await RisingEdge(dut.busy_o)
        await ClockCycles(dut.clk_i, cycles - before)
        dut.zeroise_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.zeroise_i.value = 0
        assert (await running).status in (OK, EMPTY_SLOT)
        await driver.ready()
        assert (await driver.run(Job.multiply(1, 1, 512))).status == EMPTY_SLOT, before


@cocotb.test(**LIMIT)
async def reset_in_the_middle_of_a_job_leaves_an_empty_core(dut):
    driver = await started(dut)
    for _ in range(4):
        await driver.load(Job.load_key(SMALL_KEY))
        job = random.choice((Job.private(5, 512), Job.load_key(SMALL_KEY), Job.multiply(5, 6, 512)))
        running = cocotb.start_soon(driver.run(job))
        await ClockCycles(dut.clk_i, random.randrange(1200 if job.op == MULTIPLY else 38000))
        running.cancel()
        await driver.reset()
        for memory in memories(dut):
            assert not not_zero(memory), memory._path
        assert (await driver.run(Job.private(5, 512))).status == EMPTY_SLOT
    await still_works(driver)
