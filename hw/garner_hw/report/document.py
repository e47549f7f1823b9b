# SPDX-License-Identifier: Apache-2.0
"""Collects hw/report/runs into report.json, the plot points.svg and the tables of docs/hardware.md and
docs/hardware/rsa.md. Measures nothing.

A record whose sources have changed since is used and named on the standard error: `make hw-report-all` renews it. So is a
record of a top that is not in these tables, which `garner-hw place` makes of any; it is left out.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from statistics import median

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter  # noqa: E402

from garner_hw import HW  # noqa: E402
from garner_hw.explore import thesis  # noqa: E402
from garner_hw.measure import cores, full, rows  # noqa: E402
from garner_hw.measure.multiplier import BOOTH  # noqa: E402
from garner_hw.measure.private import PARTS  # noqa: E402
from garner_hw.model.rsa import products_at_best  # noqa: E402
from garner_hw.placement import place  # noqa: E402
from garner_hw.records import RUNS  # noqa: E402
from garner_hw.report import aes, labels  # noqa: E402

REPORT = HW / "report"
DOCUMENT = HW.parent / "docs" / "hardware.md"
RSA_DOCUMENT = HW.parent / "docs" / "hardware" / "rsa.md"
# What every row of report.json has, null where there is no such figure. u_mm, u_op: shares of one; bram: blocks of memory
COLUMNS = ("design", "op", "bits", "word", "rows", "multipliers", "cycles", "u_mm", "u_op", "part", "seeds", "fmax_mhz",
           "time_us", "lut", "ff", "dsp", "bram")
ROW_BITS = 1024
LUTS, XILINX7 = "xc7 (LUT multipliers)", "xc7 (Yosys alone)"
ROWS_OF = {"CIOS": 1, "FIOS": 1, "two-row": 2, "product scanning": 1}
ZOTECH = 2.9  # RSA-2048 signatures a second and DSP block of a U250

# 1024-bit exponentiation in ms, DSP blocks, LUTs: the table of Sharif, Shahid, Rogawski, Gaj 2016
PUBLISHED_ME = {"San 2014": (3.04, 62, 6224), "Suzuki 2007": (1.71, 17, 4190), "Song 2011": (36.37, 1, 180),
                "Sharif 2016": (6.25, 17, 10385)}
# RSA-2048 private operation: milliseconds of one multiplier's work an operation (multipliers * time)
PUBLISHED_RSA = {"Bo, Nakano: Virtex-6": (277.0, 1), "ZoTech U250": (1e3 / 2.9, 1)}


TOPS = {*rows.MEASUREMENTS, *cores.TOPS, *aes.TOPS, "garner_pins", "garner_top"}


def records() -> tuple[list[dict], list[str]]:
    """The records of our tops, and the names of the others."""
    found, others = [], []
    for path in sorted(RUNS.glob("*.json")):
        record = json.loads(path.read_text())
        record |= {"name": path.stem, "kind": "cycles" if "cycles" in record else "synthesis"}
        if record["top"] in TOPS:
            found.append(record)
        else:
            others.append(record["name"])
    return found, others


def point(**figures) -> dict:
    """A row of report.json."""
    return dict.fromkeys(COLUMNS) | figures


def row_points(found: list[dict]) -> list[dict]:
    """Designs of hw/explore/rtl with both a simulation and a synthesis."""
    points = []
    for record in found:
        if record["top"] not in rows.MEASUREMENTS or record["kind"] != "cycles":
            continue
        runs = [other for other in found if other["kind"] == "synthesis" and other["top"] == record["top"]
                and other["parameters"] == record["parameters"] and other.get("no_dsp")]
        synthesis = [run for run in runs if run["family"] == "xilinx7"]
        placed = [run for run in runs if run["family"] == "ecp5"]
        if not synthesis:
            continue
        knobs = record["parameters"]
        scan = record["top"] == "product_scan"
        algorithm = "product scanning" if scan else rows.NAMES[knobs["Algorithm"]]
        count = (max(1, knobs["Ports"] // 2) if scan else knobs["Rows"] // (2 if knobs["Ports"] == 2 else 1)
                 if algorithm == "chain" else 2 * knobs["Unroll"])
        clock = median(run["fmax"] for run in placed) if placed else None
        points += (point(
            design=algorithm, op="row", bits=ROW_BITS, word=knobs["W"], rows=knobs.get("Rows") or ROWS_OF[algorithm],
            ports=ports, pipelined=bool(knobs.get("Pipelined", 1)), unroll=knobs.get("Unroll", 1),
            booth=knobs.get("Multiplier", BOOTH) == BOOTH, multipliers=count, cycles=record["cycles"],
            u_mm=bound(ROW_BITS, knobs["W"]) / count / record["cycles"],
            transfer_rate=record["words_moved"] / record["cycles"],
            processor_products=record["processor_products"], part=LUTS, lut=synthesis[0]["LUT"], ff=synthesis[0]["FF"],
            dsp=0, bram=0, lut_cycles=synthesis[0]["LUT"] * record["cycles"],
            ecp5={"part": "LFE5U-85, speed 8", "seeds": len(placed), "fmax_mhz": clock,
                  "time_us": record["cycles"] / clock, "lut": placed[0]["LUT"]} if placed else None)
            for ports in rows.stands_for(record["top"], knobs))
    return points


def bound(bits: int, word: int) -> int:
    """Word products of one Montgomery multiplication."""
    s = -(-bits // word)
    return 2 * s * s + s


def shares(record: dict) -> dict:
    """U_MM or U_op of a record, by the formulas of today: of the multipliers' time, what its operations need at best."""
    formulas = {"mm": ("u_mm", bound), "private": ("u_op", products_at_best)}
    if record["op"] not in formulas:
        return {}
    name, products = formulas[record["op"]]
    needed = record.get("operations", 1) * products(record["bits"], record["word"])
    return {name: needed / record["multipliers"] / record["cycles"]}


