# SPDX-License-Identifier: Apache-2.0
"""What was measured again, beside what is committed: of the profile, of a sweep of the explorer, and of whole batches.

A circuit's name has the hash of its sources, parameters and tools, so the same circuit must give the same cycles, LUTs and
clock again. Times, shares and what is counted of keys depend on the machine, its compiler and the seed, and are only shown.
"""

from collections.abc import Iterator
from dataclasses import dataclass

CIRCUIT = {"cycles": "cycles", "lut": "LUTs", "mhz": "MHz"}
PROFILE = {"tests_per_key": "primality tests a key", "prime_generation": "prime generation, share of key generation"}
BATCHES = ("sign", "verify", "public")


@dataclass(frozen=True)
class Figure:
    """One figure, as committed and as measured."""

    name: str
    committed: float
    measured: float
    repeats: bool = False  # the same in every run

    @property
    def differs(self) -> bool:
        return self.repeats and self.committed != self.measured

    def row(self) -> tuple[str, ...]:
        """For people: name, both values, and how they compare."""
        values = [f"{value:,.10g}" if self.repeats else f"{value:,.4g}" for value in (self.committed, self.measured)]
        if self.repeats:
            return self.name, *values, "differs" if self.differs else "the same"
        return self.name, *values, f"{self.measured / self.committed:.2f}"


def of_circuits(committed: list[dict], measured: list[dict]) -> Iterator[Figure]:
    """Of the points of both whose circuit is the same."""
    from garner_hw.explore.report import describe

    known = {row["circuit"]: row for row in committed if "circuit" in row}
    for row in measured:
        if row.get("circuit") in known:
            for field, unit in CIRCUIT.items():
                yield Figure(f"{describe(row)}: {unit}", known[row["circuit"]][field], row[field], repeats=True)


def of_profile(committed: dict, measured: dict) -> Iterator[Figure]:
    for field, name in PROFILE.items():
        yield Figure(name, committed["keygen"][field], measured["keygen"][field])
    times = {(row["operation"], row["bits"]): row for row in committed["times"]}
    for row in measured["times"]:
        if before := times.get((row["operation"], row["bits"])):
            yield Figure(f"mbedTLS {row['operation']}, RSA-{row['bits']}: ms", before["mean_ms"], row["mean_ms"])


def of_batches(committed: list[dict], measured: list[dict]) -> Iterator[Figure]:
    """Of whole batches of one caller: Garner's rate over the other's, as rates are the machine's."""
    known = {place(row): row for row in committed}
    for row in measured:
        if row["op"] in BATCHES and row["batch"] > 1 and (before := known.get(place(row))):
            yield Figure(f"{row['op']}, RSA-{row['bits']}, batches of {row['batch']}: times {row['baseline']}",
                         before["ratio"], row["ratio"])


def place(row: dict) -> tuple:
    """What is measured, beside which series of OpenSSL: 3.0.19 beside 3.0.18."""
    return (*(row[field] for field in ("op", "bits", "callers", "batch", "slots")), row["baseline"].rpartition(".")[0])
