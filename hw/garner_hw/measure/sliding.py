# SPDX-License-Identifier: Apache-2.0
"""Exponentiations of full length in `rsa_core` by a sliding window: a cocotb test that zynq.py runs for their cycles."""

import json
import os
import random

import cocotb
from cocotb.handle import HierarchyObject

from garner_hw.drivers.rsa import OK, SLIDING, Driver, Job


@cocotb.test(timeout_time=500, timeout_unit="ms")
async def exponentiations_of_full_length(dut: HierarchyObject) -> None:
    bits = int(os.environ["BITS"])
    driver = Driver(dut)
    await driver.start()
    n = 1 << bits - 1 | random.getrandbits(bits) | 1
    assert (await driver.run(Job.load_modulus(n))).status == OK
    cycles = []
    for _ in range(3):  # time depends on the exponent
        base, exponent = random.randrange(n), 1 << bits - 1 | random.getrandbits(bits)
        answer = await driver.run(Job.exponentiate(base, exponent, bits, bits, SLIDING))
        assert (answer.status, answer.value) == (OK, pow(base, exponent, n))
        cycles.append(answer.cycles)
    with open(os.environ["HW_CYCLES"], "a") as file:
        file.write(json.dumps(cycles) + "\n")