def by_speed(found: list[dict], top: str, parameters: dict) -> list[dict]:
    """The placements of a design, by speed grade: the median over the seeds."""
    placed: dict[int, list[dict]] = {}
    for record in found:
        if record["kind"] == "synthesis" and (record["top"], record["parameters"]) == (top, parameters):
            if record["family"] == "ecp5" and not record["no_dsp"]:
                placed.setdefault(record["speed"], []).append(record)
    return [{"part": f"LFE5U-85, speed {speed}", "seeds": len(runs), "fmax_mhz": median(run["fmax"] for run in runs),
             "fmax_range": [min(run["fmax"] for run in runs), max(run["fmax"] for run in runs)],
             "lut": runs[0]["LUT"], "ff": runs[0]["FF"], "dsp": runs[0]["DSP"], "bram": runs[0]["EBR"]}
            for speed, runs in sorted(placed.items(), reverse=True)]


def core_points(found: list[dict]) -> list[dict]:
    """Cycles of the cores, each with the placements of the same design."""
    points = []
    for record in found:
        if record["top"] not in cores.TOPS or record["kind"] != "cycles":
            continue
        placed = by_speed(found, record["top"], record["parameters"]) or [{}]
        points += (point(
            design=record["top"], op=record["op"], bits=record["bits"], word=record["word"],
            rows=record["parameters"]["Rows"], multipliers=record["multipliers"], cycles=record["cycles"],
            time_us=record["cycles"] / figures["fmax_mhz"] if figures else None, **shares(record), **figures)
            for figures in placed)
    return points


def device_points(found: list[dict]) -> list[dict]:
    """A whole LFE5U-85 of cores, as full.py measures it. `cycles` and `time_us`: of the device, for each operation."""
    points = []
    for record in found:
        if record["top"] != "garner_top" or record["kind"] != "cycles":
            continue
        parameters, cycles = record["parameters"], record["cycles"] / record["operations"]
        for figures in by_speed(found, "garner_pins", parameters):
            rate = figures["fmax_mhz"] * 1e6 / cycles
            points.append(point(
                design="garner_top", op="private", bits=record["bits"], word=record["word"], cores=parameters["Cores"],
                rows=parameters["Rows"], multipliers=record["multipliers"], cycles=cycles,
                time_us=1e6 / rate, operations_per_second=rate, per_multiplier=rate / record["multipliers"],
                **shares(record), **figures))
    return points


def xilinx_points(found: list[dict]) -> list[dict]:
    """Area of the cores on Xilinx 7, of the points of cores.py alone: with DSP blocks, and words that fill them."""
    operations = {"mont": "mm", "rsa_core": "private"}
    chosen = [r for r in found if r["kind"] == "synthesis" and r["family"] == "xilinx7" and not r["no_dsp"]
              and (r["top"], r["parameters"]) in cores.XILINX7]
    return [point(design=r["top"], op=operations[r["top"]], bits=r["parameters"].get("MaxBits"), word=r["parameters"]["W"],
                  rows=r["parameters"]["Rows"], part=XILINX7, parameters=r["parameters"], multipliers=r["DSP"],
                  lut=r["LUT"], ff=r["FF"], dsp=r["DSP"], bram=r["RAMB18"])
            for r in sorted(chosen, key=lambda r: (r["top"], r["parameters"]["Rows"]))]


