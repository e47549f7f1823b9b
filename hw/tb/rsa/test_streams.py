# SPDX-License-Identifier: Apache-2.0
"""unpacker and packer: numbers cross between 32-bit words and words of the core unchanged, whatever stalls."""

import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources



@pytest.mark.parametrize("w", [18, pytest.param(16, marks=pytest.mark.soak)])
@pytest.mark.parametrize("top", ["unpacker", "packer"])
def test_streams(top, w):
    simulate(top, sources(top), __name__,
             {"W": w}, {"W": str(w), "COCOTB_TEST_FILTER": rf"\.{top}_"})


async def start(dut, *ports):
    for port in ports:
        port.value = 0
    dut.rst_ni.value = 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1


class Operands:
    """Operands of random lengths in one stream of 32-bit words, which may be too short for them or too long."""

    def __init__(self, dut):
        self.dut = dut
        self.counts = [random.choice((1, 2, 9, 16, random.randrange(1, 40))) for _ in range(random.randrange(1, 4))]
        sent = sum(self.counts) + random.choice((0, 0, 0, -1, 3))
        self.stream = [random.getrandbits(32) for _ in range(max(sent, 1))]
        self.position = 0

    async def cycle(self, pop: bool) -> int | None:
        """One cycle: offers the next stream word, takes a word of the core if there is one."""
        dut, sent = self.dut, len(self.stream)
        offer = self.position < sent and random.random() < 0.8
        dut.in_valid_i.value = int(offer)
        dut.in_data_i.value = self.stream[self.position] if offer else random.getrandbits(32)
        dut.in_last_i.value = int(offer and self.position == sent - 1)
        await ReadOnly()
        ready, there = dut.in_ready_o.value == 1, dut.word_valid_o.value == 1
        word = int(dut.word_o.value) if pop and there else None
        await cocotb.triggers.NextTimeStep()
        dut.word_pop_i.value = int(word is not None)
        await RisingEdge(dut.clk_i)
        dut.word_pop_i.value = 0
        self.position += offer and ready
        return word

    async def operand(self, count: int) -> int:
        """The number that the words of the next operand are, and of those behind it, which ought to be zero."""
        dut, w = self.dut, int(os.environ["W"])
        dut.begin_i.value, dut.count_i.value = 1, count
        dut.in_valid_i.value = 0
        await RisingEdge(dut.clk_i)
        dut.begin_i.value = 0
        await RisingEdge(dut.clk_i)  # until then word_o may be one of the operand before
        words: list[int] = []
        while len(words) < -(-32 * count // w) + random.randrange(5):
            word = await self.cycle(random.random() < 0.9)
            if word is not None:
                words.append(word)
        return sum(word << w * i for i, word in enumerate(words))


async def streams(dut):
    """Many of them, one after the other; the unpacker is cleared between them."""
    await start(dut, dut.clear_i, dut.wipe_i, dut.begin_i, dut.count_i, dut.drain_i, dut.in_valid_i, dut.in_data_i,
                dut.in_last_i, dut.word_pop_i)
    for _ in range(150):
        dut.clear_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.clear_i.value = 0
        yield Operands(dut)


@cocotb.test()
async def unpacker_gives_every_operand_and_zeros_behind_it(dut):
    async for operands in streams(dut):
        taken = 0
        for count in operands.counts:
            words = operands.stream[taken:taken + count]
            assert await operands.operand(count) == sum(word << 32 * i for i, word in enumerate(words))
            taken += count


@cocotb.test()
async def unpacker_tells_whether_the_stream_was_short_and_whether_it_has_ended(dut):
    async for operands in streams(dut):
        for count in operands.counts:
            await operands.operand(count)
        await ReadOnly()
        assert dut.short_o.value == int(len(operands.stream) < sum(operands.counts))
        assert dut.ended_o.value == int(len(operands.stream) <= sum(operands.counts))
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def unpacker_drops_what_is_left_of_the_stream(dut):
    async for operands in streams(dut):
        for count in operands.counts:
            await operands.operand(count)
        dut.drain_i.value = 1
        for _ in range(40):
            await operands.cycle(False)
        dut.drain_i.value = 0
        assert operands.position == len(operands.stream)
        await ReadOnly()
        assert dut.ended_o.value == 1
        await RisingEdge(dut.clk_i)


@cocotb.test()
async def unpacker_keeps_nothing_of_words_that_were_popped_dropped_or_wiped(dut):
    await start(dut, dut.clear_i, dut.wipe_i, dut.begin_i, dut.count_i, dut.drain_i, dut.in_valid_i, dut.in_data_i,
                dut.in_last_i, dut.word_pop_i)
    dut.in_data_i.value = 0xFFFFFFFF  # any trace of it shows
    registers = [getattr(dut, name) for name in ("in_q", "low_q", "pair_q", "cut_q", "word_o")]

    async def pulse(port):
        port.value = 1
        await RisingEdge(dut.clk_i)
        port.value = 0

    async def cycles(count: int):
        for _ in range(count):
            await RisingEdge(dut.clk_i)

    async def nothing_is_left(*more):
        await ReadOnly()
        assert not [register._name for register in (*registers, *more) if int(register.value)]
        await RisingEdge(dut.clk_i)

    for _ in range(60):
        # popped, and more words than there are
        await pulse(dut.clear_i)
        dut.count_i.value = count = random.randrange(1, 9)
        await pulse(dut.begin_i)
        dut.in_valid_i.value = dut.word_pop_i.value = 1
        await cycles(20 + 4 * count)
        await nothing_is_left()
        # wiped in the middle
        dut.count_i.value = 9
        await pulse(dut.begin_i)
        dut.word_pop_i.value = random.getrandbits(1)
        await cycles(random.randrange(3, 30))
        await pulse(dut.wipe_i)
        await cycles(2)
        await nothing_is_left(dut.top_o)
        # dropped
        dut.drain_i.value = 1
        await cycles(random.randrange(4, 9))
        await nothing_is_left(dut.top_o)
        dut.drain_i.value = dut.in_valid_i.value = dut.word_pop_i.value = 0
        await cycles(2)


@cocotb.test()
async def packer_gives_the_words_of_the_result_and_marks_the_last(dut):
    w = int(os.environ["W"])
    await start(dut, dut.begin_i, dut.count_i, dut.word_valid_i, dut.word_i, dut.out_ready_i)
    for _ in range(150):
        count = random.choice((1, 2, 9, 16, random.randrange(1, 40)))
        value = random.getrandbits(32 * count)
        total = -(-32 * count // w) + random.randrange(4)
        words = [(value | random.getrandbits(60) << 32 * count) >> w * i & (1 << w) - 1 for i in range(total)]
        dut.begin_i.value, dut.count_i.value = 1, count
        await RisingEdge(dut.clk_i)
        dut.begin_i.value = 0
        credit, got, stall = 16, [], random.choice((0, 0.5, 0.95))
        while words or dut.busy_o.value == 1:
            send = bool(words) and credit > 0 and random.random() < 0.9
            dut.word_valid_i.value = int(send)
            dut.word_i.value = words.pop(0) if send else 0
            dut.out_ready_i.value = int(random.random() >= stall)
            await ReadOnly()
            credit += int(dut.word_taken_o.value) - send
            if dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1:
                got.append(int(dut.out_data_o.value))
                assert dut.out_last_o.value == int(len(got) == count)
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            await cocotb.triggers.NextTimeStep()
        dut.word_valid_i.value = 0
        for _ in range(20):  # what is too much leaves the queue too
            await ReadOnly()
            credit += int(dut.word_taken_o.value)
            await RisingEdge(dut.clk_i)
        assert credit == 16
        assert sum(word << 32 * i for i, word in enumerate(got)) == value and len(got) == count
