# SPDX-License-Identifier: Apache-2.0
"""fifo_rows: whole Montgomery multiplications in simulation; the code here is the processor, which supplies the words
of b alone. hw/explore/tb runs it as a test.
"""

import json
import os
import random
from pathlib import Path

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import FallingEdge, RisingEdge

from garner_hw.explore.benches.multiplier import BOOTH
from garner_hw.explore.benches.operands import corners
from garner_hw.simulate import simulate
from garner_hw.sources import sources

DEFAULTS = {"W": 16, "Ports": 2, "Rows": 2, "Stages": 3, "Multiplier": BOOTH, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None, module: str = __name__,
        observers: tuple[Path, ...] = ()) -> None:
    """Simulates one design with the tests of `module`; `record` receives what was measured, as JSON;
    `observers` are sources with modules that are bound to the unit."""
    complete = DEFAULTS | parameters
    environment = {"ROWS": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("fifo_rows_bench", [*sources("fifo_rows_bench"), *observers], module, complete, environment,
             inside=("port_memory",))


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of fifo_rows."""
    words, rows, stages = -(-parameters["Bits"] // parameters["W"]), parameters["Rows"], parameters["Stages"]
    interval = max(words + stages + 1, rows * (2 * stages + 5) + 3)
    return -(-words // rows) * interval + stages + words + 5


class Processor:
    """What the processor does around the unit: the words of b."""

    def __init__(self, dut: HierarchyObject, parameters: dict) -> None:
        self.dut = dut
        self.word, self.bits, rows = parameters["W"], parameters["Bits"], parameters["Rows"]
        self.words = -(-self.bits // self.word)
        self.b_words = -(-self.words // rows) * rows
        self.reset_cycles = self.words + parameters["Stages"] + 1 + (rows + 1) * (2 * parameters["Stages"] + 5)
        self.stride = 1 << self.words.bit_length()  # of a, the result and n in the memory

    async def reset(self) -> None:
        dut = self.dut
        dut.rst_ni.value = 0
        dut.y_valid_i.value = 0
        dut.start_valid_i.value = 0
        for _ in range(self.reset_cycles):
            await RisingEdge(dut.clk_i)
        dut.rst_ni.value = 1
        await RisingEdge(dut.clk_i)

    def store(self, address: int, number: int) -> None:
        for i in range(self.words):
            self.dut.u_memory.words[address + i].value = number >> (self.word * i) & (1 << self.word) - 1

    def store_modulus(self, n: int) -> None:
        self.store(2 * self.stride, n)
        self.dut.u_memory.words[2 * self.stride + self.words].value = pow(-n, -1, 1 << self.word)

    def result(self) -> int:
        words = self.dut.u_memory.words
        return sum(int(words[self.stride + i].value) << (self.word * i) for i in range(self.words + 1))

    async def pause(self) -> None:
        """Before a word; none here."""

    async def supply(self, b: int) -> None:
        dut = self.dut
        for i in range(self.b_words):
            await self.pause()
            dut.y_valid_i.value = 1
            dut.y_i.value = b >> (self.word * i) & (1 << self.word) - 1
            await FallingEdge(dut.clk_i)
            while not int(dut.y_ready_o.value):
                await RisingEdge(dut.y_ready_o)
                await FallingEdge(dut.clk_i)
            await RisingEdge(dut.clk_i)
            dut.y_valid_i.value = 0

    async def multiply(self, a: int, b: int, n: int) -> int:
        """a * b / R mod n, below 2n."""
        dut = self.dut
        self.store(0, a)
        self.store_modulus(n)
        supply = cocotb.start_soon(self.supply(b))
        for _ in range(2 * (self.b_words // self.words + 1) + 40):
            await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 1
        await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 0
        await RisingEdge(dut.done_o)
        await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert not int(dut.busy_o.value)
        assert supply.done(), "words of b are left"
        await RisingEdge(dut.clk_i)
        return self.result()

    async def check(self, a: int, b: int, n: int) -> None:
        t = await self.multiply(a, b, n)
        assert t < 2 * n
        assert t % n == a * b * pow(1 << self.word * self.b_words, -1, n) % n

    def operands(self) -> tuple[int, int, int]:
        n = random.getrandbits(self.bits) | 1 | 1 << (self.bits - 1)
        return random.randrange(n), random.randrange(n), n


async def prepared(dut: HierarchyObject, kind: type[Processor]) -> tuple[Processor, dict]:
    parameters = json.loads(os.environ["ROWS"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    processor = kind(dut, parameters)
    await processor.reset()
    return processor, parameters


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_equal_big_integers_in_the_cycles_predicted(dut: HierarchyObject) -> None:
    processor, parameters = await prepared(dut, Processor)
    cases = [*corners(parameters["Bits"], parameters["W"]),
             *(processor.operands() for _ in range(int(os.environ["NUMBERS"])))]
    measured = set()
    for case in cases:
        before = int(dut.cycles_o.value), int(dut.words_o.value)
        await processor.check(*case)
        measured.add((int(dut.cycles_o.value) - before[0], int(dut.words_o.value) - before[1]))
    assert len(measured) == 1, "time depends on the operands"
    (cycles, words), = measured
    dut._log.info(f"{parameters}: {cycles} cycles, predicted {predicted(parameters)}, {words} words")
    assert abs(cycles - predicted(parameters)) <= 2
    assert words == (2 * processor.words + 1) * (processor.b_words // parameters["Rows"]) + processor.words + 1
    if os.environ["RECORD"]:
        Path(os.environ["RECORD"]).write_text(json.dumps(
            {"cycles": cycles, "words_moved": words, "processor_products": 0, "checked": len(cases)}))