def find(points: list[dict], **wanted) -> dict | None:
    return next((point for point in points if all(point[key] == value for key, value in wanted.items())), None)


def two_row(points: list[dict], word: int, ports: int, booth: bool = False) -> dict | None:
    """Ramesh's own design as it was rebuilt: pipelined, not unrolled, the synthesiser's multipliers."""
    return find(points, design="two-row", word=word, ports=ports, pipelined=True, unroll=1, booth=booth)


def ports_name(ports: int) -> str:
    return str(ports) if ports else "unconstrained"


def bar_table(points: list[dict]) -> str:
    lines = ["| word | ports | two-row: cycles | LUT | ours: rows | cycles | LUT | words a cycle | "
             "LUT x cycles, ours / two-row | chain of 2 rows / two-row |", "|---|---|---|---|---|---|---|---|---|---|"]
    for word in rows.WORDS:
        for ports in rows.PORTS:
            reference = two_row(points, word, ports)
            usable = [p for p in points if p["word"] == word and p["ports"] == ports and p["design"] != "two-row"]
            if not reference or not usable:
                lines.append(f"| {word} | {ports_name(ports)} | not measured | | | | | | | |")
                continue
            best = min(usable, key=lambda p: p["lut_cycles"])
            two = find(usable, design="chain", rows=2, booth=True)
            least = f"{two['lut_cycles'] / reference['lut_cycles']:.2f}" if two else "not measured"
            name = f"{best['design']}, {best['rows']}" if best["design"] == "chain" else best["design"]
            lines.append(f"| {word} | {ports_name(ports)} | {reference['cycles']:,} | {reference['lut']:,} | {name} | "
                         f"{best['cycles']:,} | {best['lut']:,} | {best['transfer_rate']:.2f} | "
                         f"**{best['lut_cycles'] / reference['lut_cycles']:.2f}** | {least} |")
    return "\n".join(lines)


def split_table(points: list[dict]) -> str:
    """Where the gain comes from: the multiplier, and the rows."""
    lines = ["| word | ports | two-row, Booth | chain, plain multipliers | chain, Booth | "
             "chain / two-row, both Booth |", "|---|---|---|---|---|---|"]
    for word in rows.WORDS:
        for ports in rows.PORTS:
            reference, better = two_row(points, word, ports), two_row(points, word, ports, booth=True)
            chains = [p for p in points if p["design"] == "chain" and p["word"] == word and p["ports"] == ports]
            plain = [p["lut_cycles"] for p in chains if not p["booth"]]
            booth = [p["lut_cycles"] for p in chains if p["booth"]]
            if not (reference and better and booth):
                continue
            ratio = reference["lut_cycles"]
            lines.append(f"| {word} | {ports_name(ports)} | {better['lut_cycles'] / ratio:.2f} | "
                         f"{f'{min(plain) / ratio:.2f}' if plain else '-'} | {min(booth) / ratio:.2f} | "
                         f"{min(booth) / better['lut_cycles']:.2f} |")
    return "\n".join(lines)


def clock_table(points: list[dict]) -> str:
    """The points that were placed on an ECP5 as well."""
    lines = ["| design | word | ports | rows | MHz (seeds) | LUT, ECP5 | us | LUT x time against two-row |",
             "|---|---|---|---|---|---|---|---|"]
    placed = [p for p in points if p["ecp5"] and p["ports"] == 3]
    for p in sorted(placed, key=lambda p: (p["word"], p["design"] != "two-row")):
        reference = find(placed, design="two-row", word=p["word"])
        figure = [q["ecp5"]["lut"] * q["ecp5"]["time_us"] for q in (p, reference or p)]
        lines.append(f"| {p['design']} | {p['word']} | {p['ports']} | {p['rows']} | {p['ecp5']['fmax_mhz']:.0f} "
                     f"({p['ecp5']['seeds']}) | {p['ecp5']['lut']:,} | {p['ecp5']['time_us']:.1f} | "
                     f"{figure[0] / figure[1]:.2f} |")
    return "\n".join(lines)


