# SPDX-License-Identifier: Apache-2.0
"""row: whole Montgomery multiplications, every design with a covering set of its knobs. All points are checked when the
explorer measures them.
"""

import json
import os
import random

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge

from garner_hw.explore.benches.multiplier import ARRAY, BLOCK, BOOTH, OPERATOR
from garner_hw.explore.benches.row import CHAIN, CIOS, FIOS, TWO_ROW, Processor, run
from garner_hw.explore.benches.row import products_equal_big_integers  # noqa: F401 (it runs here)


@pytest.mark.parametrize("parameters", [
    {"Algorithm": CIOS, "W": 8, "Ports": 2, "Pipelined": 0, "Multiplier": OPERATOR, "Bits": 256},
    pytest.param({"Algorithm": CIOS, "W": 16, "Ports": 3, "Unroll": 4, "Multiplier": OPERATOR}, marks=pytest.mark.soak),
    pytest.param({"Algorithm": CIOS, "W": 32, "Ports": 0, "Unroll": 2, "Multiplier": BOOTH}, marks=pytest.mark.soak),
    pytest.param({"Algorithm": FIOS, "W": 8, "Ports": 4, "Multiplier": OPERATOR, "Bits": 512}, marks=pytest.mark.soak),
    {"Algorithm": FIOS, "W": 16, "Ports": 3, "Pipelined": 0, "Unroll": 2, "Multiplier": OPERATOR, "Bits": 512},
    {"Algorithm": TWO_ROW, "W": 16, "Ports": 2, "Multiplier": OPERATOR},
    pytest.param({"Algorithm": TWO_ROW, "W": 32, "Ports": 4, "Unroll": 4, "Pipelined": 0, "Multiplier": BOOTH},
                 marks=pytest.mark.soak),
    pytest.param({"Algorithm": CHAIN, "W": 8, "Ports": 2, "Rows": 16, "Stages": 1}, marks=pytest.mark.soak),
    {"Algorithm": CHAIN, "W": 16, "Ports": 3, "Rows": 8, "Stages": 3},
    pytest.param({"Algorithm": CHAIN, "W": 32, "Ports": 2, "Rows": 4, "Stages": 5}, marks=pytest.mark.soak),
    pytest.param({"Algorithm": CHAIN, "W": 32, "Ports": 0, "Rows": 4, "Stages": 4, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
    pytest.param({"Algorithm": CHAIN, "W": 32, "Ports": 4, "Rows": 1, "Stages": 17}, marks=pytest.mark.soak),
    pytest.param({"Algorithm": TWO_ROW, "W": 18, "Ports": 3, "Multiplier": ARRAY}, marks=pytest.mark.soak),
    pytest.param({"Algorithm": CHAIN, "W": 18, "Ports": 2, "Rows": 4, "Stages": 9, "Multiplier": ARRAY},
                 marks=pytest.mark.soak),
    pytest.param({"Algorithm": CHAIN, "W": 18, "Ports": 3, "Rows": 5, "Stages": 4, "Multiplier": BLOCK},
                 marks=pytest.mark.soak),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_row(parameters):
    run(parameters, module=__name__)


@cocotb.test(timeout_time=40, timeout_unit="ms")
async def a_pass_cut_off_by_reset_leaves_nothing_behind(dut):
    parameters = json.loads(os.environ["ROW"])
    processor = Processor(dut, parameters)
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await processor.reset()
    bits = parameters["Bits"]
    n = random.getrandbits(bits) | 1 | 1 << (bits - 1)
    a, b = random.randrange(n), random.randrange(n)
    processor.store(0, a, processor.words)
    processor.store(processor.t, random.getrandbits(bits), processor.t_words)
    await processor.start([processor.mask] * (2 if parameters["Algorithm"] == FIOS else processor.rows), False, 0)
    for _ in range(random.randrange(3, processor.words)):
        await RisingEdge(dut.clk_i)
    await processor.reset()
    t = await processor.multiply(a, b, n)
    assert t % n == a * b * pow(processor.radix, -1, n) % n
