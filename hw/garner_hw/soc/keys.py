# SPDX-License-Identifier: Apache-2.0
"""Rows of key generation: the same seed, and so the same key, in software and with an accelerator.

A key in software takes as many powers as chance wants, RSA-2048 a hundred on average: 4 thousand million cycles, which no
simulation here takes in reasonable time. Of that length the accelerated run alone is measured; of software only the powers
are counted, each taking what one exponentiation of that length was measured to take.
"""

from garner_hw.soc import check, measure
from garner_hw.soc.system import Answer, System

SCHEME = "keygen"
# bits, level, seed; a seed that needs few powers, where software runs
MEASURED = ((512, "mul", 31), (1024, "exp", 39))
CALCULATED = ((2048, "exp", 1),)


def run(level: str, bits: int, seed: int) -> Answer:
    def measured() -> Answer:
        with System(measure.ROWS, mbedtls=measure.RELEASES[measure.MBEDTLS]) as system:
            return check.keygen(system, level, bits, seed, "batched")

    return measure.kept(f"{level}-{bits}-{SCHEME}-{seed}", measure.sources_hash(measure.MBEDTLS), measured)


def row(bits: int, level: str, seed: int, software: int, share: float | None, same: bool) -> dict:
    """`share`: of powers in software, where it was measured; `same`: whether software's was the same key."""
    ours = run(level, bits, seed)
    return {"level": level, "bits": bits, "scheme": SCHEME, "seed": seed, "powers": ours.load,
            "cycles_software": software, "cycles": ours.cycles, "speed_up": round(software / ours.cycles, 2),
            "communication_share": round(ours.moving / ours.cycles, 5), "core_share": round(ours.core / ours.cycles, 5),
            "powers_share_software": share and round(share, 5), "amdahl": share and round(1 / (1 - share), 1),
            "multipliers": 2 * measure.ROWS,
            "software": "the same search, own CIOS" + ", calculated: powers alone" * (share is None),
            "checked": ours.fallback == 0 and same}


def rows() -> list[dict]:
    made = []
    for bits, level, seed in MEASURED:
        base, ours = run("software", bits, seed), run(level, bits, seed)
        made.append(row(bits, level, seed, base.cycles, base.in_powers / base.cycles, ours.value == base.value))
    for bits, level, seed in CALCULATED:
        powers = run(level, bits, seed).load - 1  # qinv is none in software
        made.append(row(bits, level, seed, powers * measure.run("software", bits // 2, "sliding").cycles, None, True))
    return made


def table(rows: list[dict]) -> str:
    from garner_hw.reproduction import markdown

    return markdown(("bits", "seed", "powers", "software, cycles", "level", "cycles", "speed-up", "powers in software",
                     "Amdahl's bound", "in the accelerator", "moving words"),
                    [(row["bits"], row["seed"], row["powers"],
                      f"{row['cycles_software']:,}" + " (calculated)" * (row["amdahl"] is None),
                      row["level"], f"{row['cycles']:,}", f"{row['speed_up']:.1f}",
                      "-" if row["amdahl"] is None else f"{100 * row['powers_share_software']:.1f} %",
                      "-" if row["amdahl"] is None else f"{row['amdahl']:.0f}",
                      f"{100 * row['core_share']:.1f} %", f"{100 * row['communication_share']:.2f} %") for row in rows])
