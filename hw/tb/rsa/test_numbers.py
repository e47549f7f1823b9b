# SPDX-License-Identifier: Apache-2.0
"""rsa_sizes and orup_scale: the small numbers that the large ones hang on."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge
from garner_hw.model.rsa import Sizes
from garner_hw.simulate import simulate
from garner_hw.sources import sources



@pytest.mark.parametrize("w, rows", [(18, 15), *(pytest.param(*other, marks=pytest.mark.soak) for other in ((17, 8), (16, 1)))])
def test_sizes(w, rows):
    simulate("rsa_sizes", sources("rsa_sizes"), __name__, {"W": w, "Rows": rows},
             {"W": str(w), "ROWS": str(rows), "COCOTB_TEST_FILTER": "sizes_are"})


@pytest.mark.parametrize("w", [18, pytest.param(16, marks=pytest.mark.soak)])
def test_scale(w):
    simulate("orup_scale", sources("orup_scale"), __name__, {"W": w},
             {"W": str(w), "COCOTB_TEST_FILTER": "scale_is"})


async def start(dut, *ports):
    for port in ports:
        port.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


@cocotb.test()
async def sizes_are_those_of_the_model_for_every_length(dut):
    await start(dut, dut.start_i, dut.bits_i)
    for bits in [*range(256, 4097, 32)] if int(os.environ["ROWS"]) == 15 else [*range(256, 4097, 416), 4096]:
        dut.bits_i.value, dut.start_i.value = bits, 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        await FallingEdge(dut.busy_o)
        sizes, got = Sizes(bits, int(os.environ["W"]), int(os.environ["ROWS"])), int(dut.sizes_o.value)
        assert (got >> 24, got >> 15 & 511, got >> 5 & 1023) == (sizes.words, sizes.passes, sizes.digits)
        stride = (got & 31) << 5  # a power of two, more than the words, and at least 32
        assert stride.bit_count() == 1 and stride > sizes.words and (stride == 32 or stride // 2 <= sizes.words)
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def scale_is_minus_the_inverse_of_the_lowest_word(dut):
    w = int(os.environ["W"])
    await start(dut, dut.start_i, dut.word_i, dut.next_i)
    for i in range(200):
        word = (1, (1 << w) - 1, 3)[i] if i < 3 else random.getrandbits(w) | 1
        dut.word_i.value, dut.start_i.value = word, 1
        await RisingEdge(dut.clk_i)
        dut.start_i.value = 0
        for _ in range(w):
            await RisingEdge(dut.clk_i)
        scale = 0
        dut.next_i.value = 1
        for _ in range(w):
            await ReadOnly()
            scale = scale << 1 | int(dut.bit_o.value)
            await RisingEdge(dut.clk_i)
        dut.next_i.value = 0
        assert (scale * word + 1) % (1 << w) == 0
