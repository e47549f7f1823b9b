# SPDX-License-Identifier: Apache-2.0
"""mont: results to the bit against big integers, for many shapes; cycles exactly; reset in the middle; both contexts."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.drivers.mont import Driver
from garner_hw.measure.mont import cycles_are_as_documented_and_the_same_for_all_operands  # noqa: F401 (it runs here)
from garner_hw.measure.mont import shapes
from garner_hw.model.mont import Sizes, random_modulus, to_words
from garner_hw.simulate import simulate
from garner_hw.sources import sources

# Rows, W, HopCycles, moduli in bits. 62, 510 (W = 16), 763 (17), 1024 (18) fill their words to the last bit.
SHAPES = [
    (1, 18, 5, "64,520"),
    pytest.param(2, 16, 4, "62,64,510,512", marks=pytest.mark.soak),
    (3, 8, 6, "40"),
    (4, 17, 5, "512,763"),
    (8, 18, 5, "64,512,1024,2048"),  # the first has fewer words than there are rows
    pytest.param(15, 18, 5, "512,1024,2048,4096", marks=pytest.mark.soak),
    pytest.param(20, 18, 5, "64,256,320,1024,2048", marks=pytest.mark.soak),
    pytest.param(23, 18, 5, "1024,2048", marks=pytest.mark.soak),
]


@pytest.mark.parametrize("rows,w,hop,bits", SHAPES)
def test_mont(rows, w, hop, bits):
    simulate("mont", sources("mont"), __name__, {"Rows": rows, "W": w, "HopCycles": hop},
             {"ROWS": str(rows), "W": str(w), "HOP": str(hop), "BITS": bits})


SOAK = int(os.environ.get("HW_SOAK", "1"))  # `make soak`: so many times as many operations


async def run(driver: Driver, sizes: Sizes, contexts: list[int], operations: int, places: int = 6):
    """A random program over `places` operands in each context, now and then a pause; all operands compared at the end."""
    driver.configure(sizes)
    stride = sizes.words + random.randrange(3)
    base = {ctx: ctx * 4096 + random.randrange(7) for ctx in contexts}
    if len(contexts) == 1:
        base = {contexts[0]: random.randrange(8192 - places * stride)}
    moduli, values = {}, {}
    for ctx in contexts:
        moduli[ctx] = random_modulus(sizes)
        values[ctx] = [moduli[ctx].operand() for _ in range(places)]
        await driver.write_modulus(ctx, moduli[ctx])
        for i, value in enumerate(values[ctx]):
            await driver.write_operand(base[ctx] + i * stride, value, sizes)
    for _ in range(operations):
        ctx = random.choice(contexts)
        a, b, d = (random.randrange(places) for _ in range(3))
        if random.random() < 0.3:
            b = a  # a squaring, often in place
        values[ctx][d] = moduli[ctx].multiply(values[ctx][a], values[ctx][b])
        await driver.issue(ctx, *(base[ctx] + place * stride for place in (a, b, d)))
        if random.random() < 0.1:
            await driver.cycles(random.randrange(3 * sizes.words))
    await driver.idle()
    for ctx in contexts:
        for i, value in enumerate(values[ctx]):
            assert await driver.read_operand(base[ctx] + i * stride, sizes) == value, (sizes, ctx, i)


@cocotb.test(timeout_time=100 * SOAK, timeout_unit="ms")
async def random_programs_give_what_big_integers_give(dut):
    driver = Driver(dut, int(os.environ["W"]))
    await driver.start()
    for sizes in shapes():
        for _ in range(min(SOAK, 2)):
            for contexts in ([0], [1], [0, 1]):
                if sizes.words * 6 * len(contexts) < 6000:
                    operations = 200 if sizes.bits < 130 else 20 if sizes.bits < 2000 else 8
                    await run(driver, sizes, contexts, SOAK * operations)


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def first_operand_may_be_longer_than_the_modulus(dut):
    """a of twice the digits in enough passes: a * b / R mod n with the larger R, below 2 * N~ + a * b / R."""
    driver = Driver(dut, int(os.environ["W"]))
    await driver.start()
    for sizes in shapes():
        digits = 2 * sizes.words - 1
        if digits > 500:
            continue
        modulus, passes = random_modulus(sizes), -(-digits // sizes.rows)
        r = 1 << sizes.w * sizes.rows * passes
        a, b = random.getrandbits(sizes.w * digits), random.randrange(modulus.n)
        driver.configure(sizes, passes=passes, digits=digits)
        await driver.write_modulus(1, modulus)
        await driver.write(100, to_words(a, digits, sizes.w))
        await driver.write_operand(2000, b, sizes)
        await driver.issue(1, 100, 2000, 3000)
        await driver.idle()
        result = await driver.read_operand(3000, sizes)
        assert result * r % modulus.n == a * b % modulus.n and result < 2 * modulus.scaled


@cocotb.test(timeout_time=100, timeout_unit="ms")
async def reset_in_the_middle_leaves_no_trace(dut):
    driver = Driver(dut, int(os.environ["W"]))
    await driver.start()
    sizes = shapes()[0]
    for _ in range(5):
        driver.configure(sizes)
        for ctx in (0, 1, 0):
            await driver.issue(ctx, 0, 0, 0)
        for _ in range(random.randrange(2 * sizes.passes * sizes.words)):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 0
        await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        await driver.idle()
        await run(driver, sizes, [0, 1], 6)
