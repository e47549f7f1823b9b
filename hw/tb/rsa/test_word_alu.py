# SPDX-License-Identifier: Apache-2.0
"""word_alu: every kind of pass against big integers: signs, repetitions, places, streams that stall, an abort."""

import random

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw.simulate import simulate
from garner_hw.sources import sources

W = 18
X_ZERO, X_SAME, X_DOUBLE, X_DOWN = range(4)
PLUS, PLUS_ONE, MINUS, TOWARDS, IF_NEGATIVE, BY_SCALE = range(6)
NONE, SLOT, OPERAND, MODULUS, STREAM, UNIT, POWER = range(7)
HOST_LATENCY = 4
DEPTH = 1024


def test_word_alu():
    simulate("word_alu", sources("word_alu"), __name__, {"W": W, "AccumulatorWords": 128})


class Bench:
    """The memories around the ALU. `memory[SLOT | OPERAND | MODULUS]`, word by word; `sent`: to the out stream."""

    def __init__(self, dut):
        self.dut = dut
        self.memory = {space: [0] * DEPTH for space in (SLOT, OPERAND, MODULUS)}
        self.sent, self.input, self.scale, self.owed, self.stall = [], [], 0, 0, 0

    async def start(self):
        dut = self.dut
        for port in (dut.start_i, dut.abort_i, dut.pass_i, dut.last_i, dut.times_i, dut.power_index_i, dut.slot_read_i,
                     dut.slot_write_i, dut.host_read_i, dut.host_write_i, dut.scale_bit_i, dut.slot_read_data_i,
                     dut.host_read_data_i, dut.in_valid_i, dut.in_word_i, dut.out_taken_i):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
        await RisingEdge(dut.clk_i)
        await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1

    async def run(self, x, sign, y, d, words, keep=1, times=1, y_base=0, d_base=0, power=0, abort=-1) -> int:
        """One pass; returns its cycles."""
        dut = self.dut
        dut.pass_i.value = (((x << 3 | sign) << 1 | keep) << 3 | y) << 3 | d
        dut.last_i.value, dut.times_i.value, dut.power_index_i.value = words - 1, times, power
        dut.slot_read_i.value = dut.host_read_i.value = y_base
        dut.slot_write_i.value = dut.host_write_i.value = d_base
        slot_late, host_late, cycles = [0] * 2, [0] * HOST_LATENCY, 0
        dut.start_i.value = 1
        while True:
            offer = bool(self.input) and random.random() >= self.stall
            take = self.owed > 0 and random.random() >= self.stall
            dut.in_valid_i.value, dut.in_word_i.value = int(offer), self.input[0] if offer else 0
            dut.out_taken_i.value = int(take)
            dut.slot_read_data_i.value, dut.host_read_data_i.value = slot_late.pop(0), host_late.pop(0)
            dut.scale_bit_i.value = self.scale >> W - 1 & 1
            dut.abort_i.value = int(cycles == abort)
            await ReadOnly()
            if dut.in_ready_o.value == 1 and offer:
                self.input.pop(0)
            self.owed += (dut.out_valid_o.value == 1) - take
            if dut.out_valid_o.value == 1:
                self.sent.append(int(dut.write_data_o.value))
            assert self.owed <= 16, "more words than the queue has room for"
            data = int(dut.write_data_o.value) if dut.write_data_o.value.is_resolvable else 0
            if dut.slot_write_enable_o.value == 1:
                self.memory[SLOT][int(dut.slot_write_address_o.value) % DEPTH] = data
            if dut.host_write_enable_o.value == 1:
                place = int(dut.host_write_o.value)
                self.memory[MODULUS if place >> 13 else OPERAND][place % DEPTH] = data
            if dut.scale_next_o.value == 1:
                self.scale = self.scale << 1 & (1 << W) - 1
            slot, host = dut.slot_read_address_o.value, dut.host_read_o.value
            slot_late.append(self.memory[SLOT][int(slot) % DEPTH] if slot.is_resolvable else 0)
            host_late.append(self.memory[MODULUS if host.is_resolvable and int(host) >> 13 else OPERAND]
                             [int(host) % DEPTH] if host.is_resolvable else 0)
            done = cycles > 0 and dut.busy_o.value == 0
            await RisingEdge(dut.clk_i)
            dut.start_i.value = 0
            cycles += 1
            if done:
                dut.in_valid_i.value = dut.out_taken_i.value = dut.abort_i.value = 0
                await RisingEdge(dut.clk_i)  # zero_o is a cycle behind busy_o
                return cycles

    def put(self, space, base, value, words):
        for i in range(words):
            self.memory[space][base + i] = value >> W * i & (1 << W) - 1

    def get(self, space, base, words) -> int:
        return sum(self.memory[space][base + i] << W * i for i in range(words))

    async def set(self, value, words):
        """The accumulator, through the in stream."""
        self.input = [value >> W * i & (1 << W) - 1 for i in range(words)]
        await self.run(X_ZERO, PLUS, STREAM, NONE, words)


