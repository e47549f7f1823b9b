# SPDX-License-Identifier: Apache-2.0
"""Cycles of a whole private operation, and of an exponentiation without the CRT, stay within their bounds."""

import os
import random

import cocotb
import pytest

from garner_hw.drivers.rsa import OK, Driver, Job
from garner_hw.measure.private import private_operation_is_within_its_cycles  # noqa: F401 (it runs here)
from garner_hw.simulate import simulate
from garner_hw.sources import sources

# rows, bits, cycles at most, U_op at least (the bar is 0.62 with 16 multipliers and RSA-2048)
SHAPES = [(8, 1024, 169_500, 0.66), pytest.param(15, 2048, 612_200, 0.72, marks=pytest.mark.soak),
          pytest.param(20, 2048, 461_600, 0.71, marks=pytest.mark.soak)]


@pytest.mark.parametrize("rows, bits, cycles, share", SHAPES)
def test_rsa_cycles(rows, bits, cycles, share):
    simulate("rsa_core", sources("rsa_core"), __name__, {"Rows": rows, "MaxBits": bits, "KeySlots": 1},
             {"ROWS": str(rows), "BITS": str(bits), "CYCLES": str(cycles), "SHARE": str(share)},
             inside=("ram", "rsa_sequencer"))


@cocotb.test(timeout_time=50, timeout_unit="ms", skip=os.environ.get("BITS") != "1024")
async def exponentiation_without_crt_is_within_its_cycles(dut):
    bits = int(os.environ["BITS"])
    driver = Driver(dut)
    await driver.start()
    n = random.getrandbits(bits) | 1 << bits - 1 | 1
    await driver.load(Job.load_modulus(n))
    base, exponent = random.randrange(n), random.getrandbits(bits)
    answer = await driver.run(Job.exponentiate(base, exponent, bits, bits))
    assert (answer.status, answer.value) == (OK, pow(base, exponent, n))
    dut._log.info("%d bits to the power of %d bits: %d cycles", bits, bits, answer.cycles)
    assert answer.cycles <= 600_000