def thesis_table(points: list[dict]) -> str:
    """Two-row against the pipelined base, as in tables 4.4 and 4.5 of the thesis (Ramesh 2020)."""
    lines = ["| word | ports | base | base cycles | two-row cycles | latency less, % | there | area ratio | there |",
             "|---|---|---|---|---|---|---|---|---|"]
    for (word, ports), (less, area) in thesis.PRINTED.items():
        name = "CIOS" if ports == 2 else "FIOS"
        base = find(points, design=name, word=word, ports=ports, pipelined=True, unroll=1)
        reference = two_row(points, word, ports)
        if base and reference:
            lines.append(f"| {word} | {ports} | {name} | {base['cycles']:,} | {reference['cycles']:,} | "
                         f"{100 * (1 - reference['cycles'] / base['cycles']):.1f} | {less} | "
                         f"{reference['lut'] / base['lut']:.2f} | {area} |")
    return "\n".join(lines)


def all_rows_table(points: list[dict]) -> str:
    lines = ["| design | word | ports | pipelined | unroll / rows | multipliers | cycles | row latency | "
             "words a cycle | processor's products | LUT | FF |", "|---|---|---|---|---|---|---|---|---|---|---|---|"]
    order = lambda p: (p["design"], p["word"], p["ports"] or 9, not p["pipelined"], p["multipliers"])  # noqa: E731
    for p in sorted(points, key=order):
        count = p["rows"] if p["design"] == "chain" else p["unroll"]
        passes = {"CIOS": 2, "FIOS": 1, "two-row": 1}.get(p["design"])
        latency = f"{p['cycles'] / (passes * ROW_BITS / p['word']):.0f}" if passes else "-"
        if p["design"] == "two-row":
            latency = f"{p['cycles'] / (ROW_BITS / p['word']):.0f}"
        lines.append(f"| {p['design']}{' (Booth)' if p['booth'] and p['design'] != 'chain' else ''}"
                     f"{' (plain)' if not p['booth'] and p['design'] == 'chain' else ''} | {p['word']} | "
                     f"{ports_name(p['ports'])} | {'yes' if p['pipelined'] else 'no'} | {count} | "
                     f"{p['multipliers']} | {p['cycles']:,} | {latency} | {p['transfer_rate']:.2f} | "
                     f"{p['processor_products']:,} | {p['lut']:,} | {p['ff']:,} |")
    return "\n".join(lines)


def core_table(points: list[dict]) -> str:
    lines = ["| design | operation | bits | rows | multipliers | cycles | U_MM | U_op | part | MHz (seeds, range) | "
             "us | LUT / FF | DSP / EBR |", "|---|---|---|---|---|---|---|---|---|---|---|---|---|"]
    for p in sorted(points, key=lambda p: (p["op"], p["bits"], p["multipliers"])):
        share = [f"{100 * p[key]:.1f} %" if p.get(key) else "" for key in ("u_mm", "u_op")]
        placed = " | | | |"
        if p["part"]:
            placed = (f"{p['fmax_mhz']:.0f} ({p['seeds']}, {p['fmax_range'][0]:.0f}-{p['fmax_range'][1]:.0f}) | "
                      f"{p['time_us']:,.2f} | {p['lut']:,} / {p['ff']:,} | {p['dsp']} / {p['bram']} |")
        lines.append(f"| {p['design']} | {p['op']} | {p['bits']} | {p['rows']} | {p['multipliers']} | "
                     f"{p['cycles']:,.0f} | {share[0]} | {share[1]} | {p['part'] or 'not placed'} | {placed}")
    return "\n".join(lines)


def device_table(points: list[dict]) -> str:
    if not points:
        return "Not yet placed and routed as a whole."
    lines = ["| cores x rows | multipliers | cycles an operation | part | MHz (seeds, range) | RSA-2048 operations a second | "
             "a multiplier (ZoTech) | LUT / FF | DSP / EBR |", "|---|---|---|---|---|---|---|---|---|"]
    for p in points:
        lines.append(f"| {p['cores']} x {p['rows']} | {p['multipliers']} | {p['cycles']:,.0f} | {p['part']} | "
                     f"{p['fmax_mhz']:.0f} ({p['seeds']}, {p['fmax_range'][0]:.0f}-{p['fmax_range'][1]:.0f}) | "
                     f"**{p['operations_per_second']:,.0f}** | {p['per_multiplier']:.1f} ({ZOTECH}) | "
                     f"{p['lut']:,} / {p['ff']:,} | {p['dsp']} / {p['bram']} |")
    return "\n".join(lines)


