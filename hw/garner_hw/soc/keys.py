# SPDX-License-Identifier: Apache-2.0
"""Rows of key generation: the same seed, and so the same key, in software and with an accelerator."""

from garner_hw.soc import check, measure
from garner_hw.soc.system import Answer, System
from garner_hw.tables import markdown

SCHEME = "keygen"
# bits, level, seed. How many powers a seed needs is chance, of 2,048 bits a hundred on average; software takes 40 million
# cycles a power, so these are seeds that need few.
MEASURED = ((512, "mul", 31), (1024, "exp", 39), (2048, "exp", 1))


def runs() -> list[tuple[str, int, int]]:
    """Level, bits, seed; software first."""
    return [*(("software", bits, seed) for bits, _, seed in reversed(MEASURED)),
            *((level, bits, seed) for bits, level, seed in reversed(MEASURED))]


def run(level: str, bits: int, seed: int) -> Answer:
    def measured() -> Answer:
        with System(measure.ROWS, mbedtls=measure.RELEASES[measure.MBEDTLS]) as system:
            return check.keygen(system, level, bits, seed, "batched")

    return measure.kept(f"{level}-{bits}-{SCHEME}-{seed}", measure.sources_hash(measure.MBEDTLS), measured)


def rows() -> list[dict]:
    made = []
    for bits, level, seed in MEASURED:
        base, ours = run("software", bits, seed), run(level, bits, seed)
        share = base.in_powers / base.cycles
        made.append({"level": level, "bits": bits, "scheme": SCHEME, "seed": seed, "powers": ours.load,
                     "cycles_software": base.cycles, "cycles": ours.cycles, "speed_up": round(base.cycles / ours.cycles, 2),
                     "communication_share": round(ours.moving / ours.cycles, 5),
                     "core_share": round(ours.core / ours.cycles, 5), "powers_share_software": round(share, 5),
                     "amdahl": round(1 / (1 - share), 1), "multipliers": 2 * measure.ROWS,
                     "software": "the same search, own CIOS",
                     "checked": ours.fallback == 0 and ours.value == base.value})
    return made


def table(rows: list[dict]) -> str:
    return markdown(("bits", "seed", "powers", "software, cycles", "level", "cycles", "speed-up", "powers in software",
                     "Amdahl's bound", "in the accelerator", "moving words"),
                    [(row["bits"], row["seed"], row["powers"],
                      f"{row['cycles_software']:,}", row["level"], f"{row['cycles']:,}", f"{row['speed_up']:.1f}",
                      f"{100 * row['powers_share_software']:.1f} %", f"{row['amdahl']:.0f}",
                      f"{100 * row['core_share']:.1f} %", f"{100 * row['communication_share']:.2f} %") for row in rows])
