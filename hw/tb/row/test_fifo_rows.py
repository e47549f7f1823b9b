# SPDX-License-Identifier: Apache-2.0
"""fifo_rows: whole Montgomery multiplications, of which the test as the processor supplies the words of b alone."""

import json
import os
import random
import sys
from pathlib import Path

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from harness import FIFO_ROWS, rtl, simulate

sys.path.insert(0, str(Path(__file__).parent))
from operands import corners  # noqa: E402

FOLDER = Path(__file__).parent
DEFAULTS = {"W": 16, "Ports": 2, "Rows": 2, "Stages": 3, "Booth": 1, "Bits": 1024}


def run(parameters: dict, numbers: int = 6, record: Path | None = None) -> None:
    """Simulates one design; `record` receives what was measured, as JSON."""
    complete = DEFAULTS | parameters
    environment = {"ROWS": json.dumps(complete), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("fifo_rows_bench", rtl(*FIFO_ROWS) + [FOLDER / "port_memory.sv", FOLDER / "fifo_rows_bench.sv"],
             "test_fifo_rows", FOLDER, complete, environment, inside=("port_memory",))


@pytest.mark.parametrize("parameters", [
    {"W": 16, "Rows": 1, "Stages": 1, "Booth": 0, "Bits": 512},
    {"W": 16, "Rows": 3, "Stages": 8, "Booth": 2},
    {"W": 8, "Ports": 3, "Rows": 8, "Stages": 3, "Booth": 3, "Bits": 512},
    {"W": 18, "Rows": 4, "Stages": 3, "Booth": 3},
    {"W": 32, "Rows": 2, "Stages": 5, "Booth": 3},
    {"W": 32, "Ports": 4, "Rows": 1, "Stages": 4, "Booth": 1},
    {"W": 8, "Ports": 0, "Rows": 3, "Stages": 7, "Booth": 2, "Bits": 256},
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_fifo_rows(parameters):
    run(parameters)


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of fifo_rows."""
    words, rows, stages = -(-parameters["Bits"] // parameters["W"]), parameters["Rows"], parameters["Stages"]
    interval = max(words + stages + 1, rows * (2 * stages + 5) + 3)
    return -(-words // rows) * interval + stages + words + 5


class Processor:
    """What the processor does around the unit: the words of b."""

    def __init__(self, dut, parameters: dict):
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

    def store(self, region: int, number: int) -> None:
        for i in range(self.words):
            self.dut.u_memory.words[region * self.stride + i].value = number >> (self.word * i) & (1 << self.word) - 1

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
        self.store(2, n)
        dut.n_inverse_i.value = pow(-n, -1, 1 << self.word)
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


class Hesitant(Processor):
    """Pauses before each word; what is not valid is at random."""

    async def pause(self) -> None:
        self.dut.y_i.value = random.getrandbits(self.word)
        for _ in range(random.choice((0, 0, 1, 2, 5, 40))):
            await RisingEdge(self.dut.clk_i)


async def prepared(dut, kind: type[Processor]) -> tuple[Processor, dict]:
    parameters = json.loads(os.environ["ROWS"])
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    processor = kind(dut, parameters)
    await processor.reset()
    return processor, parameters


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_equal_big_integers_in_the_cycles_predicted(dut):
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
    assert words == 2 * processor.words * processor.b_words // parameters["Rows"] + processor.words + 1
    if os.environ["RECORD"]:
        Path(os.environ["RECORD"]).write_text(json.dumps(
            {"cycles": cycles, "words_moved": words, "processor_products": 0, "checked": len(cases)}))


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def products_are_right_however_long_the_processor_takes(dut):
    processor, parameters = await prepared(dut, Hesitant)
    for case in [*corners(parameters["Bits"], parameters["W"]), *(processor.operands() for _ in range(3))]:
        await processor.check(*case)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def a_multiplication_cut_off_by_reset_leaves_nothing_behind(dut):
    processor, _ = await prepared(dut, Processor)
    for _ in range(3):
        a, b, n = processor.operands()
        processor.store(0, a)
        processor.store(2, n)
        dut.n_inverse_i.value = random.getrandbits(processor.word)
        supply = cocotb.start_soon(processor.supply(b))
        dut.start_valid_i.value = 1
        for _ in range(random.randrange(20, 5 * processor.words)):
            await RisingEdge(dut.clk_i)
        await FallingEdge(dut.clk_i)
        assert int(dut.busy_o.value)
        supply.cancel()
        await processor.reset()
        await processor.check(*processor.operands())
