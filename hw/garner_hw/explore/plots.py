# SPDX-License-Identifier: Apache-2.0
"""The pictures of the page, as SVG."""

import io
from collections.abc import Callable

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.axis import Axis  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

from garner_hw.explore.dominance import frontier, kind  # noqa: E402
from garner_hw.explore.point import OPERAND  # noqa: E402
from garner_hw.explore.thesis import DESIGNS, WORDS, Comparison, of_the_thesis  # noqa: E402

COLOURS = plt.get_cmap("tab10")
MARKERS = {2: "o", 3: "^", 4: "s", 0: "D"}  # by ports
SIZES = {2: 3, 3: 4.5, 4: 6, 0: 8}        # in points, by ports, where markers say something else
UNROLLED = {1: "o", 2: "^", 4: "s", 8: "D"}
KINDS = {"lut": "multipliers in LUTs", "dsp": "DSP blocks"}


def svg(figure: plt.Figure) -> str:
    """The same text for the same picture."""
    text = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": "explore"}):
        figure.savefig(text, format="svg", bbox_inches="tight", metadata={"Date": None})
    plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def logarithmic(axis: Axis) -> None:
    """A few plain numbers on a logarithmic axis that has its data, however little it spans."""
    low, high = sorted(axis.get_view_interval())
    axis.set_major_locator(LogLocator(subs=(1, 2, 5)) if high > 6 * low else MaxNLocator(4, steps=[1, 2, 5, 10]))
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.10g}"))
    axis.set_minor_formatter(NullFormatter())
    axis.grid(alpha=0.25, which="both")


def colours(rows: list[dict]) -> dict[str, tuple]:
    return {name: COLOURS(index % 10) for index, name in enumerate(sorted({row["design"] for row in rows}))}


def scatter(rows: list[dict], axes: plt.Axes, colour: dict[str, tuple], x: Callable[[dict], float],
            y: Callable[[dict], float]) -> None:
    groups: dict[tuple, list[dict]] = {}
    for row in rows:
        groups.setdefault((row["design"], row["ports"], row["pipelined"]), []).append(row)
    for (design, ports, pipelined), same in groups.items():
        axes.scatter([x(row) for row in same], [y(row) for row in same], color=colour[design], marker=MARKERS[ports],
                     s=22, alpha=0.85 if pipelined else 0.35, linewidths=0)


def legend(figure: plt.Figure, colour: dict[str, tuple], rows: list[dict]) -> None:
    handles = [plt.Line2D([], [], color=value, marker="o", linestyle="", label=name) for name, value in colour.items()]
    handles += [plt.Line2D([], [], color="black", marker=MARKERS[ports], linestyle="",
                           label=f"{ports} ports" if ports else "free ports")
                for ports in MARKERS if any(row["ports"] == ports for row in rows)]
    figure.legend(handles=handles, loc="center left", bbox_to_anchor=(0.92, 0.5), fontsize=8)


def panels(rows: list[dict]) -> tuple[list[int], list[str]]:
    return sorted({row["word"] for row in rows}), [one for one in KINDS if any(kind(row) == one for row in rows)]


def pareto(rows: list[dict]) -> str:
    """LUTs against microseconds, the frontier as a line."""

    def edges(here: list[dict], panel: plt.Axes) -> None:
        for ports, bits in sorted({(row["ports"], row["bits"]) for row in here}):
            same = [row for row in here if (row["ports"], row["bits"]) == (ports, bits)]
            edge = sorted((row["us"], row["lut"]) for row in frontier(same))
            if len(edge) > 1:
                panel.plot(*zip(*edge, strict=True), color="#bbbbbb", linewidth=0.8, zorder=0)

    return against_time(rows, "lut", "LUTs", edges)


def energy(rows: list[dict]) -> str:
    """Relative energy against microseconds."""
    return against_time(rows, "energy_nj", "nJ, relative (0.18 um cells)")


