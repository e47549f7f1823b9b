# SPDX-License-Identifier: Apache-2.0
"""Cycles of a whole private operation, by parts, and what share of the multipliers' time they use (U_op).

The table this prints is the one in docs/hardware/rsa.md; HW_CYCLES=FILE appends it to a file as JSON, one line a shape.
"""

import json
import os
import random
from pathlib import Path

import cocotb
import pytest
from cocotb.utils import get_sim_time
from rsa_driver import OK, Driver, Job
from rsa_model import Key, products_at_best

from harness import RSA, rtl, simulate

# rows, bits, cycles at most, U_op at least (the bar is 0.62 with 16 multipliers and RSA-2048)
SHAPES = [(8, 1024, 169_500, 0.66), (15, 2048, 612_200, 0.72),
          pytest.param(20, 2048, 461_600, 0.71, marks=pytest.mark.soak)]

# The first instruction of each part of the program Private of rsa_program_pkg
PARTS = {0: "operand in, below n", 5: "constants, m mod p and q", 15: "two halves", 19: "recombination", 33: "check",
         49: "result out"}


@pytest.mark.parametrize("rows, bits, cycles, share", SHAPES)
def test_rsa_cycles(rows, bits, cycles, share):
    simulate("rsa_core", rtl(*RSA), "test_rsa_cycles", Path(__file__).parent,
             {"Rows": rows, "MaxBits": bits, "KeySlots": 1},
             {"ROWS": str(rows), "BITS": str(bits), "CYCLES": str(cycles), "SHARE": str(share)})


async def record(dut, begun: list):
    """The time at which each micro-instruction is fetched."""
    while True:
        await dut.pc_q.value_change
        begun.append((int(dut.pc_q.value), get_sim_time("step") // Driver.period))


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def private_operation_is_within_its_cycles(dut):
    rows, bits = int(os.environ["ROWS"]), int(os.environ["BITS"])
    driver = Driver(dut)
    await driver.start()
    key = Key.generate(bits)
    load = await driver.run(Job.load_key(key))
    assert load.status == OK

    await driver.ready()
    begun = []
    recorder = cocotb.start_soon(record(dut, begun))
    m = random.randrange(key.n)
    answer = await driver.run(Job.private(m, key.bits))
    recorder.cancel()
    assert (answer.status, answer.value) == (OK, pow(m, key.d, key.n))

    start = begun[0][0]  # the counter is set to the program's start, then incremented at each fetch
    end = get_sim_time("step") // Driver.period - 1
    marks = [end - answer.cycles] + [time for pc, time in begun if pc - start - 1 in list(PARTS)[1:]] + [end]
    parts = dict(zip(PARTS.values(), (b - a for a, b in zip(marks, marks[1:]))))
    assert len(marks) == len(PARTS) + 1 and sum(parts.values()) == answer.cycles
    share = products_at_best(bits) / (2 * rows * answer.cycles)
    line = {"rows": rows, "bits": bits, "cycles": answer.cycles, "u_op": round(share, 4), "load": load.cycles} | parts
    dut._log.info("%s", json.dumps(line))
    if "HW_CYCLES" in os.environ:
        with open(os.environ["HW_CYCLES"], "a") as file:
            file.write(json.dumps(line) + "\n")
    assert answer.cycles <= int(os.environ["CYCLES"])
    assert share >= float(os.environ["SHARE"])


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
