# SPDX-License-Identifier: Apache-2.0
"""The tables of docs/reproduction.md: figures of the five published systems, and ours of the committed results; and what
was measured again beside these. Measures nothing."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from garner_hw import HW, CommandError
from garner_hw.report import again, published, ramesh
from garner_hw.tables import filled, markdown

DOCUMENT = HW.parent / "docs" / "reproduction.md"
EXPLORED, PROFILED = HW / "explore" / "results" / "report.json", HW / "explore" / "results" / "profile.json"
SYSTEM, POWER = HW / "soc" / "report" / "report.json", HW / "soc" / "report" / "power.json"
ENERGY = HW / "soc" / "report" / "energy.json"
ZYNQ, ZYNQ_SYSTEM = HW / "report" / "zynq.json", HW / "soc" / "report" / "zynq.json"
PICTURES = HW / "explore" / "results"
HARDWARE, BATCHES = HW / "report" / "report.json", HW.parent / "bench" / "results" / "batches.json"
AES_CURVES = HW.parent / "bench" / "results" / "linux-aes.json"


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("reproduction", help="the tables of docs/reproduction.md, from the committed results",
                                 description=__doc__.split(":")[0] + ".",
                                 epilog="examples: garner-hw reproduction --check; garner-hw reproduction --measured hw/build/reproduced")
    parser.add_argument("--check", action="store_true", help="write nothing; fail if the document has other figures")
    parser.add_argument("--measured", type=Path, metavar="FOLDER",
                        help="write nothing; print what `make reproduce` measured, the files profile.json, report.json and batches.json "
                             "of this folder, beside what is committed; fail if a circuit gave other figures")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.measured:
        return compare(arguments.measured)
    files = {DOCUMENT: filled(DOCUMENT, tables())} | pictures()
    for path, now in files.items():
        if not arguments.check:
            path.write_text(now)
        elif not path.exists() or path.read_text() != now:
            raise CommandError(f"{path} is not what the results give; run `garner-hw reproduction`")
    return 0


def compare(folder: Path) -> int:
    """Prints what was measured here beside what is committed: 1 if what always gives the same did not. Batches are those of
    this processor, beside those that are committed of its kind."""
    points = results(folder / EXPLORED.name)["points"]
    circuits = [*again.of_circuits(results(EXPLORED)["points"], points)]
    batches = next(iter(sorted(folder.glob(f"*{BATCHES.name}"))), folder / BATCHES.name)
    before = BATCHES.with_name(batches.name)
    figures = [*again.of_profile(results(PROFILED), results(folder / PROFILED.name)),
               *again.of_batches(results(before)["rows"] if before.exists() else [], results(batches)["rows"]), *circuits]
    print(markdown(("figure", "committed", "here", "here / committed"), [one.row() for one in figures]))
    print(f"{len(circuits) // len(again.CIRCUIT)} of {len(points)} points are of circuits that are committed; others have other "
          "sources or tools, or are not recorded", file=sys.stderr)
    if not before.exists():
        print(f"no batches of such a processor are committed ({before.name})", file=sys.stderr)
    for one in figures:
        if one.differs:
            print(f"{one.name} was {one.committed} and is {one.measured} here, by the same sources and tools", file=sys.stderr)
    return int(any(one.differs for one in figures))


def pictures() -> dict[Path, str]:
    """The document's pictures, by file."""
    return {PICTURES / f"{name}.svg": text for name, text in ramesh.pictures(results(EXPLORED)).items()}


def results(path: Path) -> Any:
    """What a file of committed results holds."""
    try:
        return json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise CommandError(f"{path}: {error}") from None


def tables() -> dict[str, str]:
    """By the name between the document's markers."""
    explored, profiled, hardware = (results(path) for path in (EXPLORED, PROFILED, HARDWARE))
    return {"signatures": signatures(hardware["rows"]), **ramesh.tables(explored, profiled),
            "exponentiation": exponentiation(hardware["rows"]), "aes": aes(hardware["rows"]), "aes curves": aes_curves(),
            "power": power(), "energy": energy(), "energy by part": energy_by_part(), "system": system(), "zynq": zynq()}


