# SPDX-License-Identifier: Apache-2.0
"""multiplier, ram and reset_buffer: the twins of all families do the same, cycle by cycle; the vendors' cells
are our models of them."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from garner_hw.simulate import simulate
from garner_hw.sources import FAMILIES, cells, sources


def run(top: str, family: str, parameters: dict, test: str):
    simulate(top, sources(top, family) + cells(family), __name__, parameters,
             {key.upper(): str(value) for key, value in parameters.items()} | {"COCOTB_TEST_FILTER": test}, variant=family)


# The widest there is, and the one without a pipeline register; a DSP48E1 has 17 bits of unsigned factors
@pytest.mark.parametrize("family,width", [("generic", 18), ("ecp5", 18), ("xilinx7", 17)])
@pytest.mark.parametrize("pipeline", [1, pytest.param(0, marks=pytest.mark.soak)])
def test_multiplier(family, width, pipeline):
    run("multiplier", family, {"Width": width, "PipelineRegister": pipeline}, "product_of_the_operands_in_its_cycle")


@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("width,depth", [(18, 1024), *(pytest.param(*other, marks=pytest.mark.soak)
                                                    for other in ((17, 8192), (16, 2048)))])
def test_ram(family, width, depth):
    run("ram", family, {"Width": width, "Depth": depth}, "words_come_back_from_where_they_went")


@pytest.mark.parametrize("family", FAMILIES)
def test_reset_buffer(family):
    run("reset_buffer", family, {}, "reset_comes_at_once_and_goes_two_cycles_later")


@cocotb.test()
async def product_of_the_operands_in_its_cycle(dut):
    width, latency = int(os.environ["WIDTH"]), 2 + int(os.environ["PIPELINEREGISTER"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    products = []
    for cycle in range(2000):
        corners = (0, 1, (1 << width) - 1, 1 << width - 1)
        a, b = (random.choice(corners) if random.random() < 0.2 else random.getrandbits(width) for _ in range(2))
        dut.a_i.value, dut.b_i.value = a, b
        products.append(a * b)
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if len(products) >= latency:
            assert int(dut.product_o.value) == products[-latency], cycle
        await cocotb.triggers.NextTimeStep()


@cocotb.test()
async def words_come_back_from_where_they_went(dut):
    width, depth = int(os.environ["WIDTH"]), int(os.environ["DEPTH"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    memory, expected = {}, []
    places = random.sample(range(depth), min(depth, 40)) + [0, depth - 1]
    for cycle in range(3000):
        write = random.random() < 0.6
        write_address, read_address = random.choice(places), random.choice(places)
        data = random.getrandbits(width)
        if write and write_address == read_address:
            write = False  # what is read then is not said
        dut.write_enable_i.value, dut.write_address_i.value, dut.write_data_i.value = int(write), write_address, data
        dut.read_address_i.value = read_address
        expected.append(memory.get(read_address))
        if write:
            memory[write_address] = data
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        if len(expected) >= 2 and expected[-2] is not None:
            assert int(dut.read_data_o.value) == expected[-2], cycle
        await cocotb.triggers.NextTimeStep()


@cocotb.test()
async def reset_comes_at_once_and_goes_two_cycles_later(dut):
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    for cycles in (1, 2, 5):
        await RisingEdge(dut.clk_i)
        await Timer(1, "ns")
        assert dut.rst_no.value == 0
        dut.rst_ni.value = 1
        await Timer(1, "ns")
        assert dut.rst_no.value == 0, "released with no edge of the clock"
        for cycle in range(1, cycles + 1):
            await RisingEdge(dut.clk_i)
            await Timer(1, "ns")
            assert dut.rst_no.value == (cycle > 1)
        dut.rst_ni.value = 0
        await Timer(1, "ns")
        assert dut.rst_no.value == 0, "waits for the clock"
