# SPDX-License-Identifier: Apache-2.0
"""template_port, the peripheral to copy: its accesses as soc_bus makes them. Copy this file, too."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources

OPERAND, RESULT, STATUS = range(3)
PATIENCE = 100  # cycles: an answer that takes longer is none


def test_template_port():
    simulate("template_port", sources("template_port"), __name__)


def packed(valid: int, write: int, word: int, data: int) -> int:
    """An access_t: valid, write, word of 14 bits, data of 32."""
    return valid << 47 | write << 46 | word << 32 | data


async def begin(dut) -> None:
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    dut.access_i.value, dut.cancel_i.value, dut.silent_i.value, dut.rst_ni.value = 0, 0, 0, 0
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


async def access(dut, word: int, write: int = 0, data: int = 0) -> tuple[int, int] | None:
    """The answer's data and how many cycles it took; None if there was none."""
    dut.access_i.value = packed(1, write, word, data)
    await RisingEdge(dut.clk_i)
    dut.access_i.value = 0
    for cycles in range(1, PATIENCE):
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        answer = int(dut.answer_o.value)
        await cocotb.triggers.NextTimeStep()
        if answer >> 32:
            return answer & 0xFFFFFFFF, cycles
    return None


@cocotb.test()
async def ones_are_counted(dut):
    await begin(dut)
    for operand in [0, 1, 1 << 31, (1 << 32) - 1, *(random.getrandbits(32) for _ in range(50))]:
        assert (await access(dut, OPERAND, 1, operand))[1] == 1
        found, cycles = await access(dut, RESULT)
        assert found == operand.bit_count() and cycles <= 1 + operand.bit_length(), hex(operand)


@cocotb.test()
async def status_is_answered_while_the_unit_computes(dut):
    await begin(dut)
    await access(dut, OPERAND, 1, 1 << 31)
    assert await access(dut, STATUS) == (1, 1)
    assert await access(dut, RESULT) != (0, 1)
    assert await access(dut, STATUS) == (0, 1)


@cocotb.test()
async def cancelled_access_is_never_answered_and_the_next_one_is(dut):
    await begin(dut)
    dut.silent_i.value = 1
    assert await access(dut, STATUS) is None
    dut.cancel_i.value = 1
    await RisingEdge(dut.clk_i)
    dut.cancel_i.value, dut.silent_i.value = 0, 0
    for _ in range(5):
        await RisingEdge(dut.clk_i)
        await ReadOnly()
        assert not int(dut.answer_o.value) >> 32
        await cocotb.triggers.NextTimeStep()
    assert await access(dut, STATUS) == (0, 1)
