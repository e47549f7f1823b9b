# SPDX-License-Identifier: Apache-2.0
"""FIU's experiment on the system: RSA of bytes, its hot spot Power() in software or a peripheral; and Amdahl's bound."""

import random

from garner_hw.soc import check, measure
from garner_hw.soc.system import Answer, System
from garner_hw.tables import markdown

RUNS = [(count, 0) for count in (4, 40, 400, 4_000, 40_000)]  # bytes, cycles more for an access of memory
SLOW = 50  # an access takes 2 + 50 cycles, 26 times as long: FIU's external memory
RUNS += [(count, SLOW) for count in (4, 40, 400)]
CALLS = 18  # of Power(), a byte


def run(hardware: bool, count: int, wait: int) -> Answer:
    def measured() -> Answer:
        random.seed(f"{measure.SEED}-{count}")
        with System(measure.ROWS) as system:
            system.settings(memory_wait=wait)
            return check.toy(system, hardware, count)

    name = f"power-{count}-{'hardware' if hardware else 'software'}" + "-slow" * (wait > 0)
    return measure.kept(name, measure.sources_hash("power"), measured)


def rows() -> list[dict]:
    """Of each count of bytes: cycles of the whole and of a call, Power()'s share, and the speed-up that Amdahl allows."""
    made = []
    for count, wait in RUNS:
        software, hardware = run(False, count, wait), run(True, count, wait)
        share, factor = software.load * count / software.cycles, software.load / hardware.load
        made.append({"level": "power", "bytes": count, "memory_wait": wait,
                     "cycles_software": software.cycles, "cycles": hardware.cycles,
                     "speed_up": round(software.cycles / hardware.cycles, 4), "share": round(share, 4),
                     "amdahl": round(1 / (1 - share + share / factor), 4),
                     "call_software": round(software.load / CALLS, 1), "call": round(hardware.load / CALLS, 1),
                     "communication_share": round(hardware.moving / hardware.cycles, 4),
                     "checked": hardware.fallback == 0 and hardware.value == software.value})
    return made


def table(rows: list[dict]) -> str:
    return markdown(("bytes", "memory", "software, cycles", "with `power`, cycles", "speed-up", "Amdahl's bound",
                     "share of Power()", "cycles of a call, software", "with `power`"),
                    [(f"{row['bytes']:,}", "26 times" if row["memory_wait"] else "on the chip",
                      f"{row['cycles_software']:,}", f"{row['cycles']:,}", f"{row['speed_up']:.4f}",
                      f"{row['amdahl']:.4f}", f"{100 * row['share']:.1f} %", row["call_software"], row["call"])
                     for row in rows])
