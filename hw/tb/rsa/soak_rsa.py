# SPDX-License-Identifier: Apache-2.0
"""The long runs of rsa_core (make hw-soak-rsa): RSA-2048, 3072, 4096, and exponentiations of up to 4096 bits."""

import os
import random

import cocotb
import pytest
from garner_hw.drivers.rsa import FIXED, LEFT_TO_RIGHT, OK, RIGHT_TO_LEFT, SLIDING, Driver, Job
from garner_hw.model.rsa import Key
from garner_hw.simulate import simulate
from garner_hw.sources import sources

OPERATIONS = int(os.environ.get("HW_SOAK", "3"))  # with each key, at least 3


def core(test: str, **environment: int) -> None:
    simulate("rsa_core", sources("rsa_core"), __name__, {"Rows": 15, "MaxBits": 4096, "KeySlots": 2},
             {"COCOTB_TEST_FILTER": test, **{name: str(value) for name, value in environment.items()}})


@pytest.mark.parametrize("bits", (2048, 3072, 4096))
def test_private_operation(bits):
    core("private_operations_are_right", BITS=bits)


@pytest.mark.parametrize("bits, exponent_bits, scheme", [
    (1024, 1024, FIXED), (1024, 1024, SLIDING), (1024, 1024, LEFT_TO_RIGHT), (1024, 1024, RIGHT_TO_LEFT),
    (2048, 2048, FIXED), (2048, 2048, SLIDING), (3072, 3072, FIXED), (4096, 4096, FIXED), (4096, 4096, SLIDING)])
def test_exponentiation(bits, exponent_bits, scheme):
    core("exponentiation_is_right", BITS=bits, EXPONENT_BITS=exponent_bits, SCHEME=scheme)


@cocotb.test(timeout_time=10_000, timeout_unit="ms")
async def private_operations_are_right(dut):
    driver, bits = Driver(dut), int(os.environ["BITS"])
    await driver.start()
    key, short = Key.generate(bits), Key.generate(512)
    for slot, loaded in enumerate((key, short)):
        load = await driver.run(Job.load_key(loaded, slot))
        assert load.status == OK
        dut._log.info("RSA-%d: key load %d cycles", loaded.bits, load.cycles)
    cycles = set()
    for m in (key.n - 1, key.n - key.p, *(random.randrange(key.n) for _ in range(OPERATIONS - 2))):
        answer = await driver.run(Job.private(m, bits))
        assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))
        cycles.add(answer.cycles)
        between = await driver.run(Job.private(m % short.n, short.bits, 1))  # other sizes leave nothing behind
        assert between.value == pow(m % short.n, short.d, short.n)
    assert len(cycles) == 1, "the same cycles for every operand"
    dut._log.info("RSA-%d: private operation %d cycles", bits, cycles.pop())


@cocotb.test(timeout_time=10_000, timeout_unit="ms")
async def exponentiation_is_right(dut):
    driver = Driver(dut)
    bits, exponent_bits, scheme = (int(os.environ[name]) for name in ("BITS", "EXPONENT_BITS", "SCHEME"))
    await driver.start()
    n = random.getrandbits(bits) | 1 << bits - 1 | 1
    await driver.load(Job.load_modulus(n))
    cycles = set()
    # The fixed window takes the same cycles for every exponent, the one without a bit set and the one of all ones too.
    for exponent in (random.getrandbits(exponent_bits), *((0, (1 << exponent_bits) - 1) if scheme == FIXED else ())):
        base = random.randrange(n)
        answer = await driver.run(Job.exponentiate(base, exponent, exponent_bits, bits, scheme))
        assert (answer.status, answer.value) == (OK, pow(base, exponent, n))
        cycles.add(answer.cycles)
    assert len(cycles) == 1, cycles
    dut._log.info("%d bits to the power of %d bits, scheme %d: %d cycles", bits, exponent_bits, scheme, cycles.pop())