def against_time(rows: list[dict], key: str, label: str,
                 lines: Callable[[list[dict], plt.Axes], None] = lambda rows, axes: None) -> str:
    """A cost against microseconds; a panel for each word and kind of multiplier."""
    words, kinds = panels(rows)
    figure, axes = plt.subplots(len(kinds), len(words), figsize=(3.3 * len(words) + 1, 3 * len(kinds)), squeeze=False)
    figure.subplots_adjust(hspace=0.4)
    colour = colours(rows)
    for line, one in enumerate(kinds):
        for column, word in enumerate(words):
            here, panel = [row for row in rows if row["word"] == word and kind(row) == one], axes[line][column]
            panel.set_title(f"{word} bits, {KINDS[one]}{'' if here else ': none'}", fontsize=9)
            if not here:
                panel.set_axis_off()
                continue
            scatter(here, panel, colour, lambda row: row["us"], lambda row: row[key])
            lines(here, panel)
            panel.set(xscale="log", yscale="log")
            logarithmic(panel.xaxis)
            logarithmic(panel.yaxis)
            panel.tick_params(labelsize=8)
            if column == 0:
                panel.set_ylabel(label)
            if line == len(kinds) - 1:
                panel.set_xlabel("us a multiplication")
    legend(figure, colour, rows)
    return svg(figure)


def roofline(rows: list[dict]) -> str:
    """Cycles against the bound by multipliers and ports: on the line is as fast as can be."""
    figure, axes = plt.subplots(figsize=(6.2, 4.6))
    colour = colours(rows)
    scatter(rows, axes, colour, lambda row: row["bound_cycles"], lambda row: row["cycles_with_m"])
    ends = [min(row["bound_cycles"] for row in rows), max(row["bound_cycles"] for row in rows)]
    axes.plot(ends, ends, color="black", linewidth=1, label="bound")
    axes.plot(ends, [2 * end for end in ends], color="black", linewidth=0.6, linestyle="--", label="half of the bound's rate")
    axes.set(xscale="log", yscale="log", xlabel="bound: (2 s² + s) · max(1 / k, words a product / ports), cycles",
             ylabel="cycles, with the computation of m")
    logarithmic(axes.xaxis)
    logarithmic(axes.yaxis)
    axes.legend(loc="upper left", fontsize=8)
    legend(figure, colour, rows)
    return svg(figure)


def thesis(comparisons: list[Comparison]) -> str:
    """Two-row against its base: reduction of latency and area ratio, printed and ours."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3))
    places = range(len(comparisons))
    names = [f"{one.word} bits\n{one.ports} ports" for one in comparisons]
    for axis, printed, ours, title in (
            (axes[0], [one.printed_less for one in comparisons], [one.less for one in comparisons],
             "reduction of latency, %"),
            (axes[1], [one.printed_area for one in comparisons], [one.area for one in comparisons],
             "LUTs, two-row / base")):
        axis.bar([place - 0.2 for place in places], printed, width=0.38, color="#9ecae1", label="thesis (Vivado HLS)")
        axis.bar([place + 0.2 for place in places], ours, width=0.38, color="#08519c", label="here")
        axis.set_xticks(list(places), names, fontsize=6.5)
        axis.set_title(title, fontsize=9)
    axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)
    return svg(figure)


def chapter_4(rows: list[dict]) -> plt.Figure | None:
    """Figures 4.4 to 4.15: for each word cycles, LUTs and microseconds by ports, and LUTs against microseconds with every
    unrolling. None without a row of the thesis's grid."""
    rows = of_the_thesis(rows)
    if not rows:
        return None
    figure, axes = plt.subplots(len(WORDS), 4, figsize=(13, 9), squeeze=False, layout="constrained")
    colour = dict(zip(DESIGNS, ("tab:gray", "tab:olive", "tab:red"), strict=True))
    for line, word in enumerate(WORDS):
        here, base = [row for row in rows if row["word"] == word], 4 * (line + 1)
        for column, (name, key) in enumerate((("cycles", "cycles"), ("LUTs", "lut"), ("us a multiplication", "us"))):
            by_ports(axes[line][column], here, key, colour)
            axes[line][column].set_title(f"Figure 4.{base + column}: {word} bits, {name}", fontsize=9)
        area_and_time(axes[line][3], here, colour)
        axes[line][3].set_title(f"Figure 4.{base + 3}: {word} bits, LUTs and us", fontsize=9)
    handles = [plt.Line2D([], [], color=colour[design], marker="o", linestyle=style, label=f"{design}, {name}")
               for design in DESIGNS for style, name in (("-", "pipelined"), (":", "base"))]
    handles += [plt.Line2D([], [], color="black", marker=marker, linestyle="", markerfacecolor="none", label=f"unrolled {times}")
                for times, marker in UNROLLED.items()]
    handles += [plt.Line2D([], [], color="black", marker="o", linestyle="", markerfacecolor="none", markersize=size,
                           label=f"{ports or 'free'} ports") for ports, size in SIZES.items()]
    figure.legend(handles=handles, loc="outside lower center", ncols=5, fontsize=9)
    return figure