def pattern(bits: int) -> int:
    """Numbers with long carries among them."""
    return random.choice((0, 1, (1 << bits) - 1, (1 << bits) - 2, 1 << bits - 1, random.getrandbits(bits),
                          random.getrandbits(bits), ((1 << bits) - 1) ^ random.getrandbits(W)))


@cocotb.test()
async def every_kind_of_pass_is_right(dut):
    bench = Bench(dut)
    await bench.start()
    for i in range(300):
        words = random.choice((2, 3, 16, 29, random.randrange(2, 100)))
        space = 1 << W * words
        bench.stall = random.choice((0, 0, 0.4))
        a, b = pattern(W * words), pattern(W * words)
        x, sign, y, d = (random.choice(kinds) for kinds in ((0, 1, 2, 3), range(6), range(7), range(5)))
        bench.scale = random.getrandbits(W)
        scale_bit = bench.scale >> W - 1
        await bench.set(a, words)
        negative = a >> W * words - 1
        assert dut.negative_o.value == negative and dut.zero_o.value == (a == 0)
        power = random.randrange(words)
        base, d_base = random.randrange(300), random.randrange(400, 700)
        if y in bench.memory:
            bench.put(y, base, b, words)
        bench.input, bench.sent = [b >> W * k & (1 << W) - 1 for k in range(words)], []
        await bench.run(x, sign, y, d, words, y_base=base, d_base=d_base, power=power, keep=1)
        low = space >> W
        xs = {X_ZERO: 0, X_SAME: a, X_DOUBLE: 2 * a, X_DOWN: a >> W}[x]
        ys = {NONE: 0, SLOT: b, OPERAND: b % low, MODULUS: b % low, STREAM: b, UNIT: 1, POWER: 1 << W * power}[y]
        factor = {PLUS: 1, PLUS_ONE: 1, MINUS: -1, TOWARDS: 1 if negative else -1, IF_NEGATIVE: negative,
                  BY_SCALE: scale_bit}[sign]
        expected = (xs + factor * ys + (sign == PLUS_ONE)) % space
        if d in bench.memory:
            assert bench.get(d, d_base, words) == expected
        if d == STREAM:
            assert sum(word << W * k for k, word in enumerate(bench.sent)) == expected and len(bench.sent) == words
        assert dut.negative_o.value == expected >> W * words - 1 and dut.zero_o.value == (expected == 0)
        bench.stall = 0
        await bench.run(X_SAME, PLUS, NONE, SLOT, words, d_base=d_base)  # what is in the accumulator
        assert bench.get(SLOT, d_base, words) == expected


@cocotb.test()
async def repeated_passes_divide_and_multiply(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(8):
        words = random.randrange(17, 30)
        n = random.getrandbits(W * (words - 2)) | 1 << W * (words - 2) - 1
        bench.put(SLOT, 50, n, words)
        # a shift-and-add multiplication
        bench.scale = factor = random.getrandbits(W)
        await bench.run(X_ZERO, PLUS, NONE, NONE, words)
        await bench.run(X_DOUBLE, BY_SCALE, SLOT, OPERAND, words, times=W, y_base=50, d_base=500)
        assert bench.get(OPERAND, 500, words) == n * factor
        # doublings modulo n
        times = random.randrange(1, 60)
        start = words - 4
        await bench.run(X_ZERO, PLUS, POWER, NONE, words, power=start)
        cycles = await bench.run(X_DOUBLE, TOWARDS, SLOT, NONE, words, times=times, y_base=50)
        await bench.run(X_SAME, IF_NEGATIVE, SLOT, OPERAND, words, y_base=50, d_base=500)
        assert bench.get(OPERAND, 500, words) == (1 << W * start + times) % n
        assert cycles == times * (words + 7) + 3, "a repetition costs its words and 7 cycles"


@cocotb.test()
async def after_an_abort_the_next_pass_is_right(dut):
    bench = Bench(dut)
    await bench.start()
    for _ in range(60):
        bench.input = []
        y = random.choice((SLOT, STREAM, OPERAND))  # STREAM: nothing ever comes
        await bench.run(X_DOUBLE, TOWARDS, y, SLOT, 20, times=3, d_base=300,
                        abort=random.randrange(1, 30 if y == STREAM else 60))
        a, b = pattern(W * 20), pattern(W * 20)
        await bench.set(a, 20)
        bench.put(SLOT, 7, b, 20)
        await bench.run(X_SAME, MINUS, SLOT, OPERAND, 20, y_base=7, d_base=100)
        assert bench.get(OPERAND, 100, 20) == (a - b) % (1 << W * 20)