def shell_line(found: list[dict]) -> str:
    for p in by_speed(found, "garner_pins", full.SHELL_PARAMETERS):
        if p["part"].endswith("speed 8"):
            return (f"Shell, dispatcher and the links to five cores alone, at speed 8: {p['fmax_mhz']:.0f} MHz ({p['seeds']}, "
                    f"{p['fmax_range'][0]:.0f}-{p['fmax_range'][1]:.0f}), {p['lut']:,} LUT, {p['ff']:,} FF with the harness.")
    return "Shell, dispatcher and the links to five cores alone: not placed."


def xilinx_table(points: list[dict]) -> str:
    lines = ["| design | rows | other parameters | LUT | FF | DSP48E1 | RAMB18 |", "|---|---|---|---|---|---|---|"]
    for p in points:
        others = ", ".join(f"{key} {value}" for key, value in p["parameters"].items() if key != "Rows")
        lines.append(f"| {p['design']} | {p['rows']} | {others} | {p['lut']:,} | {p['ff']:,} | {p['dsp']} | {p['bram']} |")
    return "\n".join(lines)


def parts_table(found: list[dict]) -> str:
    """Cycles of one private operation, by parts."""
    runs = [r for r in found if r["top"] == "rsa_core" and r["kind"] == "cycles" and r["op"] == "private"]
    runs.sort(key=lambda r: r["multipliers"])
    lines = ["| | " + " | ".join(f"RSA-{r['bits']}, {r['multipliers']} multipliers (Rows = {r['rows']})" for r in runs) + " |",
             "|---" * (len(runs) + 1) + "|"]
    lines += ["| " + " | ".join([name, *(f"{r[name]:,}" for r in runs)]) + " |" for name in PARTS.values()]
    lines += ["| **together** | " + " | ".join(f"**{r['cycles']:,}**" for r in runs) + " |",
              "| U_op | " + " | ".join(f"{100 * shares(r)['u_op']:.1f} %" for r in runs) + " |",
              "| key load | " + " | ".join(f"{r['load']:,}" for r in runs) + " |"]
    return "\n".join(lines)


def plot(row_list: list[dict], core_list: list[dict], path: Path) -> None:
    figure = points_figure(row_list, core_list)
    plt.rcParams["svg.hashsalt"] = "report"
    figure.savefig(path, metadata={"Date": None})
    plt.close(figure)


def points_figure(row_list: list[dict], core_list: list[dict]):
    """Three diagrams: the cores beside published ones, twice, and the row accelerators."""
    # As wide as a column of text, so that names are read there.
    figure, axes = plt.subplot_mosaic([["left", "right"], ["rows", "rows"]], figsize=(10, 9), layout="constrained")
    core_diagram(axes["left"], "1024-bit exponentiation", {name: figures[:2] for name, figures in PUBLISHED_ME.items()},
                 [p for p in core_list if p["op"] == "me" and p["bits"] == 1024 and p["part"]])
    core_diagram(axes["right"], "RSA-2048 private operation", PUBLISHED_RSA,
                 [p for p in core_list if p["op"] == "private" and p["bits"] == 2048 and p["part"]])
    row_diagram(axes["rows"], row_list)
    return figure


def core_diagram(axis, title: str, published: dict[str, tuple[float, int]], ours: list[dict]) -> None:
    """Time against multiplier blocks. Every point has a name that no other has."""
    names = [(blocks, time, name, "dimgray") for name, (time, blocks) in published.items()]
    names += [(p["dsp"], p["time_us"] / 1e3, f"{p['rows']} rows, {p['part'].split(', ')[-1]}", "tab:blue") for p in ours]
    for x, y, _, colour in names:
        axis.plot(x, y, "s" if colour == "tab:blue" else "o", color=colour)
    axis.set(xscale="log", yscale="log", xlabel="multiplier blocks", ylabel="ms", title=title)
    axis.margins(0.15)
    axis.set_xlim(right=3 * axis.get_xlim()[1])  # room for names
    plain(axis)
    labels.place(axis, names)


def row_diagram(axis, row_list: list[dict]) -> None:
    """Cycles against LUTs: colours are designs, markers are words."""
    colours = {"CIOS": "tab:gray", "FIOS": "tab:olive", "two-row": "tab:red", "product scanning": "tab:green",
               "chain": "tab:blue"}
    markers = {8: "o", 16: "s", 32: "^"}
    for p in row_list:
        if p["pipelined"]:
            axis.plot(p["lut"], p["cycles"], markers[p["word"]], color=colours[p["design"]], alpha=0.7)
    axis.set(xscale="log", yscale="log", xlabel="LUT (xc7, multipliers in LUTs)", ylabel="cycles of a 1024-bit MM",
             title="Row accelerators, pipelined")
    plain(axis)
    handles = [plt.Line2D([], [], linestyle="", marker="o", color=colour, label=name) for name, colour in colours.items()]
    handles += [plt.Line2D([], [], linestyle="", marker=marker, color="black", markerfacecolor="none", label=f"{word} bit")
                for word, marker in markers.items()]
    axis.legend(handles=handles, fontsize=8, loc="upper right")


