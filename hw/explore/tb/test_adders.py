# SPDX-License-Identifier: Apache-2.0
"""gated_add and choose_add: the twins of both families give the sum; the vendor's cells are our models of them."""

import os
import random

import cocotb
import pytest
from cocotb.triggers import Timer

from garner_hw.simulate import simulate
from garner_hw.sources import cells, sources


def run(top: str, family: str, parameters: dict, test: str):
    simulate(top, sources(top, family) + cells(family), __name__, parameters,
             {key.upper(): str(value) for key, value in parameters.items()} | {"COCOTB_TEST_FILTER": test}, variant=family)


@pytest.mark.parametrize("family", ["generic", "ecp5"])
@pytest.mark.parametrize("width,carry", [(16, 1), *(pytest.param(*other, marks=pytest.mark.soak)
                                                  for other in ((5, 0), (17, 1), (18, 0)))])
def test_gated_add(family, width, carry):
    run("gated_add", family, {"Width": width, "CarryIn": carry}, "sum_of_what_is_enabled")


@pytest.mark.parametrize("family", ["generic", "ecp5"])
@pytest.mark.parametrize("width", [39, pytest.param(16, marks=pytest.mark.soak)])
def test_choose_add(family, width):
    run("choose_add", family, {"Width": width}, "sum_of_what_is_chosen")


def operand(width: int) -> int:
    return random.choice((0, 1, (1 << width) - 1, 1 << width - 1, *[random.getrandbits(width)] * 6))


@cocotb.test()
async def sum_of_what_is_enabled(dut):
    width, carry_in = int(os.environ["WIDTH"]), int(os.environ["CARRYIN"])
    for _ in range(2000):
        a, b = operand(width), operand(width)
        a_enable, b_enable, carry = (random.getrandbits(1) for _ in range(3))
        dut.a_i.value, dut.a_enable_i.value = a, a_enable
        dut.b_i.value, dut.b_enable_i.value = b, b_enable
        dut.carry_i.value = carry
        await Timer(1, "ns")
        assert int(dut.sum_o.value) == a * a_enable + b * b_enable + carry * carry_in


@cocotb.test()
async def sum_of_what_is_chosen(dut):
    width = int(os.environ["WIDTH"])
    for _ in range(2000):
        a, b, c, select = operand(width), operand(width), operand(width), random.getrandbits(1)
        dut.a_i.value, dut.b_i.value, dut.c_i.value, dut.select_i.value = a, b, c, select
        await Timer(1, "ns")
        assert int(dut.sum_o.value) == (a + (c if select else b)) % (1 << width)
