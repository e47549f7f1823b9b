"""The long runs of rsa_core (make hw-soak): RSA-2048, 3072 and 4096, and full exponentiations of 2048 and 4096 bits."""

import random
from pathlib import Path

import cocotb
from rsa_driver import FIXED, OK, SLIDING, Driver, Job
from rsa_model import Key

from harness import RSA, rtl, simulate


def test_large_keys():
    simulate("rsa_core", rtl(*RSA), "soak_rsa", Path(__file__).parent, {"Rows": 15, "MaxBits": 4096, "KeySlots": 2})


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def large_keys_are_right(dut):
    driver = Driver(dut)
    await driver.start()
    for slot, bits in enumerate((2048, 3072, 4096)):
        key = Key.generate(bits)
        load = await driver.run(Job.load_key(key, slot % 2))
        assert load.status == OK
        m = random.randrange(key.n)
        answer = await driver.run(Job.private(m, bits, slot % 2))
        assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))
        dut._log.info("RSA-%d: key load %d cycles, private operation %d cycles", bits, load.cycles, answer.cycles)


@cocotb.test(timeout_time=1000, timeout_unit="ms")
async def long_exponentiations_are_right(dut):
    driver = Driver(dut)
    await driver.start()
    for bits, exponent_bits, scheme in ((1024, 1024, FIXED), (1024, 1024, SLIDING), (2048, 2048, FIXED),
                                        (4096, 400, FIXED), (4096, 321, SLIDING)):
        n = random.getrandbits(bits) | 1 << bits - 1 | 1
        await driver.load(Job.load_modulus(n))
        base, exponent = random.randrange(n), random.getrandbits(exponent_bits)
        answer = await driver.run(Job.exponentiate(base, exponent, exponent_bits, bits, scheme))
        assert (answer.status, answer.value) == (OK, pow(base, exponent, n))
        dut._log.info("%d bits to the power of %d bits, scheme %d: %d cycles", bits, exponent_bits, scheme,
                      answer.cycles)
