# SPDX-License-Identifier: Apache-2.0
"""The block RAM that an FPGA's configuration fills: what synthesis made of soc_memory holds its file and does as the source.

Seen from its ports alone: there is nothing else of the source in a netlist.
"""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from garner_hw import BUILD
from garner_hw.simulate import simulate
from garner_hw.synthesis import netlist

SEED = 7


def contents(words: int) -> list[int]:
    return [random.Random(f"{SEED}-{words}-{i}").getrandbits(32) for i in range(words)]


# Block RAMs of 18 bits and of 4: the first have enables for bytes.
@pytest.mark.parametrize("words", [1024, pytest.param(4096, marks=pytest.mark.soak)])
def test_ecp5_netlist_holds_its_file_and_does_what_the_source_does(words):
    image = BUILD / f"soc-memory-{words}.hex"
    BUILD.mkdir(exist_ok=True)
    image.write_text("".join(f"{word:08x}\n" for word in contents(words)))
    sources, counts = netlist.ecp5("soc_memory", {"Words": words}, contents=image)
    assert counts["DP16KD"] == words * 32 // 16384
    simulate("soc_memory", sources, __name__, {}, {"WORDS": str(words)}, variant=f"netlist-{words}",
             build_arguments=netlist.BUILD_ARGUMENTS, inside=None, soon=True)


@cocotb.test(timeout_time=10, timeout_unit="ms")
async def words_are_those_of_the_file_until_they_are_written(dut):
    words = int(os.environ["WORDS"])
    memory, chance = contents(words), random.Random(SEED)
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    for port in ("wait_i", "instruction_valid_i", "instruction_address_i", "data_valid_i", "data_write_i", "data_strobe_i",
                 "data_address_i", "data_i"):
        getattr(dut, port).value = 0
    dut.rst_ni.value = 0
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1

    async def instruction(address: int) -> int:
        dut.instruction_valid_i.value, dut.instruction_address_i.value = 1, address
        while True:
            await RisingEdge(dut.clk_i)
            if int(dut.instruction_ready_o.value):
                dut.instruction_valid_i.value = 0
                return int(dut.instruction_data_o.value)

    async def data(address: int, strobe: int, value: int) -> int:
        dut.data_valid_i.value, dut.data_address_i.value = 1, address
        dut.data_write_i.value, dut.data_strobe_i.value, dut.data_i.value = int(strobe > 0), strobe, value
        while True:
            await RisingEdge(dut.clk_i)
            if int(dut.data_ready_o.value):
                dut.data_valid_i.value = 0
                return int(dut.data_o.value)

    for address in (0, 1, words - 1, *(chance.randrange(words) for _ in range(300))):
        assert await instruction(address) == memory[address], f"instruction {address:#x}"
    for _ in range(600):
        address, strobe, value = chance.randrange(words), chance.choice((0, 1, 2, 4, 8, 3, 12, 15)), chance.getrandbits(32)
        before = memory[address]
        assert await data(address, strobe, value) == before, f"data {address:#x}"
        mask = sum(0xFF << 8 * i for i in range(4) if strobe >> i & 1)
        memory[address] = before & ~mask | value & mask
        if chance.random() < 0.5:
            assert await instruction(address) == memory[address], f"instruction {address:#x}, written"
