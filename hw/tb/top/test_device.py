# SPDX-License-Identifier: Apache-2.0
"""The whole accelerator as the simulated board holds it: hw/sim/device.h, RSA cores, many operations.

The C++ clock runs a hundred times as fast as cocotb's: real key lengths, and HW_SOAK=1000 operations in make hw-soak-device.
"""

import asyncio
import os
import random
import time

import pytest

from garner_hw.drivers.device_host import DeviceHost
from garner_hw.drivers.host import (BAD_OPERAND, BUS_FAULT, CHECK_FAILED, DESCRIPTOR, EMPTY_SLOT,
                                    EVERY_INTERRUPT, EXPONENTIATE, LOAD_MODULUS, MULTIPLY, OK, REGISTERS, ZEROISE)
from garner_hw.drivers.rsa_jobs import load_key, number, private, words
from garner_hw.model.rsa import Key, Sizes

SOON = "HW_SOAK" not in os.environ  # a few operations are not worth the faster device, nor a third core
CORES = 2 if SOON else 3
PARAMETERS = {"Cores": CORES, "Rows": 8, "MaxBits": 2048, "KeySlots": 2, "OperandWords": 256, "InFlight": 8}
SOAK = int(os.environ.get("HW_SOAK", "12"))


@pytest.fixture(scope="module")
def keys():
    random.seed(int(os.environ["HW_SEED"]))
    return [Key.generate(512), Key.generate(2048)]


async def ready(stall: int, **sizes) -> DeviceHost:
    host = DeviceHost(stall, PARAMETERS, soon=SOON, **sizes)
    await host.start()
    return host


def test_private_operations_of_two_key_lengths_are_right(keys):
    """All cores at work, a fifth of all bus handshakes pausing."""
    async def run():
        host = await ready(20)
        done = await host.run([load_key(host, key, slot) for slot, key in enumerate(keys)])
        assert [done[slot].status for slot in range(2)] == [OK, OK]
        await host.idle()
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
        cases, descriptors = [], []
        for tag in range(SOAK):
            slot = int(tag % 4 == 0)  # a long one, and short ones that overtake it
            key = keys[slot]
            m = random.choice((0, 1, key.n - 1, random.randrange(key.n), random.randrange(key.n)))
            cases.append((key, m))
            descriptors.append(private(host, key, m, slot, tag=tag & 0xFFFF))
        begin, before = time.monotonic(), host.cycles
        done = await host.run(descriptors)
        seconds, cycles = time.monotonic() - begin, host.cycles - before
        for place, (key, m) in enumerate(cases):
            assert (done[place].status, done[place].tag) == (OK, place & 0xFFFF)
            assert number(host.result(descriptors[place])) == pow(m, key.d, key.n), f"job {place}"
        await host.idle()
        busy, all_cycles = await host.counter("BUSY_CORE_CYCLES"), await host.counter("CYCLES")
        bus = await host.counter("BUS_CYCLES")
        print(f"{SOAK} private operations, {cycles} cycles, {cycles / seconds / 1000:.0f} kcycles/s, cores busy "
              f"{busy / (CORES * all_cycles):.1%}, bus busy {bus / all_cycles:.2%}")
        print("descriptor", descriptors[1][:36].hex(" ", 4), "\ncompletion", done[1])

    asyncio.run(run())


def test_four_completions_raise_one_interrupt(keys):
    async def run():
        host, key = await ready(20), keys[0]
        await host.run([load_key(host, key, 0)])
        await host.idle()
        await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
        await host.write("INTERRUPT_ENABLE", REGISTERS["INTERRUPT_ENABLE_COMPLETION"])
        await host.write("INTERRUPT_COALESCE", 4)
        before = host.interrupts
        await host.run([private(host, key, 5, 0) for _ in range(12)])
        assert abs(host.interrupts - before - 3) <= 1

    asyncio.run(run())


def test_a_short_operation_overtakes_a_long_one(keys):
    async def run():
        host = await ready(0)
        await host.run([load_key(host, key, slot) for slot, key in enumerate(keys)])
        order = []
        poll = host.poll
        host.poll = lambda: [order.append(found.tag) or found for found in poll()]
        await host.run([private(host, keys[slot], 5, slot, tag=slot) for slot in (1, 0)])
        assert order == [0, 1]

    asyncio.run(run())


def test_unmapped_register_is_refused_and_the_device_goes_on():
    device = DeviceHost(0, PARAMETERS, soon=SOON).device
    with pytest.raises(ValueError, match="0xffc cannot be read"):
        device.read(0xFFC)
    assert device.read(REGISTERS["ID"]) == REGISTERS["ID_VALUE_CONSTANT"]


def test_cores_are_busy_while_there_are_jobs(keys):
    """Eight operations for each core. What is lost: the first operands' way in, the last results' way out."""
    async def run():
        host, key = await ready(0, submission_log2=5, completion_log2=5), keys[0]
        assert (await host.run([load_key(host, key, 0)]))[0].status == OK
        descriptors = [private(host, key, tag, 0, tag=tag) for tag in range(8 * CORES)]
        await host.write("INTERRUPT_STATUS", EVERY_INTERRUPT)
        await host.write("INTERRUPT_ENABLE", REGISTERS["INTERRUPT_ENABLE_IDLE"])  # ends the last step of time
        await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_CLEAR_COUNTERS"])
        before = host.cycles
        done = await host.run(descriptors)
        cycles = host.cycles - before
        assert all(completion.status == OK for completion in done.values())
        share = await host.counter("BUSY_CORE_CYCLES") / (CORES * cycles)
        print(f"{8 * CORES} private operations of {done[0].cycles} cycles in {cycles}: cores busy {share:.1%}")
        assert share > 0.97, f"{share:.1%}"

    asyncio.run(run())


