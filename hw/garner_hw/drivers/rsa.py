# SPDX-License-Identifier: Apache-2.0
"""Drives a `rsa_core` from outside, as the shell does: jobs, operand words, responses, result words, with stalls."""

import random
from dataclasses import dataclass

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject, LogicObject
from cocotb.triggers import ReadOnly, RisingEdge
from cocotb.utils import get_sim_time

from garner_hw.interface import load
from garner_hw.model.rsa import Key

RSA = load().rsa
TAG_BITS = RSA.descriptor["tag"].width
LOAD_MODULUS, LOAD_KEY, MULTIPLY, EXPONENTIATE, PRIVATE, ZEROISE = RSA.operations.of(
    "LoadModulus", "LoadKey", "Multiply", "Exponentiate", "Private", "Zeroise")
FIXED, LEFT_TO_RIGHT, RIGHT_TO_LEFT, SLIDING = RSA.schemes.of("FixedWindow", "LeftToRight", "RightToLeft", "SlidingWindow")
OK, BAD_OP, BAD_SLOT, EMPTY_SLOT, BAD_LENGTH, BAD_MODULUS, BAD_OPERAND, CHECK_FAILED = RSA.statuses.of(
    "Ok", "BadOp", "BadSlot", "EmptySlot", "BadLength", "BadModulus", "BadOperand", "CheckFailed")


def words32(value: int, bits: int) -> list[int]:
    return [value >> 32 * i & 0xFFFFFFFF for i in range(-(-bits // 32))]


@dataclass
class Job:
    """`words` is the whole operand stream; `result_words` how many a StatusOk answer brings."""

    op: int
    words: list[int]
    slot: int = 0
    bits: int = 0
    scheme: int = FIXED
    exponent_bits: int = 0
    result_words: int = 0

    def packed(self, tag: int) -> int:
        """As `job_t`."""
        value, fields = 0, {**vars(self), "tag": tag}
        for field in RSA.job:
            assert 0 <= fields[field.name] < 1 << field.width
            value = value << field.width | fields[field.name]
        return value

    @staticmethod
    def load_modulus(n: int, slot: int = 0, bits: int | None = None) -> "Job":
        bits = bits or n.bit_length()
        return Job(LOAD_MODULUS, words32(n, bits), slot, bits)

    @staticmethod
    def load_key(key: Key, slot: int = 0) -> "Job":
        half = key.bits // 2
        words = words32(key.n, key.bits) + words32(key.e, 32)
        for number in (key.p, key.q, key.dp, key.dq, key.qinv):
            words += words32(number, half)
        return Job(LOAD_KEY, words, slot, key.bits)

    @staticmethod
    def multiply(a: int, b: int, bits: int, slot: int = 0) -> "Job":
        return Job(MULTIPLY, words32(a, bits) + words32(b, bits), slot, result_words=bits // 32)

    @staticmethod
    def exponentiate(base: int, exponent: int, exponent_bits: int, bits: int, scheme: int = FIXED,
                     slot: int = 0) -> "Job":
        return Job(EXPONENTIATE, words32(base, bits) + words32(exponent, exponent_bits), slot, 0, scheme, exponent_bits,
                   bits // 32)

    @staticmethod
    def private(m: int, bits: int, slot: int = 0) -> "Job":
        return Job(PRIVATE, words32(m, bits), slot, result_words=bits // 32)

    @staticmethod
    def zeroise(slot: int = 0) -> "Job":
        return Job(ZEROISE, [], slot)


@dataclass
class Answer:
    status: int
    value: int | None
    cycles: int  # from the job taken to the last word out (or the response, if no words)


class Driver:
    """`stall` is the chance of a pause before each word, on every stream."""

    period = 10_000

    def __init__(self, dut: HierarchyObject, stall: float = 0) -> None:
        self.dut, self.stall, self.tag = dut, stall, random.getrandbits(16)

    async def start(self) -> None:
        dut = self.dut
        for port in (dut.job_valid_i, dut.job_i, dut.in_valid_i, dut.in_data_i, dut.in_last_i, dut.response_ready_i,
                     dut.out_ready_i, dut.zeroise_i):
            port.value = 0
        dut.rst_ni.value = 0
        cocotb.start_soon(Clock(dut.clk_i, self.period, "step").start())
        await self.reset()

    async def reset(self) -> None:
        dut = self.dut
        dut.rst_ni.value = 0
        dut.job_valid_i.value = dut.in_valid_i.value = dut.response_ready_i.value = dut.out_ready_i.value = 0
        for _ in range(3):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await self.ready()

    async def ready(self) -> None:
        """Until the core takes jobs; leaves just after a clock edge."""
        await RisingEdge(self.dut.clk_i)
        await ReadOnly()
        if self.dut.job_ready_o.value == 0:
            await RisingEdge(self.dut.job_ready_o)
        await RisingEdge(self.dut.clk_i)

    async def pause(self) -> None:
        while random.random() < self.stall:
            for _ in range(random.choice((1, 1, 2, 5, 40))):
                await RisingEdge(self.dut.clk_i)

    async def handshake(self, ready: LogicObject) -> None:
        """Until `ready` was seen high at a clock edge; sleeps while it is low."""
        while True:
            await ReadOnly()
            if ready.value == 1:
                await RisingEdge(self.dut.clk_i)
                return
            await RisingEdge(ready)

    async def send(self, words: list[int]) -> None:
        dut = self.dut
        for i, word in enumerate(words):
            await self.pause()
            dut.in_valid_i.value = 1
            dut.in_data_i.value = word
            dut.in_last_i.value = int(i == len(words) - 1)
            await self.handshake(dut.in_ready_o)
            dut.in_valid_i.value = 0

    async def run(self, job: Job) -> Answer:
        """One job from the word of command to the last word of its result; checks the protocol on the way."""
        dut = self.dut
        self.tag = self.tag + 1 & 0xFFFF
        sender = cocotb.start_soon(self.send(job.words))
        await self.pause()
        dut.job_i.value = job.packed(self.tag)
        dut.job_valid_i.value = 1
        await self.handshake(dut.job_ready_o)
        dut.job_valid_i.value = 0
        start = get_sim_time("step")

        await ReadOnly()
        if dut.response_valid_o.value == 0:
            await RisingEdge(dut.response_valid_o)
        await RisingEdge(dut.clk_i)
        await self.pause()
        dut.response_ready_i.value = 1
        await ReadOnly()
        assert dut.response_valid_o.value == 1
        response = int(dut.response_o.value)
        assert dut.out_valid_o.value == 0, "a result word before the response was taken"
        await RisingEdge(dut.clk_i)
        dut.response_ready_i.value = 0
        status, tag = divmod(response, 1 << TAG_BITS)  # as `response_t`
        assert tag == self.tag
        assert sender.done(), "answered before the operands were read"

        value = None
        if status == OK and job.result_words:
            value = 0
            for i in range(job.result_words):
                await self.pause()
                dut.out_ready_i.value = 1
                await ReadOnly()
                while dut.out_valid_o.value == 0:
                    await RisingEdge(dut.out_valid_o)
                    await ReadOnly()
                value |= int(dut.out_data_o.value) << 32 * i
                assert dut.out_last_o.value == int(i == job.result_words - 1)
                await RisingEdge(dut.clk_i)
                dut.out_ready_i.value = 0
        cycles = (get_sim_time("step") - start) // self.period
        await ReadOnly()
        assert dut.out_valid_o.value == 0, "words that belong to no result"
        await RisingEdge(dut.clk_i)
        return Answer(status, value, cycles)

    async def load(self, job: Job) -> None:
        assert (await self.run(job)).status == OK
