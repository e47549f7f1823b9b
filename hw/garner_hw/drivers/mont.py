# SPDX-License-Identifier: Apache-2.0
"""How to drive a `mont` from cocotb."""

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from garner_hw.model.mont import Modulus, Sizes, from_words, to_words

HOST_READ_LATENCY = 4
INDEX_WIDTH = 9  # of mont_pkg
ADDRESS_WIDTH = 13


class Driver:
    """Host port and operation port of a `mont`. Words of the operand memory are addressed as the caller likes."""

    period = 10_000  # of the clock, in simulation steps

    def __init__(self, dut: HierarchyObject, w: int) -> None:
        self.dut, self.w = dut, w

    async def start(self) -> None:
        dut = self.dut
        for port in (dut.op_valid_i, dut.op_i, dut.config_i, dut.host_read_i, dut.host_write_enable_i, dut.host_write_i,
                     dut.host_write_data_i):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, self.period, "step").start())
        await self.reset()

    async def reset(self) -> None:
        self.dut.rst_ni.value = 0
        for _ in range(3):
            await RisingEdge(self.dut.clk_i)
        self.dut.rst_ni.value = 1
        await self.idle()

    async def idle(self) -> None:
        """Until not busy; leaves just after a clock edge."""
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        if self.dut.busy_o.value == 1:
            await FallingEdge(self.dut.busy_o)
        await RisingEdge(self.dut.clk_i)

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk_i)

    def configure(self, sizes: Sizes, passes: int | None = None, digits: int | None = None) -> None:
        """`digits` of the operand a, if other than `words`; then `passes` that are enough for them."""
        words = [digits or sizes.words, passes or sizes.passes, sizes.words]
        self.dut.config_i.value = from_words(words, INDEX_WIDTH)

    async def write(self, address: int, words: list[int]) -> None:
        dut = self.dut
        dut.host_write_enable_i.value = 1
        for i, word in enumerate(words):
            dut.host_write_i.value = address + i
            dut.host_write_data_i.value = word
            await RisingEdge(dut.clk_i)
        dut.host_write_enable_i.value = 0

    async def read(self, address: int, count: int) -> list[int]:
        dut, words = self.dut, []
        for i in range(count + HOST_READ_LATENCY):
            dut.host_read_i.value = address + min(i, count - 1)
            await ReadOnly()
            if i >= HOST_READ_LATENCY:
                words.append(int(dut.host_read_data_o.value))
            await RisingEdge(dut.clk_i)
        return words

    async def write_modulus(self, ctx: int, modulus: Modulus) -> None:
        words = to_words(modulus.nb, modulus.sizes.words, self.w)
        await self.write(1 << ADDRESS_WIDTH | ctx << INDEX_WIDTH, words)

    async def write_operand(self, address: int, value: int, sizes: Sizes) -> None:
        await self.write(address, to_words(value, sizes.words, self.w))

    async def read_operand(self, address: int, sizes: Sizes) -> int:
        return from_words(await self.read(address, sizes.words), self.w)

    async def issue(self, ctx: int, a: int, b: int, d: int) -> None:
        """Gives one operation as soon as the queue of its context takes it."""
        dut = self.dut
        dut.op_i.value = ((ctx << ADDRESS_WIDTH | a) << ADDRESS_WIDTH | b) << ADDRESS_WIDTH | d
        dut.op_valid_i.value = 1
        while True:
            await ReadOnly()
            taken = int(dut.op_ready_o.value) >> ctx & 1
            await RisingEdge(dut.clk_i)
            if taken:
                break
        dut.op_valid_i.value = 0