def by_ports(axis: plt.Axes, rows: list[dict], key: str, colour: dict[str, str]) -> None:
    places = {2: 0, 3: 1, 4: 2, 0: 3}
    for design in DESIGNS:
        for pipelined, style in ((True, "-"), (False, ":")):
            line = sorted((places[row["ports"]], row[key]) for row in rows
                          if row["design"] == design and row["pipelined"] == pipelined and row["unroll"] == 1)
            if line:
                axis.plot(*zip(*line, strict=True), style, marker="o", markersize=4, color=colour[design])
    axis.set_xticks(range(4), ("2 ports", "3", "4", "free"), fontsize=8)
    axis.set_ylim(0, 1.1 * max((row[key] for row in rows), default=1))
    axis.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    axis.grid(alpha=0.25)


def area_and_time(axis: plt.Axes, rows: list[dict], colour: dict[str, str]) -> None:
    for row in rows:
        axis.plot(row["us"], row["lut"], UNROLLED[row["unroll"]], markersize=SIZES[row["ports"]], color=colour[row["design"]],
                  markerfacecolor=colour[row["design"]] if row["pipelined"] else "none", alpha=0.8)
    axis.set(xscale="log", yscale="log")
    logarithmic(axis.xaxis)
    logarithmic(axis.yaxis)


def cache(rows: list[dict], knob: str) -> str:
    """Local words against what crosses the ports and the time; a line for each unit that differs in nothing else."""
    figure, axes = plt.subplots(1, 2, figsize=(9, 3))
    for word, ports, lanes, multipliers, bits in sorted({alike(row) for row in rows}):
        here = sorted((row for row in rows if alike(row) == (word, ports, lanes, multipliers, bits)), key=lambda row: row[knob])
        if len(here) < 2:
            continue
        name = f"{word} bits, {ports or 'free'} ports, {lanes} {multipliers}" \
            + (f", operands of {bits} bits" if bits != OPERAND else "")
        axes[0].plot([row[knob] for row in here], [row["words_per_product"] for row in here], marker=MARKERS[ports],
                     label=name)
        axes[1].plot([row[knob] for row in here], [row["us"] for row in here], marker=MARKERS[ports], label=name)
    axes[0].set(xscale="log", xlabel="words kept in the accelerator", ylabel="words moved a word product", ylim=(0, None))
    axes[1].set(xscale="log", yscale="log", xlabel="words kept in the accelerator", ylabel="us a multiplication")
    logarithmic(axes[0].xaxis)
    logarithmic(axes[1].xaxis)
    logarithmic(axes[1].yaxis)
    axes[1].legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=7)
    return svg(figure)


def alike(row: dict) -> tuple:
    """What a line of `cache` has in common."""
    return row["word"], row["ports"], row["lanes"], row["multipliers"], row["bits"]
