# SPDX-License-Identifier: Apache-2.0
"""What synthesis made of a small rsa_core for the ECP5 does every job, refuses what is wrong, and forgets its keys.

Seen from its ports alone: there is nothing else of the source in a netlist.
"""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge
from garner_hw.drivers.rsa import (BAD_LENGTH, BAD_MODULUS, BAD_OPERAND, BAD_SLOT, CHECK_FAILED, EMPTY_SLOT, FIXED, LEFT_TO_RIGHT,
                        OK, RIGHT_TO_LEFT, SLIDING, Driver, Job)
from garner_hw.model.rsa import Key, Sizes
from garner_hw.simulate import simulate
from garner_hw.synthesis import netlist

BITS, W, ROWS = 512, 18, 2


@pytest.mark.soak  # that of mont, hw/tb/mont/test_netlist.py, is always run
def test_ecp5_netlist_does_what_the_source_does():
    sources, counts = netlist.ecp5("rsa_core", {"Rows": ROWS, "MaxBits": BITS, "KeySlots": 1, "OperandWords": 1024})
    assert counts["MULT18X18D"] == 2 * ROWS
    simulate("rsa_core", sources, __name__, {}, {}, variant="netlist",
             build_arguments=netlist.BUILD_ARGUMENTS, inside=None, soon=True)


async def started(dut) -> Driver:
    driver = Driver(dut)
    await driver.start()
    return driver


async def gives(driver: Driver, job: Job, value: int | None, status: int = OK) -> int:
    """Runs the job, whose answer is given; its cycles."""
    answer = await driver.run(job)
    assert (answer.status, answer.value) == (status, value), job
    return answer.cycles


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def private_operations_are_right_and_take_the_same_time(dut):
    driver, key = await started(dut), Key.generate(BITS)
    await driver.load(Job.load_key(key))
    messages = (key.p, random.randrange(key.n))
    assert len({await gives(driver, Job.private(m, BITS), pow(m, key.d, key.n)) for m in messages}) == 1


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def multiplications_are_right(dut):
    driver, n = await started(dut), Key.generate(BITS).n
    await gives(driver, Job.load_modulus(n), None)
    inverse = pow(1 << W * Sizes(BITS, W, ROWS).digits, -1, n)
    for a, b in ((1, n - 1), (random.randrange(n), random.randrange(n))):
        await gives(driver, Job.multiply(a, b, BITS), a * b * inverse % n)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def exponentiations_of_every_scheme_are_right(dut):
    driver, n = await started(dut), Key.generate(BITS).n
    await gives(driver, Job.load_modulus(n), None)
    for scheme in (FIXED, LEFT_TO_RIGHT, RIGHT_TO_LEFT, SLIDING):
        base, exponent = random.randrange(n), random.getrandbits(40)
        await gives(driver, Job.exponentiate(base, exponent, 40, BITS, scheme), pow(base, exponent, n))


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def every_refusal_is_made(dut):
    driver, key = await started(dut), Key.generate(BITS)
    await gives(driver, Job.private(5, BITS), None, EMPTY_SLOT)
    await gives(driver, Job.load_key(key), None)
    await gives(driver, Job.private(key.n, BITS), None, BAD_OPERAND)
    await gives(driver, Job.private(1, BITS, slot=1), None, BAD_SLOT)
    await gives(driver, Job.exponentiate(1, 1, 1025, BITS), None, BAD_LENGTH)
    await gives(driver, Job.load_modulus(key.n ^ 1), None, BAD_MODULUS)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def wrong_result_is_not_released(dut):
    driver, key = await started(dut), Key.generate(BITS)
    await gives(driver, Job.load_key(Key(**{**key.__dict__, "dq": key.dq ^ 2})), None)
    await gives(driver, Job.private(random.randrange(2, key.n), BITS), None, CHECK_FAILED)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_empties_a_slot(dut):
    driver = await started(dut)
    await driver.load(Job.load_key(Key.generate(BITS)))
    await gives(driver, Job.zeroise(), None)
    await gives(driver, Job.multiply(1, 1, BITS), None, EMPTY_SLOT)


@cocotb.test(timeout_time=20, timeout_unit="ms")
async def zeroise_stops_a_job_and_the_core_works_on_under_stalls(dut):
    driver = Driver(dut, stall=0.2)
    await driver.start()
    key = Key.generate(BITS)
    await driver.load(Job.load_key(key))
    running = cocotb.start_soon(driver.run(Job.private(5, BITS)))
    await ClockCycles(dut.clk_i, 20000)
    dut.zeroise_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.zeroise_i.value = 0
    assert (await running).status == EMPTY_SLOT
    await driver.ready()
    m = random.randrange(key.n)
    assert (await driver.run(Job.private(m, BITS))).status == EMPTY_SLOT
    await driver.load(Job.load_key(key))
    answer = await driver.run(Job.private(m, BITS))
    assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))
