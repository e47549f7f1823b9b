# SPDX-License-Identifier: Apache-2.0
"""rsa_core from outside: every job against `pow`, every refusal, faults, zeroise, resets, stalls, equal times."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge
from garner_hw.drivers.rsa import (BAD_LENGTH, BAD_MODULUS, BAD_OP, BAD_OPERAND, BAD_SLOT, CHECK_FAILED, EMPTY_SLOT, FIXED,
                        LEFT_TO_RIGHT, OK, RIGHT_TO_LEFT, SLIDING, Driver, Job, words32)
from garner_hw.model.rsa import Key, LoadedKey, Sizes
from garner_hw.simulate import simulate
from garner_hw.sources import sources

PARAMETERS = {"MaxBits": 1024, "KeySlots": 2, "OperandWords": 4096}
LIMIT = {"timeout_time": 100, "timeout_unit": "ms"}  # 10 M cycles


@pytest.mark.parametrize("rows, w, tests", [
    (8, 18, ""), pytest.param(20, 17, "private_.*are_right|multi.*are_right|every_memory", marks=pytest.mark.soak),
    pytest.param(20, 17, "exponentiations", marks=pytest.mark.soak),
    pytest.param(4, 16, "private_.*are_right|multi.*are_right|exponentiations", marks=pytest.mark.soak)])
def test_rsa_core(rows, w, tests):
    simulate("rsa_core", sources("rsa_core"), __name__, {"Rows": rows, "W": w, **PARAMETERS},
             {"ROWS": str(rows), "W": str(w), "COCOTB_TEST_FILTER": tests}, inside=("ram", "fifo"))


def modulus(bits: int) -> int:
    kind = random.random()
    if kind < 0.15:
        return (1 << bits) - 1 - 2 * random.getrandbits(4)
    if kind < 0.3:
        return 1 << bits - 1 | 1 | 2 * random.getrandbits(4)
    return random.getrandbits(bits) | 1 << bits - 1 | 1


def radix(bits: int) -> int:
    w = int(os.environ["W"])
    return 1 << w * Sizes(bits, w, int(os.environ["ROWS"])).digits


async def started(dut, stall: float = 0) -> Driver:
    driver = Driver(dut, stall)
    await driver.start()
    return driver


async def still_works(driver: Driver, slot: int = 0):
    """A key is loaded and used: whatever came before has left nothing behind."""
    key = SMALL_KEY
    await driver.load(Job.load_key(key, slot))
    m = random.randrange(key.n)
    answer = await driver.run(Job.private(m, key.bits, slot))
    assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))


SMALL_KEY = Key.generate(512)


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


@cocotb.test(**LIMIT)
async def what_is_wrong_is_refused_with_its_code_and_the_core_goes_on(dut):
    driver = await started(dut, stall=0.05)
    key = SMALL_KEY
    m = words32(1234, 512)

    async def refused(job: Job, status: int):
        answer = await driver.run(job)
        assert (answer.status, answer.value) == (status, None), job

    for op in (0, 7, 15):
        await refused(Job(op, [1, 2, 3]), BAD_OP)
        await refused(Job(op, [1], slot=200), BAD_OP)
    for job in (Job.load_key(key, 2), Job.private(1, 512, 255), Job.zeroise(2), Job.multiply(1, 1, 512, 17)):
        await refused(job, BAD_SLOT)
    for job in (Job.private(1, 512), Job.multiply(1, 1, 512, 1), Job.exponentiate(1, 1, 1, 512)):
        await refused(job, EMPTY_SLOT)
    await driver.load(Job.load_modulus(key.n, 1))
    await refused(Job.private(1, 512, 1), EMPTY_SLOT)  # a modulus is not a key
    assert (await driver.run(Job.exponentiate(5, 3, 2, 512, slot=1))).value == 125

    for bits in (0, 448, 511, 513, 544, 1088, 4096, 8128):
        await refused(Job(1, words32(key.n, 512), bits=bits), BAD_LENGTH)
    for bits in (0, 1025, 8191):
        await refused(Job(4, m + [3], slot=1, exponent_bits=bits), BAD_LENGTH)

    # streams too short or too long
    whole = Job.load_key(key).words
    for count in (1, 15, 17, 40, len(whole) - 1):
        await refused(Job(2, whole[:count], bits=512), BAD_LENGTH)
    await refused(Job(2, whole + [0], bits=512), BAD_LENGTH)
    await refused(Job.private(1, 512), EMPTY_SLOT)  # nothing of that key has stayed
    await refused(Job(3, m + m[:-1], slot=1), BAD_LENGTH)
    await refused(Job(3, m + m + m, slot=1), BAD_LENGTH)
    await refused(Job(4, m, slot=1, exponent_bits=5), BAD_LENGTH)

    # moduli: even; top bit not set
    await refused(Job.load_modulus(key.n + 1, bits=512), BAD_MODULUS)
    await refused(Job.load_modulus(key.n >> 1 | 1, bits=512), BAD_MODULUS)
    for part in ("n", "p", "q"):
        for value in (getattr(key, part) ^ 1, getattr(key, part) >> 1 | 1):
            await refused(Job.load_key(Key(**{**key.__dict__, part: value})), BAD_MODULUS)
    await refused(Job.private(1, 512), EMPTY_SLOT)

    # operands
    await driver.load(Job.load_key(key))
    for value in (key.n, key.n + 1, (1 << 512) - 1):
        await refused(Job.private(value, 512), BAD_OPERAND)
        await refused(Job.exponentiate(value, 3, 2, 512), BAD_OPERAND)
        await refused(Job.multiply(value, 1, 512), BAD_OPERAND)
        await refused(Job.multiply(1, value, 512), BAD_OPERAND)
    answer = await driver.run(Job.private(77, 512))  # the key is still there, and right
    assert answer.value == pow(77, key.d, key.n)
    await driver.load(Job.zeroise(0))
    await refused(Job.private(1, 512), EMPTY_SLOT)
    assert (await driver.run(Job.exponentiate(5, 3, 2, 512, slot=1))).value == 125  # the other slot lives
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


def of_length(bits: int) -> int:
    """Words of a number modulo n of so many bits."""
    return Sizes(bits, int(os.environ["W"]), 1).words


def stride(bits: int) -> int:
    """From one region of the operand memory to the next."""
    return max(32, 1 << of_length(bits).bit_length())


def slot_words() -> int:
    """From one slot of the key memory to the next."""
    full, half = (of_length(bits) + 1 for bits in (PARAMETERS["MaxBits"], PARAMETERS["MaxBits"] // 2))
    return 1 << (5 * full + 6 * half + 2).bit_length()


def memories(dut):
    return [dut.u_keys.memory, dut.u_alu.u_accumulator.memory, dut.u_mont.u_operand_a.memory,
            dut.u_mont.u_operand_b.memory, dut.u_mont.u_modulus.memory, dut.u_mont.u_sum.memory,
            dut.u_packer.u_queue.words_q]


def not_zero(memory) -> list[int]:
    return [i for i in range(len(memory)) if int(memory[i].value)]


def holds(memory, number: int, bits: int) -> bool:
    """Whether the memory has this number, of so many bits, anywhere."""
    w = int(os.environ["W"])
    number = [number >> w * i & (1 << w) - 1 for i in range(bits // w)]  # but for the highest, where others may begin
    words = [int(memory[i].value) for i in range(len(memory))]
    return any(words[i:i + len(number)] == number for i in range(len(words) - len(number) + 1))


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
    slots, keys = slot_words(), dut.u_keys.memory
    for memory in memories(dut):
        places = range(len(memory)) if memory is not keys else (*range(slots), *range(2 * slots, len(keys)))
        for name, secret in secrets(key).items():
            assert not holds([memory[i] for i in places], *secret), (name, memory._path)
    for name, secret in secrets(key).items():
        if name not in ("p", "q", "qinv", "Nb of p", "Nb of q"):
            assert holds(keys, *secret), f"{name} is not where it is looked for"


@cocotb.test(**LIMIT)
async def a_key_that_is_gone_or_was_refused_leaves_no_trace(dut):
    driver = await started(dut)
    key, other = SMALL_KEY, Key.generate(512)
    whole = Job.load_key(key, 1)

    async def gone(why: str, slot_alone: bool = False):
        for memory in [dut.u_keys.memory] if slot_alone else memories(dut):
            for name, secret in secrets(key).items():
                assert not holds(memory, *secret), (why, name, memory._path)
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
        assert (await driver.run(Job(2, words, 1, 512))).status == status
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
    assert int(dut.response_o.value) == EMPTY_SLOT << 16 | 1
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
        await ClockCycles(dut.clk_i, random.randrange(1200 if job.op == 3 else 38000))
        running.cancel()
        await driver.reset()
        for memory in memories(dut):
            assert not not_zero(memory), memory._path
        assert (await driver.run(Job.private(5, 512))).status == EMPTY_SLOT
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