def test_exponentiation_and_multiplication_by_a_loaded_modulus_are_right():
    async def run():
        host = await ready(10)
        n = random.getrandbits(512) | 1 << 511 | 1
        base, exponent = random.randrange(n), random.getrandbits(40) | 1 << 39
        a, b = random.randrange(n), random.randrange(n)
        jobs = [host.descriptor(LOAD_MODULUS, words(n, 512), bits=512),
                host.descriptor(EXPONENTIATE, words(base, 512) + words(exponent, 40), 16, exponent_bits=40),
                host.descriptor(MULTIPLY, words(a, 512) + words(b, 512), 16)]
        done = await host.run(jobs)
        assert [done[place].status for place in range(3)] == [OK] * 3
        assert number(host.result(jobs[1])) == pow(base, exponent, n)
        step = await host.field("CAPABILITY_MONTGOMERY_R_STEP")
        w, rows = await host.field("CAPABILITY_ARITHMETIC_WORD_BITS"), await host.field("CAPABILITY_ARITHMETIC_ROWS")
        radix = w * Sizes(512, w, rows).digits
        assert step == w * rows and radix % step == 0
        assert number(host.result(jobs[2])) == a * b * pow(1 << radix, -1, n) % n

    asyncio.run(run())


def test_refused_jobs_say_why_and_the_next_is_done(keys):
    async def run():
        host, key = await ready(10), keys[0]
        assert (await host.one(load_key(host, key, 0))).status == OK
        fields = DESCRIPTOR.unpack(private(host, key, 5, 0))
        jobs = [private(host, key, 5, 1), private(host, key, key.n, 0),
                DESCRIPTOR.pack(**fields | {"operand_address": 8}), private(host, key, 7, 0)]
        done = await host.run(jobs)
        assert [done[place].status for place in range(len(jobs))] == [EMPTY_SLOT, BAD_OPERAND, BUS_FAULT, OK]
        assert number(host.result(jobs[3])) == pow(7, key.d, key.n)

    asyncio.run(run())


def test_result_whose_check_failed_is_not_released_and_a_right_key_repairs_the_slot(keys):
    async def run():
        host, key = await ready(10), keys[0]
        wrong = Key(key.bits, key.n, key.e, key.p, key.q, key.dp ^ 2, key.dq, key.qinv, key.d)
        jobs = [load_key(host, wrong, 1), private(host, key, random.randrange(2, key.n), 1),
                load_key(host, key, 1), private(host, key, 7, 1)]
        done = await host.run(jobs)
        assert [done[place].status for place in range(len(jobs))] == [OK, CHECK_FAILED, OK, OK]
        assert number(host.result(jobs[1])) == 0
        assert number(host.result(jobs[3])) == pow(7, key.d, key.n)

    asyncio.run(run())


def test_job_that_zeroises_empties_its_slot_alone(keys):
    async def run():
        host, key = await ready(10), keys[0]
        jobs = [*(load_key(host, key, slot) for slot in range(2)), host.descriptor(ZEROISE, slot=1),
                *(private(host, key, 7, slot) for slot in range(2))]
        done = await host.run(jobs)
        assert [done[place].status for place in range(len(jobs))] == [OK, OK, OK, OK, EMPTY_SLOT]

    asyncio.run(run())


async def with_operations_under_way(host: DeviceHost, key: Key) -> int:
    """Every core computes, others wait, among them a key for the same slot; returns how many jobs there are."""
    assert (await host.one(load_key(host, key, 0))).status == OK
    jobs = [private(host, key, 5, 0) for _ in range(2 * CORES)] + [load_key(host, key, 0), private(host, key, 5, 0)]
    for job in jobs:
        host.put(job)
    await host.ring()
    host.device.run(50_000)
    return len(jobs)


async def works(host: DeviceHost, key: Key) -> None:
    assert (await host.one(load_key(host, key, 1))).status == OK
    descriptor = private(host, key, 9, 1)
    assert (await host.one(descriptor)).status == OK
    assert number(host.result(descriptor)) == pow(9, key.d, key.n)


def test_reset_leaves_a_device_that_works(keys):
    async def run():
        host = await ready(10)
        await with_operations_under_way(host, keys[1])
        host.device.reset()
        await host.start()
        assert (await host.one(private(host, keys[1], 5, 0))).status == EMPTY_SLOT
        await works(host, keys[0])

    asyncio.run(run())


def test_zeroise_stops_running_operations_and_empties_the_slots(keys):
    async def run():
        host = await ready(10)
        for _ in range(2):
            jobs = await with_operations_under_way(host, keys[1])
            await host.write("CONTROL", REGISTERS["CONTROL_ENABLE"] | REGISTERS["CONTROL_ZEROISE"])
            found = []
            for _ in range(100):  # a core answers when its memories are overwritten
                host.device.run(1_000)
                found += host.poll()
                if len(found) == jobs:
                    break
            assert [completion.status for completion in found] == [EMPTY_SLOT] * jobs
            await host.write("COMPLETION_HEAD", host.completed)
            for _ in range(100):
                if not await host.field("STATUS_ZEROISING"):
                    break
                host.device.run(1_000)
            assert not await host.field("STATUS_ZEROISING")
            assert (await host.one(private(host, keys[1], 5, 0))).status == EMPTY_SLOT
        await works(host, keys[0])

    asyncio.run(run())
