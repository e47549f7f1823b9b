# SPDX-License-Identifier: Apache-2.0
"""hw/soc/report: what each level takes, against software on the same processor. Each row is kept in hw/soc/report/runs
with the hash of firmware and RTL, and measured again when that has changed.
"""

import json
import random
import re
from dataclasses import asdict

from garner_hw import HW
from garner_hw.soc import build, check
from garner_hw.soc.system import Answer, System

REPORT = HW / "soc" / "report"
DOCUMENT = HW.parent / "docs" / "soc.md"
TABLE = re.compile(r"(<!-- soc -->\n).*?(<!-- /soc -->)", re.DOTALL)
ROWS = 8
SEED = 31
POWERS = [(level, bits, scheme) for level in ("mul", "exp") for bits in (512, 1024)
          for scheme in ("l2r", "r2l", "fixed", "sliding")]
ROWS_TO_MEASURE = [*POWERS, ("op", 1024, "crt"), ("op", 2048, "crt")]


def sources_hash() -> str:
    return build.digest([*build.firmware_sources(), *build.simulator_sources()], build.FLAGS)


def run(level: str, bits: int, scheme: str) -> Answer:
    """One operation, checked; kept."""
    file = REPORT / "runs" / f"{level}-{bits}-{scheme}.json"
    now = sources_hash()
    if file.exists():
        kept = json.loads(file.read_text())
        if kept["sources"] == now:
            return Answer(**kept["answer"])
    print(f"{level} {bits} {scheme}", flush=True)
    random.seed(f"{SEED}-{bits}-{scheme}")  # the same operands at every level
    with System(ROWS) as system:
        crt = scheme == "crt"
        answer = check.private(system, level, bits) if crt else check.exp(system, level, scheme, bits)
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(json.dumps({"sources": now, "answer": asdict(answer) | {"value": 0}}, indent=1) + "\n")
    return answer


def row(level: str, bits: int, scheme: str) -> dict:
    software, ours = run("software", bits, scheme), run(level, bits, scheme)
    return {"level": level, "bits": bits, "scheme": scheme, "cycles_software": software.cycles,
            "cycles": ours.cycles, "speed_up": round(software.cycles / ours.cycles, 2),
            "communication_share": round(ours.moving / ours.cycles, 5),
            "core_share": round(ours.core / ours.cycles, 5), "load": ours.load, "monitor": ours.monitor,
            "multipliers": 2 * ROWS, "software": "own CIOS, gcc -O2", "checked": ours.fallback == 0}


def table(rows: list[dict]) -> str:
    head = ("| level | bits | scheme | software, cycles | cycles | speed-up | moving words | in the core | multipliers |\n"
            "|---|---|---|---|---|---|---|---|---|\n")
    return head + "".join(
        f"| {row['level']} | {row['bits']} | {row['scheme']} | {row['cycles_software']:,} | {row['cycles']:,} | "
        f"{row['speed_up']:.1f} | {100 * row['communication_share']:.2f} % | {100 * row['core_share']:.1f} % | "
        f"{row['multipliers']} |\n" for row in rows)


def report() -> int:
    rows = [row(*which) for which in ROWS_TO_MEASURE]
    REPORT.mkdir(parents=True, exist_ok=True)
    (REPORT / "report.json").write_text(json.dumps(rows, indent=1) + "\n")
    print(table(rows))
    if DOCUMENT.exists():
        text = DOCUMENT.read_text()
        DOCUMENT.write_text(TABLE.sub(lambda found: found[1] + table(rows) + found[2], text))
    return 0
