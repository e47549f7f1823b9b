# SPDX-License-Identifier: Apache-2.0
"""row: whole Montgomery multiplications in simulation; the code here is the processor: it clears t, supplies b and m,
and starts passes. The explorer runs it for its figures, hw/explore/tb as a test.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject, LogicObject
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from garner_hw.explore.benches.multiplier import BOOTH
from garner_hw.explore.benches.operands import corners
from garner_hw.simulate import simulate
from garner_hw.sources import sources

CIOS, FIOS, TWO_ROW, CHAIN = range(4)
DEFAULTS = {"Algorithm": CHAIN, "W": 16, "Ports": 3, "Pipelined": 1, "Unroll": 1, "Rows": 4, "Stages": 1,
            "Multiplier": BOOTH, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None, module: str = __name__,
        observers: tuple[Path, ...] = ()) -> None:
    """Simulates one design with the tests of `module`; `record` receives what was measured, as JSON;
    `observers` are sources with modules that are bound to the unit."""
    complete = DEFAULTS | parameters
    environment = {"ROW": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("row_bench", [*sources("row_bench"), *observers], module, complete, environment, inside=("port_memory",))


class Processor:
    """What the seed's processor does around the unit, and the big integers to compare with."""

    def __init__(self, dut: HierarchyObject, parameters: dict) -> None:
        self.dut = dut
        self.word = parameters["W"]
        self.bits = parameters["Bits"]
        self.words = -(-self.bits // self.word)
        self.design = parameters["Algorithm"]
        self.rows = {CIOS: 1, FIOS: 1, TWO_ROW: 2, CHAIN: parameters["Rows"]}[self.design]
        self.mask = (1 << self.word) - 1
        self.steps = -(-self.words // self.rows) * self.rows  # words of b, zero above the operand
        self.t_words = 2 * self.words + self.rows + 5
        self.n = 1 << (self.words - 1).bit_length()  # where they are in the memory; a is at 0
        self.t = len(dut.u_memory.words) // 2
        self.products = 0  # the processor's own, word by word, for m

    async def reset(self, cycles: int | None = None) -> None:
        dut = self.dut
        dut.rst_ni.value = 0
        dut.y_valid_i.value = 0
        dut.start_valid_i.value = 0
        dut.start_n_i.value = 0
        dut.start_t_base_i.value = 0
        dut.watch_i.value = 0
        for _ in range(cycles or 4 * self.words):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)

    def split(self, number: int, words: int) -> list[int]:
        return [number >> (self.word * i) & self.mask for i in range(words)]

    def store(self, at: int, number: int, words: int) -> None:
        for i, word in enumerate(self.split(number, words)):
            self.dut.u_memory.words[at + i].value = word

    def low(self, base: int, words: int) -> int:
        """Words of t."""
        return sum(int(self.dut.u_memory.words[self.t + base + i].value) << (self.word * i) for i in range(words))

    async def start(self, y: list[int], is_n: bool, base: int) -> None:
        """Hands over the multiplier words and starts a pass as soon as the unit lets it."""
        dut = self.dut
        await self.wait(dut.y_ready_o)
        for word in y:
            dut.y_valid_i.value = 1
            dut.y_i.value = word
            await RisingEdge(dut.clk_i)
        dut.y_valid_i.value = 0
        dut.start_valid_i.value = 1
        dut.start_n_i.value = is_n
        dut.start_t_base_i.value = base
        await self.wait(dut.start_ready_o)
        await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 0

    async def wait(self, signal: LogicObject) -> None:
        """Until this is high; returns in the middle of that cycle."""
        await FallingEdge(self.dut.clk_i)
        while not int(signal.value):
            await RisingEdge(signal)
            await FallingEdge(self.dut.clk_i)

    def quotient(self, low: int, words: int) -> int:
        self.products += words * (words + 1) // 2
        return low * self.n_inverse % (1 << (self.word * words))

    async def multiply(self, a: int, b: int, n: int) -> int:
        """a * b / R mod n, below 2n, as the unit leaves it."""
        dut, rows = self.dut, self.rows
        self.n_inverse = pow(-n, -1, 1 << (self.word * rows))
        self.store(0, a, self.words)
        self.store(self.n, n, self.words)
        self.store(self.t, 0, self.t_words)
        await RisingEdge(dut.clk_i)
        b_words = self.split(b, self.steps)
        for i in range(0, self.steps, rows):
            if self.design == FIOS:
                m = self.quotient((self.low(i, 1) + a * b_words[i]) & self.mask, 1)
                self.products += 1
                await self.start([b_words[i], m], False, i)
                await self.wait(dut.done_o)
                await RisingEdge(dut.clk_i)
            else:
                await self.start(b_words[i:i + rows], False, i)
                dut.watch_i.value = i + rows - 1
                await RisingEdge(dut.reached_o)
                if self.design != CHAIN:
                    await self.drained()
                m = self.quotient(self.low(i, rows), rows)
                self.products += rows * (rows - 1) // 2
                await self.start(self.split(m, rows), True, i)
                if self.design != CHAIN:
                    await self.drained()
        await self.drained()
        await ReadOnly()
        result = self.low(self.steps, self.words + 1)
        assert self.low(0, self.steps) == 0, "the words reduced away are not zero"
        assert self.low(self.steps + self.words + 1, 5) == 0, "words above the result are not zero"
        await RisingEdge(dut.clk_i)
        return result

    @property
    def radix(self) -> int:
        """R, by which a product is divided."""
        return 1 << self.word * self.steps

    async def drained(self) -> None:
        await FallingEdge(self.dut.clk_i)
        if int(self.dut.busy_o.value):
            await FallingEdge(self.dut.busy_o)
            await FallingEdge(self.dut.clk_i)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_equal_big_integers(dut: HierarchyObject) -> None:
    parameters = json.loads(os.environ["ROW"])
    processor = Processor(dut, parameters)
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await processor.reset()
    bits = parameters["Bits"]
    cases = list(corners(bits, parameters["W"]))
    for _ in range(int(os.environ["NUMBERS"])):
        n = random.getrandbits(bits) | 1 | 1 << (bits - 1)
        cases.append((random.randrange(n), random.randrange(n), n))
    measured = set()
    for a, b, n in cases:
        before = int(dut.cycles_o.value), int(dut.words_o.value), processor.products
        t = await processor.multiply(a, b, n)
        assert t < 2 * n
        assert t % n == a * b * pow(processor.radix, -1, n) % n
        measured.add((int(dut.cycles_o.value) - before[0], int(dut.words_o.value) - before[1],
                      processor.products - before[2]))
    spread = max(c for c, _, _ in measured) - min(c for c, _, _ in measured)
    assert spread <= 2, "time depends on the operands"  # the first pass may wait for a slot
    cycles, words, products = max(measured)
    if "Predicted" in parameters:
        assert abs(cycles - parameters["Predicted"]) <= 0.03 * cycles, f"{cycles}, {parameters['Predicted']} predicted"
    dut._log.info(f"{parameters}: {cycles} cycles, {words} words, {products} products of the processor")
    if os.environ["RECORD"]:
        Path(os.environ["RECORD"]).write_text(json.dumps(
            {"cycles": cycles, "words_moved": words, "processor_products": products, "checked": len(cases)}))
