# SPDX-License-Identifier: Apache-2.0
"""row: a processor that hesitates, over thousands of short multiplications, in shapes that test_row leaves out.

Between the words it supplies, and before a start, it pauses at random and leaves other values on the ports. Timing is
not looked at here; test_row does that with a processor that is always prompt.
"""

import json
import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from explore.tb.test_row import a_pass_cut_off_by_reset_leaves_nothing_behind  # noqa: F401 (runs here as well)
from garner_hw.explore.benches.multiplier import OPERATOR
from garner_hw.explore.benches.operands import corners
from garner_hw.explore.benches.row import CHAIN, CIOS, DEFAULTS, FIOS, TWO_ROW, Processor
from garner_hw.simulate import simulate
from garner_hw.sources import sources

BITS = 256


# A word of 8 bits takes tens of times as long as one of 32: fewer multiplications.
@pytest.mark.parametrize("numbers, parameters", [
    pytest.param(30, {"Algorithm": CIOS, "W": 8, "Ports": 4, "Unroll": 8, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    pytest.param(50, {"Algorithm": CIOS, "W": 16, "Ports": 2, "Unroll": 8, "Pipelined": 0, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    pytest.param(500, {"Algorithm": CIOS, "W": 32, "Ports": 4, "Multiplier": OPERATOR}, marks=pytest.mark.soak),
    pytest.param(50, {"Algorithm": FIOS, "W": 8, "Ports": 4, "Unroll": 8, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    pytest.param(100, {"Algorithm": FIOS, "W": 16, "Ports": 3, "Unroll": 4, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    pytest.param(800, {"Algorithm": FIOS, "W": 32, "Ports": 0, "Multiplier": OPERATOR}, marks=pytest.mark.soak),
    pytest.param(200, {"Algorithm": FIOS, "W": 32, "Ports": 0, "Unroll": 2, "Pipelined": 0}, marks=pytest.mark.soak),
    pytest.param(60, {"Algorithm": TWO_ROW, "W": 8, "Ports": 3, "Multiplier": OPERATOR}, marks=pytest.mark.soak),
    pytest.param(100, {"Algorithm": TWO_ROW, "W": 16, "Ports": 2, "Unroll": 2, "Multiplier": OPERATOR}, marks=pytest.mark.soak),
    pytest.param(1000, {"Algorithm": TWO_ROW, "W": 32, "Ports": 0, "Unroll": 8, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    (100, {"Algorithm": CHAIN, "W": 8, "Ports": 2, "Rows": 8}),
    pytest.param(400, {"Algorithm": CHAIN, "W": 16, "Ports": 3, "Rows": 4}, marks=pytest.mark.soak),
    pytest.param(1000, {"Algorithm": CHAIN, "W": 32, "Ports": 0, "Rows": 2, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()) if isinstance(p, dict) else str(p))
def test_row_stalls(numbers, parameters):
    complete = DEFAULTS | {"Bits": BITS} | parameters
    simulate("row_bench", sources("row_bench"), __name__, complete,
             {"ROW": json.dumps(complete), "NUMBERS": str(numbers)}, inside=("port_memory",))


class Hesitant(Processor):
    """Pauses before each word and each start; what is not valid is at random."""

    def __init__(self, dut, parameters: dict):
        super().__init__(dut, parameters)
        # A pass that is unrolled reads and writes whole groups, so beyond the words that hold a value.
        self.t_words += (2 if self.design == CIOS else 1) * parameters["Unroll"]

    async def pause(self) -> None:
        for _ in range(random.choice((0, 0, 1, 2, 5))):
            await RisingEdge(self.dut.clk_i)

    async def start(self, y: list[int], is_n: bool, base: int) -> None:
        dut = self.dut
        await self.wait(dut.y_ready_o)
        for word in y:
            await self.pause()
            dut.y_valid_i.value = 1
            dut.y_i.value = word
            await RisingEdge(dut.clk_i)
            dut.y_valid_i.value = 0
            dut.y_i.value = random.getrandbits(self.word)
        await self.pause()
        dut.start_valid_i.value = 1
        dut.start_n_i.value = is_n
        dut.start_t_base_i.value = base
        await self.wait(dut.start_ready_o)
        await RisingEdge(dut.clk_i)
        dut.start_valid_i.value = 0
        dut.start_n_i.value = random.getrandbits(1)
        dut.start_t_base_i.value = random.randrange(self.words)


@cocotb.test(timeout_time=400, timeout_unit="ms")
async def products_are_right_however_long_the_processor_takes(dut):
    parameters = json.loads(os.environ["ROW"])
    processor = Hesitant(dut, parameters)
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await processor.reset()
    bits = parameters["Bits"]
    cases = list(corners(bits, parameters["W"]))
    for _ in range(int(os.environ["NUMBERS"])):
        n = random.getrandbits(bits) | 1 | 1 << (bits - 1)
        cases.append((random.randrange(n), random.randrange(n), n))
    for a, b, n in cases:
        t = await processor.multiply(a, b, n)
        assert t < 2 * n
        assert t % n == a * b * pow(processor.radix, -1, n) % n
