#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""One Montgomery multiplication of `mont` as a timing picture: `wave.py [FILE.svg]`, by default hw/report/wave.svg.

A small array (4 rows of 8-bit words, a 40-bit modulus: 7 words, two passes) so that a person can follow every word.
The same file is the command and the cocotb test that looks at the signals; the result is checked against big integers.
"""

import json
import os
import sys
from pathlib import Path

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

HW = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(HW), str(HW / "tb" / "mont")]
ROWS, WORD, HOP, BITS = 4, 8, 5, 40
A, B, D = 16, 32, 48  # where the operands lie


@cocotb.test(timeout_time=1, timeout_unit="ms")
async def one_multiplication(dut):
    import random

    from montgomery import Driver, Modulus, Sizes

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
    samples = []
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


async def watch(dut, samples: list):
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

    samples = data["samples"]
    names = list(samples[0])
    plt.rcParams["svg.hashsalt"] = "wave"
    figure, axis = plt.subplots(figsize=(0.3 * len(samples) + 2, 0.5 * len(names) + 1.2))
    for line, name in enumerate(names):
        base = -line
        values = [sample[name] for sample in samples]
        if isinstance(values[0], bool):
            axis.step(range(len(values) + 1), [base + 0.6 * v for v in values + values[-1:]], where="post",
                      color="tab:green", linewidth=1)
            continue
        start = 0
        for cycle in range(1, len(values) + 1):
            if cycle == len(values) or values[cycle] != values[start]:
                x = [start, start + 0.15, cycle - 0.15, cycle, cycle - 0.15, start + 0.15]
                y = [base + 0.3, base + 0.6, base + 0.6, base + 0.3, base, base]
                idle = values[start] == 0
                axis.fill(x, y, facecolor="#f4f4f4" if idle else "#dbe9f6", edgecolor="tab:blue", linewidth=0.6)
                if not idle:
                    axis.text((start + cycle) / 2, base + 0.28, f"{values[start]:02x}", ha="center", va="center",
                              fontsize=6)
                start = cycle
    axis.set_yticks([0.3 - line for line in range(len(names))], names, fontsize=8)
    axis.set_xticks(range(0, len(samples), 5))
    axis.set_xlim(0, len(samples))
    axis.grid(True, axis="x", alpha=0.2)
    axis.set_xlabel("cycle")
    axis.set_title(data["title"], fontsize=9)
    for side in ("top", "right", "left"):
        axis.spines[side].set_visible(False)
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})


def main() -> None:
    if len(sys.argv) > 2 or sys.argv[1:2] == ["--help"]:
        sys.exit(__doc__)
    import harness

    seen = harness.BUILD / "wave.json"
    seen.parent.mkdir(exist_ok=True)
    harness.simulate("mont", harness.rtl(*harness.MONT), "wave", HW / "report",
                     {"Rows": ROWS, "W": WORD, "HopCycles": HOP}, {"WAVE": str(seen)},
                     inside=("mont_array",))
    path = Path(sys.argv[1]) if len(sys.argv) == 2 else HW / "report" / "wave.svg"
    draw(json.loads(seen.read_text()), path)
    print(path)


if __name__ == "__main__":
    main()