def signatures(rows: list[dict]) -> str:
    """RSA-2048 private operations: per second, and per second and multiplier."""
    batch = next(row for row in results(BATCHES)["rows"]
                 if row["op"] == "sign" and row["bits"] == 2048 and row["batch"] == 64)
    machine = results(BATCHES)["machine"]
    device = next(row for row in rows if row["design"] == "garner_top" and row["op"] == "private" and row["bits"] == 2048)
    return markdown(("system", "operations a second", "per second and multiplier", "command"), [
        ("ZoTech, AWS F1", "28,000", "-", "-"),
        ("ZoTech, Alveo U250", "36,000", published.ZOTECH, "-"),
        ("ZoTech, software beside the U250", "9,000", "-", "-"),
        (f"Garner, {device['part']}: {device['cores']} cores, {device['multipliers']} multipliers, simulated and placed",
         f"{device['operations_per_second']:,.0f}", f"{device['per_multiplier']:.1f}", "`make hw-report-all`"),
        (f"Garner, one core of {machine['cpu']} ({machine['kernels']})", f"{batch['garner_per_s']:,.0f}", "-", "`bench/run.sh batches`"),
        (f"{batch['baseline']}, the same core", f"{batch['baseline_per_s']:,.0f}", "-", "`bench/run.sh batches`")])


def exponentiation(rows: list[dict]) -> str:
    """The table of Sharif 2016: one exponentiation of 1024 bits."""
    theirs = [*((name, ms, lut, dsp) for name, (ms, dsp, lut) in published.ME.items()),
              *((name, ms, None, None) for name, ms in published.TIMES_ALONE.items())]
    ours = [(f"Garner `rsa_core`, {row['part']}, {row['fmax_mhz']:.0f} MHz", row["time_us"] / 1e3, row["lut"], row["dsp"])
            for row in rows if row["op"] == "me" and row["bits"] == 1024 and row["time_us"]]
    placed = results(ZYNQ)
    ours.append((f"Garner `rsa_core`, sliding window, {placed['device']}, {placed['fmax_mhz']:.0f} MHz by an open timing model",
                 placed["time_ms"], placed["LUT"], placed["DSP"]))
    return markdown(("design", "ms", "LUT", "DSP"),
                    [(name, f"{ms:.2f}", f"{lut:,}" if lut else "-", dsp or "-")
                     for name, ms, lut, dsp in sorted((*theirs, *ours), key=lambda row: row[1])])


def aes(rows: list[dict]) -> str:
    """AES-128-CBC: the core's throughput there, and that of our ciphers, simulated and placed."""
    from garner_hw.report.aes import DECRYPT, ENCRYPT, ENGINE

    lines = [("Ethond, the core that encrypts", "-", "-", "-", "8", "-"), ("Ethond, the core that decrypts", "-", "-", "-", "0.7", "-")]
    for row in rows:
        if row["design"] in (ENCRYPT, DECRYPT):
            encrypts = row["design"] == ENCRYPT
            way = "encryption" if encrypts else "decryption"
            units = f"Units={row['units']}" if encrypts else f"Stages={row['units']}"
            placed = f"{row['design']} -G {units}"
            if row["bus"]:
                units = f"Messages={row['units']}" if encrypts else f"Decrypt=1 -G Messages=1 -G {units}"
                placed = f"{ENGINE} -G {units} -G BusWidth={row['bus']}"
            lines.append((f"Garner, {way}{', with its engine' * (row['bus'] > 0)}, {row['part']}", row["messages"],
                          f"{row['block_cycles']:.4g}", f"{row['mhz']:.0f}", f"{row['gbit_per_s']:.2f}",
                          f"`garner-hw place {placed}`"))
    return markdown(("system", "messages at once", "cycles a block", "MHz", "Gbit/s", "command"), lines)


def aes_curves() -> str:
    """AES-128-CBC over buffer sizes: what was counted, what a model makes of it, and libcrypto."""
    result = results(AES_CURVES)
    by_way = {name: {(row.get("who", row.get("driver")), row["way"], row["bytes"]): row for row in result[name]}
              for name in ("guest", "board", "model_rows", "libcrypto")}
    lines = []
    for board in sorted(result["board"], key=lambda row: (row["way"] != "encrypt", row["bytes"])):
        at = board["way"], board["bytes"]
        kernel = by_way["model_rows"]["AF_ALG", *at]
        direct = by_way["model_rows"].get(("user space", *at))
        lines.append((at[0], f"{at[1]:,}", *(f"{by_way['guest'][driver, *at]['instructions']:,}"
                                             for driver in ("cbc-aes-garner", "cbc(aes-generic)")),
                      f"{board['cycles']:,.0f}", f"{kernel['mbit_per_s']:,.0f}", f"{100 * kernel['load']:.0f} %",
                      f"{direct['mbit_per_s']:,.0f}" if direct else "-",
                      *(f"{by_way['libcrypto'][who, *at]['mbit_per_s']:,.0f}"
                        for who in ("libcrypto, no AES-NI", "libcrypto, AES-NI"))))
    return markdown(("", "bytes", "instructions: driver", "kernel's software", "board, cycles", "model, AF_ALG: Mbit/s", "load",
                     "model, user space: Mbit/s", "libcrypto, no AES-NI: Mbit/s", "AES-NI"), lines)


