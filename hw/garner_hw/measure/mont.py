# SPDX-License-Identifier: Apache-2.0
"""Cycles of one multiplication in `mont`: cores.py runs this cocotb test for its figures, hw/tb/mont as a test."""

import json
import os

import cocotb
from cocotb.handle import HierarchyObject
from cocotb.utils import get_sim_time

from garner_hw.drivers.mont import Driver
from garner_hw.model.mont import Sizes, random_modulus

# Least share of a multiplier's cycles that are word products of an operation, both contexts busy: (Rows, bits) of W = 18
FLOORS = {(8, 2048): 0.94, (15, 2048): 0.94, (20, 2048): 0.94, (23, 2048): 0.98, (15, 1024): 0.94, (20, 1024): 0.94}


def shapes() -> list[Sizes]:
    return [Sizes(int(bits), int(os.environ["W"]), int(os.environ["ROWS"])) for bits in os.environ["BITS"].split(",")]


def pass_cycles(rows: int) -> int:
    return rows * int(os.environ["HOP"]) + 11


async def cycles(driver: Driver, sizes: Sizes, contexts: list[int], operations: int) -> int:
    """From the first operation given to not busy; squarings in place."""
    start = get_sim_time("step")
    for _ in range(operations):
        for ctx in contexts:
            await driver.issue(ctx, 4096 * ctx, 4096 * ctx, 4096 * ctx)
    await driver.idle()
    return (get_sim_time("step") - start) // driver.period


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def cycles_are_as_documented_and_the_same_for_all_operands(dut: HierarchyObject) -> None:
    driver = Driver(dut, int(os.environ["W"]))
    await driver.start()
    for sizes in shapes():
        driver.configure(sizes)
        for contexts in ([0], [1], [0, 1]):
            seen = set()
            for _ in range(2):
                for ctx in contexts:
                    modulus = random_modulus(sizes)
                    await driver.write_modulus(ctx, modulus)
                    await driver.write_operand(4096 * ctx, modulus.operand(), sizes)
                seen.add((await cycles(driver, sizes, contexts, 3), await cycles(driver, sizes, contexts, 8)))
            assert len(seen) == 1, (sizes, contexts, seen)
            short, long = seen.pop()
            slot = max(sizes.words, pass_cycles(sizes.rows) / len(contexts), 6)
            expected = 5 * len(contexts) * sizes.passes * slot
            assert long - short == expected, (sizes, contexts, short, long, expected)
            each = (long - short) / 5 / len(contexts)
            dut._log.info(f"bits={sizes.bits} contexts={len(contexts)}: {each} cycles, U_MM {sizes.bound() / each:.3f}")
            if "HW_CYCLES" in os.environ:
                line = {"bits": sizes.bits, "contexts": len(contexts), "cycles": each, "u_mm": sizes.bound() / each}
                with open(os.environ["HW_CYCLES"], "a") as file:
                    file.write(json.dumps(line) + "\n")
            if sizes.w == 18 and len(contexts) == 2:
                assert sizes.bound() / each >= FLOORS.get((sizes.rows, sizes.bits), 0)
