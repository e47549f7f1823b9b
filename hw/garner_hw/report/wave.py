# SPDX-License-Identifier: Apache-2.0
"""One Montgomery multiplication of `mont` as a timing picture.

A small array (4 rows of 8-bit words, a 40-bit modulus: 7 words, two passes) so that a person can follow every word.
The same file draws and is the cocotb test that looks at the signals; the result is checked against big integers.
"""

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from garner_hw import BUILD
from garner_hw.drivers.mont import Driver
from garner_hw.model.mont import Modulus, Sizes
from garner_hw.simulate import simulate
from garner_hw.sources import sources

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ROWS, WORD, HOP, BITS = 4, 8, 5, 40
A, B, D = 16, 32, 48  # where the operands lie


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def one_multiplication(dut: Any) -> None:  # Any: only the simulated design knows its signals' types
    import random

    random.seed(2007)
    sizes = Sizes(BITS, WORD, ROWS)
    modulus = Modulus(1 << BITS - 1 | random.getrandbits(BITS) | 1, sizes)
    a, b = (random.randrange(modulus.n) for _ in range(2))
    driver = Driver(dut, WORD)
    await driver.start()
    driver.configure(sizes)
    await driver.write_modulus(0, modulus)
    await driver.write_operand(A, a, sizes)
    await driver.write_operand(B, b, sizes)
    samples: list[dict[str, bool | int]] = []
    recorder = cocotb.start_soon(watch(dut, samples))
    await RisingEdge(dut.clk_i)
    await driver.issue(0, A, B, D)
    await driver.idle()
    await RisingEdge(dut.clk_i)
    recorder.cancel()
    result = await driver.read_operand(D, sizes)
    assert result == modulus.multiply(a, b)
    Path(os.environ["WAVE"]).write_text(json.dumps(
        {"title": f"mont: {ROWS} rows, {WORD}-bit words, n = {modulus.n:x}: {a:x} * {b:x} / 2^{sizes.r.bit_length() - 1} "
                  f"mod n = {result % modulus.n:x}", "samples": samples}))


async def watch(dut: Any, samples: list[dict[str, bool | int]]) -> None:
    """The signals of the picture, every cycle, in its order: one-bit ones as a bool."""
    array = dut.u_array
    while True:
        await ReadOnly()
        samples.append({
            "op_valid_i": bool(int(dut.op_valid_i.value)), "busy_o": bool(int(dut.busy_o.value)),
            "digit of a": int(array.a_i.value), "word of b": int(array.b_i.value),
            "partial sum in": int(array.t_i.value), "word of Nb": int(array.n_i.value),
            **{f"row {i} out": int(array.t[i + 1].value) for i in range(ROWS)}})
        await RisingEdge(dut.clk_i)


def draw(data: dict, path: Path) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    plt.rcParams["svg.hashsalt"] = "wave"
    figure = wave_figure(data)
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


BAND = 30  # cycles in each band of the picture: their words are to be read in a column of text, 1,000 pixels wide


def wave_figure(data: dict) -> "Figure":
    """All signals, a band of cycles below the other."""
    import textwrap

    import matplotlib.pyplot as plt

    samples = data["samples"]
    names, bands = list(samples[0]), -(-len(samples) // BAND)
    figure, axes = plt.subplots(bands, 1, figsize=(10, 2.5 * bands + 0.6), squeeze=False, layout="constrained")
    figure.suptitle(textwrap.fill(data["title"], 100), fontsize=10)
    for band, axis in enumerate(axes[:, 0]):
        first, last = band * BAND, min((band + 1) * BAND, len(samples))
        for line, name in enumerate(names):
            values = [sample[name] for sample in samples[first:last]]
            (draw_bit if isinstance(values[0], bool) else draw_words)(axis, -line, first, values)
        axis.set_yticks([0.3 - line for line in range(len(names))], names, fontsize=9)
        axis.set_xticks(range(first, last + 1, 5))
        axis.tick_params(axis="x", labelsize=9)
        axis.set_xlim(first, first + BAND)
        axis.set_ylim(0.2 - len(names), 0.9)
        axis.grid(True, axis="x", alpha=0.2)
        for side in ("top", "right", "left"):
            axis.spines[side].set_visible(False)
    axis.set_xlabel("cycle", fontsize=9)
    return figure


def draw_bit(axis: "Axes", base: float, first: int, values: list[bool]) -> None:
    axis.step(range(first, first + len(values) + 1), [base + 0.6 * v for v in values + values[-1:]], where="post",
              color="tab:green", linewidth=1)


def draw_words(axis: "Axes", base: float, first: int, values: list[int]) -> None:
    """A hexagon for as long as a word stays, with the word in it unless that is 0."""
    start = 0
    for cycle in range(1, len(values) + 1):
        if cycle == len(values) or values[cycle] != values[start]:
            begin, end = first + start, first + cycle
            x = [begin, begin + 0.12, end - 0.12, end, end - 0.12, begin + 0.12]
            y = [base + 0.3, base + 0.7, base + 0.7, base + 0.3, base - 0.1, base - 0.1]
            idle = values[start] == 0
            axis.fill(x, y, facecolor="#f4f4f4" if idle else "#dbe9f6", edgecolor="tab:blue", linewidth=0.6)
            if not idle:
                axis.text((begin + end) / 2, base + 0.28, f"{values[start]:02x}", ha="center", va="center", fontsize=8)
            start = cycle


def make(path: Path) -> None:
    """Simulates it, and draws the picture into this file."""
    seen = BUILD / "wave.json"
    seen.parent.mkdir(exist_ok=True)
    simulate("mont", sources("mont"), __name__, {"Rows": ROWS, "W": WORD, "HopCycles": HOP}, {"WAVE": str(seen)},
             inside=("mont_array",))
    draw(json.loads(seen.read_text()), path)
