# SPDX-License-Identifier: Apache-2.0
"""Chapter 4 of Ramesh 2020: the printed figures of its tables 4.4 and 4.5, and ours of the same designs.

Ours have their multipliers in DSP blocks, as Vivado HLS makes them of products; the thesis compares the LUTs beside them. Its
figures 4.4 to 4.15 are diagrams without numbers: plots.chapter_4 draws the same of our rows.
"""

from dataclasses import dataclass

# (word, ports): reduction of latency in % (the thesis calls it speed-up), area of two-row / area of the base
PRINTED = {(8, 2): (47.55, 2.54), (8, 3): (64.63, 1.82), (8, 4): (48.65, 1.38),
           (16, 2): (46.6, 2.34), (16, 3): (61.7, 1.68), (16, 4): (43.8, 1.33),
           (32, 2): (44.5, 1.71), (32, 3): (54.2, 1.56), (32, 4): (35.1, 1.49)}
AVERAGES = {2: (46.21, 2.19), 3: (60.27, 1.68), 4: (38.1, 1.4)}  # by ports, of the same: chapter 5
DESIGNS = ("cios", "fios", "two-row")
WORDS = (8, 16, 32)
BASE = {2: "cios", 3: "fios", 4: "fios"}  # pipelined: FIOS cannot be built with two ports


@dataclass(frozen=True)
class Comparison:
    """Two-row beside its base at one word and port count."""

    word: int
    ports: int
    base: str
    base_cycles: int
    cycles: int
    less: float           # reduction of cycles in %
    less_us: float        # of microseconds, at the clocks that are reached here
    area: float           # LUTs of two-row / LUTs of the base
    area_without_dsp: float  # the same with multipliers in LUTs
    printed_less: float
    printed_area: float


def comparisons(rows: list[dict]) -> list[Comparison]:
    """Of the word and port counts for which both are measured."""
    found = []
    for (word, ports), (less, area) in PRINTED.items():
        two, base = one(rows, "two-row", word, ports), one(rows, BASE[ports], word, ports)
        if two is None or base is None:
            continue
        found.append(Comparison(
            word, ports, BASE[ports], base["cycles"], two["cycles"], 100 * (1 - two["cycles"] / base["cycles"]),
            100 * (1 - two["us"] / base["us"]), two["lut"] / base["lut"], two["lut_without_dsp"] / base["lut_without_dsp"],
            less, area))
    return found


def one(rows: list[dict], design: str, word: int, ports: int) -> dict | None:
    """The design as the thesis compares it: pipelined and not unrolled."""
    return next((row for row in of_the_thesis(rows) if (row["design"], row["word"], row["ports"]) == (design, word, ports)
                 and row["pipelined"] and row["unroll"] == 1), None)


@dataclass(frozen=True)
class Unrolled:
    """The fastest base of any unrolling beside two-row, at one word and port count."""

    word: int
    ports: int            # 0: free
    us: float             # of two-row
    lut: int
    base: str
    unroll: int
    base_us: float
    base_lut: int


def unrolled(rows: list[dict]) -> list[Unrolled]:
    """Of the word and port counts for which all that can be built of the bases is measured.

    The thesis finds that no unrolled base reaches two-row (section 4.5.2); base versions count as well as pipelined ones.
    """
    found = []
    for word in WORDS:
        for ports in (2, 3, 4, 0):
            two = one(rows, "two-row", word, ports)
            bases = [row for row in of_the_thesis(rows) if row["design"] != "two-row"
                     and (row["word"], row["ports"]) == (word, ports)]
            if two is None or {(row["design"], row["pipelined"], row["unroll"]) for row in bases} != buildable(ports):
                continue
            fastest = min(bases, key=lambda row: row["us"])
            found.append(Unrolled(word, ports, two["us"], two["lut"], fastest["design"], fastest["unroll"], fastest["us"],
                                  fastest["lut"]))
    return found


def buildable(ports: int) -> set[tuple[str, bool, int]]:
    """Bases, pipelined or not, and unrollings that there are at a port count."""
    return {(design, pipelined, unroll) for design in ("cios", "fios") if (design, ports) != ("fios", 2)
            for pipelined in (True, False) for unroll in (1, 2, 4, 8)}


def of_the_thesis(rows: list[dict]) -> list[dict]:
    """Those of its grid: the space thesis.toml, of which the file says more."""
    return [row for row in rows if row["design"] in DESIGNS and row["word"] in WORDS and row["multipliers"] == "dsp"
            and row["bits"] == 1024]
