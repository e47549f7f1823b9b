# SPDX-License-Identifier: Apache-2.0
"""Cycles of a whole private operation, by parts, and what share of the multipliers' time they use (U_op): a cocotb test
that cores.py runs for its figures, and hw/tb/rsa as a test.

The table this prints is the one in docs/hardware/rsa.md; HW_CYCLES=FILE appends it to a file as JSON, one line a shape.
"""

import json
import os
import random

import cocotb
from cocotb.handle import HierarchyObject
from cocotb.utils import get_sim_time

from garner_hw.drivers.rsa import OK, Driver, Job
from garner_hw.model.rsa import Key, products_at_best

# The first instruction of each part of the program Private of rsa_program_pkg
PARTS = {0: "operand in, below n", 5: "constants, m mod p and q", 15: "two halves", 19: "recombination", 33: "check",
         49: "result out"}


async def record(dut: HierarchyObject, begun: list[tuple[int, int]]) -> None:
    """The time at which each micro-instruction is fetched."""
    while True:
        await dut.u_sequencer.pc_q.value_change
        begun.append((int(dut.u_sequencer.pc_q.value), get_sim_time("step") // Driver.period))


@cocotb.test(timeout_time=50, timeout_unit="ms")
async def private_operation_is_within_its_cycles(dut: HierarchyObject) -> None:
    rows, bits = int(os.environ["ROWS"]), int(os.environ["BITS"])
    driver = Driver(dut)
    await driver.start()
    key = Key.generate(bits)
    load = await driver.run(Job.load_key(key))
    assert load.status == OK

    await driver.ready()
    begun: list[tuple[int, int]] = []
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