def plain(axis) -> None:
    """Numbers instead of powers of ten on both axes, a few in each decade, and a grid."""
    for each in (axis.xaxis, axis.yaxis):
        each.set_major_locator(LogLocator(subs=(1, 2, 5)))
        each.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}" if value < 1e3 else f"{value:,.0f}"))
        each.set_minor_formatter(NullFormatter())
    axis.grid(True, which="both", alpha=0.2)


def fill(document: Path, tables: dict[str, str]) -> None:
    """Puts each table between its markers `<!-- NAME -->` and `<!-- /NAME -->`."""
    document.write_text(filled(document, tables))


def filled(document: Path, tables: dict[str, str]) -> str:
    """The document's text with these tables between their markers."""
    text = document.read_text()
    for name, table in tables.items():
        begin, end = f"<!-- {name} -->", f"<!-- /{name} -->"
        if begin not in text or end not in text:
            sys.exit(f"{document}: no place for the table {name!r}")
        head, rest = text.split(begin)
        text = f"{head}{begin}\n{table}\n{end}{rest.split(end)[1]}"
    return text


def stale_line(old: list[dict]) -> str:
    """What of the tables is of sources that have changed since."""
    if not old:
        return "Everything was made from the sources as they are now."
    counts = Counter(f"`{record['top']}`, {record['family'] if record['kind'] == 'synthesis' else 'cycles'}"
                     for record in old)
    return ("Made from sources that have changed since, and to be measured again (records): "
            + "; ".join(f"{name} ({count})" for name, count in sorted(counts.items())) + ".")


def stale(found: list[dict]) -> list[dict]:
    """Records of other sources than are here now."""
    old = []
    for record in found:
        top, parameters = record["top"], record["parameters"]
        if record["kind"] == "synthesis":
            instead = [full.SHELL_CORE] if (top, parameters) == ("garner_pins", full.SHELL_PARAMETERS) else []
            files = place.design(top, record["family"], instead)[1]
            stamp = place.stamp_of(files, parameters == full.PARAMETERS)
        elif top == "garner_top":
            stamp = full.stamp_of_cycles()
        else:
            stamp = rows.stamp_of(top) if top in rows.MEASUREMENTS else cores.stamp_of(record)
        if stamp != record["sources"]:
            old.append(record)
    return old


def write() -> None:
    found, others = records()
    old = stale(found)
    row_list, core_list, device_list = row_points(found), core_points(found), device_points(found)
    xilinx_list = xilinx_points(found)
    aes_list = aes.points(found)
    points = core_list + device_list + xilinx_list + row_list + [point(**row) for row in aes_list]
    tables = {"stale": stale_line(old), "aes": aes.table(aes_list), "cores": core_table(core_list), "device": device_table(device_list) + "\n\n" + shell_line(found),
              "xilinx": xilinx_table(xilinx_list), "row bar": bar_table(row_list), "row split": split_table(row_list),
              "row clock": clock_table(row_list), "row thesis": thesis_table(row_list)}
    parts, all_rows = parts_table(found), all_rows_table(row_list)
    for name in others:
        print(f"not in these tables: {name}", file=sys.stderr)
    for record in old:
        print(f"made from other sources: {record['name']}", file=sys.stderr)
    # All is there: now it is written.
    (REPORT / "report.json").write_text(json.dumps({"rows": points}, indent=1) + "\n")
    plot(row_list, core_list, REPORT / "points.svg")
    fill(DOCUMENT, tables)
    fill(RSA_DOCUMENT, {"parts": parts})
    (REPORT / "rows.md").write_text("# Every row accelerator measured\n\nMade by `make hw-report`; see "
                                    "docs/hardware.md. 1024-bit Montgomery multiplication.\n\n" + all_rows + "\n")
    print(f"{len(core_list)} figures of cores, {len(row_list)} of row accelerators: {DOCUMENT.relative_to(HW.parent)}, "
          f"{(REPORT / 'report.json').relative_to(HW.parent)}, points.svg, rows.md")
