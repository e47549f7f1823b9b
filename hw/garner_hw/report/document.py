# SPDX-License-Identifier: Apache-2.0
"""Collects hw/report/runs into report.json, the plot points.svg and the tables of docs/hardware.md and
docs/hardware/rsa.md. Measures nothing.

A record whose sources have changed since is used and named on the standard error: `make hw-report-all` renews it, of AES
`garner-hw place`. So is a record of a top that is not in these tables, which `garner-hw place` makes of any; it is left out.
"""

import json
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from statistics import median

from garner_hw import HW
from garner_hw.measure import cores, full
from garner_hw.measure.private import PARTS
from garner_hw.model.rsa import products_at_best
from garner_hw.placement import place
from garner_hw.records import RUNS, recorded
from garner_hw.report import aes, plot
from garner_hw.report.published import ZOTECH
from garner_hw.tables import fill, markdown

REPORT = HW / "report"
DOCUMENT = HW.parent / "docs" / "hardware.md"
RSA_DOCUMENT = HW.parent / "docs" / "hardware" / "rsa.md"
# What every row of report.json has, null where there is no such figure. u_mm, u_op: shares of one; bram: blocks of memory
COLUMNS = ("design", "op", "bits", "word", "rows", "multipliers", "cycles", "u_mm", "u_op", "part", "seeds", "fmax_mhz",
           "time_us", "lut", "ff", "dsp", "bram")
XILINX7 = "xc7 (Yosys alone)"


TOPS = {*cores.TOPS, *aes.TOPS, aes.ENGINE, "garner_pins", "garner_top"}


def records() -> tuple[list[dict], list[str]]:
    """The records of our tops, and the names of the others."""
    found, others = [], []
    for path in sorted(RUNS.glob("*.json")):
        record = recorded(path)
        record |= {"name": path.stem, "kind": "cycles" if "cycles" in record else "synthesis"}
        if record["top"] in TOPS:
            found.append(record)
        else:
            others.append(record["name"])
    return found, others


def point(**figures: object) -> dict:
    """A row of report.json."""
    return dict.fromkeys(COLUMNS) | figures


def bound(bits: int, word: int) -> int:
    """Word products of one Montgomery multiplication."""
    s = -(-bits // word)
    return 2 * s * s + s


def shares(record: dict) -> dict:
    """U_MM or U_op of a record, by the formulas of today: of the multipliers' time, what its operations need at best."""
    formulas: dict[str, tuple[str, Callable[[int, int], int]]] = {
        "mm": ("u_mm", bound), "private": ("u_op", products_at_best)}
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
    points: list[dict] = []
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


def core_table(points: list[dict]) -> str:
    def line(p: dict) -> tuple:
        share = [f"{100 * p[key]:.1f} %" if p.get(key) else "" for key in ("u_mm", "u_op")]
        placed = (clock(p), f"{p['time_us']:,.2f}", *area(p)) if p["part"] else ("", "", "", "")
        return (p["design"], p["op"], p["bits"], p["rows"], p["multipliers"], f"{p['cycles']:,.0f}", *share, p["part"] or "not placed",
                *placed)

    return markdown(("design", "operation", "bits", "rows", "multipliers", "cycles", "U_MM", "U_op", "part", "MHz (seeds, range)",
                     "us", "LUT / FF", "DSP / EBR"),
                    [line(p) for p in sorted(points, key=lambda p: (p["op"], p["bits"], p["multipliers"]))])


def clock(p: dict) -> str:
    return f"{p['fmax_mhz']:.0f} ({p['seeds']}, {p['fmax_range'][0]:.0f}-{p['fmax_range'][1]:.0f})"


def area(p: dict) -> tuple[str, str]:
    return f"{p['lut']:,} / {p['ff']:,}", f"{p['dsp']} / {p['bram']}"


def device_table(points: list[dict]) -> str:
    if not points:
        return "Not yet placed and routed as a whole."
    return markdown(("cores x rows", "multipliers", "cycles an operation", "part", "MHz (seeds, range)", "RSA-2048 operations a second",
                     "a multiplier (ZoTech)", "LUT / FF", "DSP / EBR"),
                    [(f"{p['cores']} x {p['rows']}", p["multipliers"], f"{p['cycles']:,.0f}", p["part"], clock(p),
                      f"**{p['operations_per_second']:,.0f}**", f"{p['per_multiplier']:.1f} ({ZOTECH})", *area(p)) for p in points])


def shell_line(found: list[dict]) -> str:
    for p in by_speed(found, "garner_pins", full.SHELL_PARAMETERS):
        if p["part"].endswith("speed 8"):
            return (f"Shell, dispatcher and the links to five cores alone, at speed 8: {p['fmax_mhz']:.0f} MHz ({p['seeds']}, "
                    f"{p['fmax_range'][0]:.0f}-{p['fmax_range'][1]:.0f}), {p['lut']:,} LUT, {p['ff']:,} FF with the harness.")
    return "Shell, dispatcher and the links to five cores alone: not placed."


def xilinx_table(points: list[dict]) -> str:
    return markdown(("design", "rows", "other parameters", "LUT", "FF", "DSP48E1", "RAMB18"),
                    [(p["design"], p["rows"], ", ".join(f"{key} {value}" for key, value in p["parameters"].items() if key != "Rows"),
                      f"{p['lut']:,}", f"{p['ff']:,}", p["dsp"], p["bram"]) for p in points])


def parts_table(found: list[dict]) -> str:
    """Cycles of one private operation, by parts."""
    runs = [r for r in found if r["top"] == "rsa_core" and r["kind"] == "cycles" and r["op"] == "private"]
    runs.sort(key=lambda r: r["multipliers"])
    return markdown(("", *(f"RSA-{r['bits']}, {r['multipliers']} multipliers (Rows = {r['rows']})" for r in runs)),
                    [*((name, *(f"{r[name]:,}" for r in runs)) for name in PARTS.values()),
                     ("**together**", *(f"**{r['cycles']:,}**" for r in runs)),
                     ("U_op", *(f"{100 * shares(r)['u_op']:.1f} %" for r in runs)),
                     ("key load", *(f"{r['load']:,}" for r in runs))])


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
            stamp = cores.stamp_of(record)
        if stamp != record["sources"]:
            old.append(record)
    return old


def write() -> None:
    found, others = records()
    old = stale(found)
    core_list, device_list = core_points(found), device_points(found)
    xilinx_list = xilinx_points(found)
    aes_list = aes.points(found)
    points = core_list + device_list + xilinx_list + [point(**row) for row in aes_list]
    tables = {"stale": stale_line(old), "aes": aes.table(aes_list), "cores": core_table(core_list), "device": device_table(device_list) + "\n\n" + shell_line(found),
              "xilinx": xilinx_table(xilinx_list)}
    parts = parts_table(found)
    for name in others:
        print(f"not in these tables: {name}", file=sys.stderr)
    for record in old:
        print(f"made from other sources: {record['name']}", file=sys.stderr)
    # All is there: now it is written.
    (REPORT / "report.json").write_text(json.dumps({"rows": points}, indent=1) + "\n")
    plot.write(core_list, REPORT / "points.svg")
    fill(DOCUMENT, tables)
    fill(RSA_DOCUMENT, {"parts": parts})
    print(f"{len(core_list)} figures of cores: {DOCUMENT.relative_to(HW.parent)}, "
          f"{(REPORT / 'report.json').relative_to(HW.parent)}, points.svg")
