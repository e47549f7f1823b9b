# SPDX-License-Identifier: Apache-2.0
"""The picture of docs/hardware.md: the cores beside published ones, by time and multiplier blocks."""

from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from garner_hw.report import labels, published  # noqa: E402


def write(core_list: list[dict], path: Path) -> None:
    figure = points_figure(core_list)
    plt.rcParams["svg.hashsalt"] = "report"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def points_figure(core_list: list[dict]) -> plt.Figure:
    """Two diagrams: the cores beside published ones."""
    # As wide as a column of text, so that names are read there.
    figure, axes = plt.subplot_mosaic([["left", "right"]], figsize=(10, 4.5), layout="constrained")
    core_diagram(axes["left"], "1024-bit exponentiation", {name: figures[:2] for name, figures in published.ME.items()},
                 [p for p in core_list if p["op"] == "me" and p["bits"] == 1024 and p["part"]])
    core_diagram(axes["right"], "RSA-2048 private operation", published.RSA,
                 [p for p in core_list if p["op"] == "private" and p["bits"] == 2048 and p["part"]])
    return figure


def core_diagram(axis: plt.Axes, title: str, theirs: dict[str, tuple[float, int]], ours: list[dict]) -> None:
    """Time against multiplier blocks. Every point has a name that no other has."""
    names = [(blocks, time, name, "dimgray") for name, (time, blocks) in theirs.items()]
    names += [(p["dsp"], p["time_us"] / 1e3, f"{p['rows']} rows, {p['part'].split(', ')[-1]}", "tab:blue") for p in ours]
    for x, y, _, colour in names:
        axis.plot(x, y, "s" if colour == "tab:blue" else "o", color=colour)
    axis.set(xscale="log", yscale="log", xlabel="multiplier blocks", ylabel="ms", title=title)
    axis.margins(0.15)
    axis.set_xlim(right=3 * axis.get_xlim()[1])  # room for names
    plain(axis)
    labels.place(axis, names)


def plain(axis: plt.Axes) -> None:
    """Numbers instead of powers of ten on both axes, a few in each decade, and a grid."""
    for each in (axis.xaxis, axis.yaxis):
        each.set_major_locator(LogLocator(subs=(1, 2, 5)))
        each.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 1e3 else f"{value:,.0f}"))
        each.set_minor_formatter(NullFormatter())
    axis.grid(True, which="both", alpha=0.2)