def power() -> str:
    """FIU's table: bytes, cycles without and with the accelerator."""
    theirs = {4: (39_100, 35_000), 40_000: (388_235_500, 347_155_500)}
    rows = [("FIU", f"{count:,}", f"{software:,}", f"{with_it:,}", f"{software / with_it:.3f}", "1.124", 118, 58)
            for count, (software, with_it) in theirs.items()]
    rows += [("Garner" + ", memory 26 times as slow" * (row["memory_wait"] > 0), f"{row['bytes']:,}",
              f"{row['cycles_software']:,}", f"{row['cycles']:,}", f"{row['speed_up']:.3f}", f"{row['amdahl']:.3f}",
              row["call_software"], row["call"]) for row in results(POWER)]
    return markdown(("system", "bytes", "software, cycles", "accelerated, cycles", "speed-up", "Amdahl's bound",
                     "Power() in software", "accelerated"), rows)


def energy() -> str:
    """Power and energy, accelerated against software; of FIU those of 40,000 bytes, which agree: 0.8942 * 1.0107 = 0.9038."""
    from garner_hw.soc.energy import change

    record = results(ENERGY)
    cycles = record["runs"]["accelerated"]["cycles"] / record["runs"]["software"]["cycles"]
    systems = {"absent": "without the peripheral", "idle": "with it, idle"}
    rows = [("FIU", "without the peripheral", change(347_155_500 / 388_235_500), "+1.07 %", "-9.62 %")]
    rows += [("Garner", systems[name], change(cycles), change(ratio["power"]), change(ratio["energy"]))
             for name, ratio in record["ratios"].items()]
    return markdown(("system", "software runs on the system", "cycles", "power", "energy"), rows)


def energy_by_part() -> str:
    """Of each part's energy in both runs: its share of the whole of a software run without the peripheral."""
    from garner_hw.soc.energy import PERIPHERAL, change

    record = results(ENERGY)
    software, accelerated = (record["runs"][name]["nj"] for name in ("software", "accelerated"))
    base = sum(nj for part, nj in software.items() if part != PERIPHERAL)
    rows = [(f"`{part}`" if part in ("control", PERIPHERAL) else part, f"{record['cells'][part]:,}",
             f"{100 * software[part] / base:.2f}" + ", idle" * (part == PERIPHERAL), f"{100 * accelerated[part] / base:.2f}",
             change(accelerated[part] / software[part])) for part in software]
    return markdown(("part", "cells", "software, %", "accelerated, %", "energy"), rows)


def system() -> str:
    """Sharif 2016's speed-up and share of communication, beside those of our system's levels."""
    rows = [("Sharif 2016, `mul`", 1024, "up to 57", "< 1 %", 17)]
    rows += [(f"Garner, `{row['level']}`", row["bits"], f"{row['speed_up']:.1f}",
              f"{100 * row['communication_share']:.2f} %", row["multipliers"])
             for row in results(SYSTEM) if row["scheme"] == "sliding" and row["bits"] >= 512]
    return markdown(("system, level", "bits", "speed-up over software", "moving words", "multipliers"), rows)


def zynq() -> str:
    """One exponentiation on the device of Sharif 2016: by our core alone, and by the system with its processor's part."""
    core, whole = results(ZYNQ), results(ZYNQ_SYSTEM)
    runs = [("Garner, `rsa_core` alone", core, max(core["cycles"]), core["time_ms"]),
            *((f"Garner, the system, level `{row['level']}`", whole, row["cycles"], row["time_ms"]) for row in whole["rows"])]
    rows = [("Sharif 2016", "-", "-", "6.25", "10,385", "-", 17, "-")]
    rows += [(name, f"{cycles:,}", f"{record['fmax_mhz']:.0f} ({seeds(record)})",
              f"{ms:.2f}", f"{record['LUT']:,}", f"{record['FF']:,}", record["DSP"], record["RAMB18"])
             for name, record, cycles, ms in runs]
    return markdown(("system", "cycles", "MHz, median (of seeds)", "ms", "LUT", "FF", "DSP", "RAMB18"), rows)


def seeds(record: dict) -> str:
    return ", ".join(f"{run['fmax']:.0f}" for run in record["placements"])
