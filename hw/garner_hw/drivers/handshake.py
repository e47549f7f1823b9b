# SPDX-License-Identifier: Apache-2.0
"""Both ends of valid/ready handshakes in simulation: words offered and taken, with pauses at random.

All chance comes from `random`, which cocotb seeds with HW_SEED.
"""

import random
from collections import deque
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass, field

import cocotb
from cocotb.clock import Clock
from cocotb.handle import HierarchyObject
from cocotb.triggers import NextTimeStep, ReadOnly, RisingEdge

RUNS = (1, 1, 2, 7)  # cycles of a pause, and of what is between two
# How likely a word is offered and taken: filling, draining, both, as fast as it goes
FILLING, DRAINING, BOTH, FAST = (0.9, 0.2), (0.2, 0.9), (0.6, 0.6), (1, 1)


def pauses(share: float) -> Iterator[bool]:
    """For each cycle whether a handshake pauses: on average `share` of them, in runs."""
    while True:
        pause = random.random() < share
        for _ in range(random.choice(RUNS)):
            yield pause


@dataclass
class Passage:
    """What is in a module with an `in` and an `out` handshake, before the transfers of this cycle."""

    cycle: int = 0
    pattern: tuple[float, float] = BOTH
    inside: deque[int] = field(default_factory=deque)
    passed: dict[tuple[float, float], int] = field(default_factory=dict)  # words that left, by pattern
    empty: int = 0  # cycles without a word inside


async def words_in_order(dut: HierarchyObject, width: int,
                         patterns: Sequence[tuple[float, float]] = (FILLING, DRAINING, BOTH, FAST), cycles: int = 6000,
                         idle: int | None = 0) -> AsyncIterator[Passage]:
    """Resets the module, then passes words through it; asserts that they leave in order, and none before it came.

    Every cycle the test sees the settled signals. Where no word is offered in_data_i is `idle`, at random if it is None.
    """
    dut.rst_ni.value, dut.in_valid_i.value, dut.out_ready_i.value, dut.in_data_i.value = 0, 0, 0, 0
    cocotb.start_soon(Clock(dut.clk_i, 10, "ns").start())
    await RisingEdge(dut.clk_i)
    await RisingEdge(dut.clk_i)
    dut.rst_ni.value = 1
    await RisingEdge(dut.clk_i)
    passage = Passage(passed=dict.fromkeys(patterns, 0))
    for passage.cycle in range(cycles):
        passage.pattern = offers, takes = patterns[passage.cycle // 500 % len(patterns)]
        offered = random.random() < offers
        dut.in_valid_i.value = int(offered)
        dut.out_ready_i.value = int(random.random() < takes)
        dut.in_data_i.value = random.getrandbits(width) if offered or idle is None else idle
        await ReadOnly()
        inside = passage.inside
        passage.empty = 0 if inside else passage.empty + 1
        assert dut.out_valid_o.value == (len(inside) > 0)
        yield passage
        taken = dut.out_valid_o.value == 1 and dut.out_ready_i.value == 1
        if taken:
            assert int(dut.out_data_o.value) == inside.popleft()
            passage.passed[passage.pattern] += 1
        if dut.in_valid_i.value == 1 and dut.in_ready_o.value == 1:
            inside.append(int(dut.in_data_i.value))
        await NextTimeStep()
        await RisingEdge(dut.clk_i)
