# SPDX-License-Identifier: Apache-2.0
"""The serial line's parts, each by itself: bytes come and go whole and in order, and what is none is said."""

import random
from collections import deque

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge, Timer

from garner_hw.drivers.uart import Line
from garner_hw.simulate import simulate
from garner_hw.sources import sources

PERIOD = 10  # ns
DIVISOR = 17


@pytest.mark.parametrize("top, parameters", [("byte_queue", {"Depth": 8}), ("uart_transmit", {"Divisor": DIVISOR}),
                                             ("uart_receive", {"Divisor": DIVISOR})])
def test_serial_part(top, parameters):
    simulate(top, sources(top), __name__, parameters, {"TOP": top})


async def begin(dut, **inputs: int) -> None:
    cocotb.start_soon(Clock(dut.clk_i, PERIOD, "ns").start())
    for name, value in ({"rst_ni": 0} | inputs).items():
        getattr(dut, name).value = value
    for _ in range(3):
        await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)


def of(top: str):
    """A test of this top alone."""
    import os

    return cocotb.test(skip=os.environ.get("TOP") != top)


@of("byte_queue")
async def every_byte_leaves_once_and_in_order_or_is_said_to_be_lost(dut):
    await begin(dut, put_i=0, data_i=0, take_i=0)
    inside, taken, lost = deque(), 0, 0
    for cycle in range(4000):
        busy = 0.2 if cycle // 500 % 2 else 0.9  # the queue runs empty, and full
        put, byte = random.random() < 0.5, random.randrange(256)
        dut.put_i.value, dut.data_i.value = put, byte
        await Timer(1, "ns")
        take = int(dut.valid_o.value) and random.random() > busy
        dut.take_i.value = take
        await ReadOnly()
        if take:
            assert int(dut.data_o.value) == inside.popleft()
            taken += 1
        if put:
            full = len(inside) + take == 8
            assert int(dut.lost_o.value) == full
            lost += full
            if not full:
                inside.append(byte)
        await RisingEdge(dut.clk_i)
    assert taken > 500 and lost > 100


@of("uart_transmit")
async def bytes_are_on_the_line_as_a_receiver_wants_them(dut):
    await begin(dut, valid_i=0, data_i=0)
    line = Line(None, dut.tx_o, DIVISOR * PERIOD)
    sent = [0, 255, 0x55, 0xAA, *(random.randrange(256) for _ in range(40))]

    async def give():
        for byte in sent:
            dut.valid_i.value, dut.data_i.value = 1, byte
            while True:
                await ReadOnly()
                taken = int(dut.ready_o.value)
                await RisingEdge(dut.clk_i)
                if taken:
                    break
            dut.valid_i.value = 0
            for _ in range(random.choice([0, 0, 300])):
                await RisingEdge(dut.clk_i)

    cocotb.start_soon(give())
    assert [await line.receive(1_000_000) for _ in sent] == sent


@of("uart_receive")
async def bytes_of_a_sender_that_is_three_percent_off_come_whole(dut):
    await begin(dut, rx_i=1)
    got = watched(dut)
    for rate in (0.97, 1.0, 1.03):
        sent = bytes([0, 255, 0x55, *(random.randrange(256) for _ in range(30))])
        await Line(dut.rx_i, None, rate * DIVISOR * PERIOD).send(sent)
        await Timer(2 * DIVISOR * PERIOD, "ns")
        assert bytes(got.bytes) == sent and got.broken == 0, rate
        got.bytes.clear()


@of("uart_receive")
async def a_glitch_is_no_byte_and_a_missing_stop_bit_is_said(dut):
    await begin(dut, rx_i=1)
    got = watched(dut)
    dut.rx_i.value = 0
    await Timer(DIVISOR * PERIOD // 4, "ns")
    dut.rx_i.value = 1
    await Timer(12 * DIVISOR * PERIOD, "ns")
    assert not got.bytes and got.broken == 0
    dut.rx_i.value = 0
    await Timer(10 * DIVISOR * PERIOD, "ns")  # no stop bit
    dut.rx_i.value = 1
    await Timer(12 * DIVISOR * PERIOD, "ns")
    assert not got.bytes and got.broken == 1
    await Line(dut.rx_i, None, DIVISOR * PERIOD).send(b"a")
    await Timer(2 * DIVISOR * PERIOD, "ns")
    assert bytes(got.bytes) == b"a"


class watched:
    """What a uart_receive gives."""

    def __init__(self, dut):
        self.bytes, self.broken = [], 0
        cocotb.start_soon(self.watch(dut))

    async def watch(self, dut):
        while True:
            await RisingEdge(dut.clk_i)
            await ReadOnly()
            if int(dut.valid_o.value):
                self.bytes.append(int(dut.data_o.value))
            self.broken += int(dut.broken_o.value)
