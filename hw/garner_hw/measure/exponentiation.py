# SPDX-License-Identifier: Apache-2.0
"""One exponentiation of full length in `rsa_core`, without the CRT: a cocotb test that cores.py runs for its cycles."""

import json
import os
import random

import cocotb
from cocotb.handle import HierarchyObject

from garner_hw.drivers.rsa import OK, Driver, Job


@cocotb.test(timeout_time=200, timeout_unit="ms")
async def exponentiation_of_full_length(dut: HierarchyObject) -> None:
    bits = int(os.environ["BITS"])
    driver = Driver(dut)
    await driver.start()
    n = 1 << bits - 1 | random.getrandbits(bits) | 1
    base, exponent = random.randrange(n), 1 << bits - 1 | random.getrandbits(bits)
    assert (await driver.run(Job.load_modulus(n))).status == OK
    answer = await driver.run(Job.exponentiate(base, exponent, bits, bits))
    assert (answer.status, answer.value) == (OK, pow(base, exponent, n))
    with open(os.environ["HW_CYCLES"], "a") as file:
        file.write(json.dumps({"cycles": answer.cycles}) + "\n")
