# SPDX-License-Identifier: Apache-2.0
"""The tables and pictures of docs/reproduction.md beside those of Ramesh 2020, seed 001: profile and exploration."""

from statistics import mean

from garner_hw.tables import markdown, percent


def tables(explored: dict, profiled: dict) -> dict[str, str]:
    """By the name between the document's markers."""
    return {"times": times(profiled), "hot spot": hot_spot(profiled), "functions": functions(profiled),
            "sensitivity": sensitivity(profiled), "workers": workers(explored), "chapter 4": comparisons(explored),
            "averages": averages(explored), "unrolled": unrolled(explored), "dominating": dominating(explored)}


def pictures(explored: dict) -> dict[str, str]:
    """SVG by the file's name; the same text for the same rows. What there is no row for is not drawn."""
    from garner_hw.explore import report

    return {name.replace("_", "-"): text for name, text in report.pictures(explored["points"], []).items()}


def times(profiled: dict) -> str:
    """Table 2.1 of Ramesh 2020."""
    rows = []
    for row in profiled["times"]:
        if row["thesis_ms"]:
            rows.append((row["operation"], *(f"{value:,.2f}" for value in row["thesis_ms"].values()),
                         f"{row['mean_ms']:,.2f}", percent(row["thesis_share"]), percent(row["share"])))
    platforms = next(row["thesis_ms"] for row in profiled["times"] if row["thesis_ms"])
    return markdown(("RSA-2048, ms", *platforms, f"here, {profiled['processor']}", "share, thesis (Intel) %", "share, here %"),
                    rows)


def hot_spot(profiled: dict) -> str:
    """Tables 2.2 to 2.4."""
    keygen = profiled["keygen"]
    by_name = {row["thesis_name"]: row for row in keygen["functions"]}
    hlp, montmul = by_name["mpi_mul_hlp"], by_name["mpi_montmul"]
    return markdown(("figure", "thesis, Intel", "thesis, Raspberry Pi", "thesis, Nios II", "here"), [
        (f"primality tests a key (here: {keygen['keys']:,} keys)", *keygen["thesis_tests_per_key"], "-",
         f"{keygen['tests_per_key']:.1f} (expected {keygen['tests_per_key_expected']:.1f})"),
        ("prime generation, % of key generation", *map(percent, keygen["thesis_prime_generation"]),
         percent(keygen["prime_generation"])),
        ("`mpi_mul_hlp` itself, % of key generation", *(percent(one["self"]) for one in hlp["thesis"]), "-",
         f"{percent(hlp['instructions']['self'])} of instructions, {percent(hlp['time']['self'])} of time"),
        *((f"the same, {one['name']}: instructions; without constant-time assignments", "-", "-", "-",
           f"{percent(one['self'])}; {percent(one['self_without_later'])}") for one in keygen["compilations"]),
        ("`mpi_montmul` with what it calls, %", *(percent(one["inclusive"]) for one in montmul["thesis"]), "-",
         percent(montmul["instructions"]["inclusive"])),
        ("calls of `mpi_mul_hlp` by `mpi_montmul`, %", *map(percent, keygen["thesis_montmul_calls"]), "-",
         percent(keygen["montmul_calls"]))])


def on_the_system(profiled: dict, operation: str) -> dict | None:
    """The profile of an operation on the RISC-V system, if there is one."""
    return next((one for one in profiled["profiles"] if one.get("system") and one["operation"] == operation), None)


def functions(profiled: dict) -> str:
    """Table 2.4: per cent of key generation, with what a function calls and itself."""
    system = on_the_system(profiled, "keygen")
    ours = {row["name"]: row for row in system["functions"]} if system else {}

    def shares(one: dict | None) -> str:
        return f"{percent(one['inclusive'])}, {percent(one['self'])}" if one else "-"

    return markdown(("function", "thesis: Intel", "Raspberry Pi", "here: instructions", "time", "cycles of the RISC-V system"),
                    [(f"`{row['thesis_name']}`", *map(shares, row["thesis"]), shares(row["instructions"]), shares(row["time"]),
                      shares(ours.get(row["name"])) if system else "-") for row in profiled["keygen"]["functions"]])


def sensitivity(profiled: dict) -> str:
    """Figures 2.10 and 2.11: key generation when a function, with what it calls, is made faster; of those with a 50th of it."""
    profile = next(one for one in profiled["profiles"] if one["title"] == f"mbedTLS keygen, RSA-{profiled['thesis_bits']}")
    named = {row["name"]: row for row in profile["functions"]}
    rows = [named[row["name"]] for row in profiled["keygen"]["functions"][1:]  # the first is key generation itself
            if row["name"] in named and named[row["name"]]["inclusive"] >= 0.02]
    factors = list(rows[0]["speed_up"])
    return markdown(("function made this many times as fast", *factors),
                    [(f"`{row['name']}`", *(f"{gain:.2f}" for gain in row["speed_up"].values())) for row in rows])


def workers(explored: dict) -> str:
    """What more workers would be worth to the thesis's grid, on paper."""
    from garner_hw.explore import scaling, thesis

    return markdown(("circuits", "workers", "hours", "times as fast", "the longest circuit, hours"),
                    [(one.circuits, one.workers, f"{one.seconds / 3600:.1f}", f"{one.gain:.1f}", f"{one.longest / 3600:.1f}")
                     for one in scaling.on_paper(list(thesis.of_the_thesis(explored["points"])))])


def comparisons(explored: dict) -> str:
    """Tables 4.4 and 4.5 of Ramesh 2020, one line for each word and port count that is measured."""
    from garner_hw.explore import thesis

    return markdown(("word", "ports", "base", "base: cycles", "two-row: cycles", "latency less, %: thesis", "here, cycles", "here, us",
                     "LUTs, two-row / base: thesis", "here", "here, multipliers in LUTs"),
                    [(one.word, one.ports, one.base, f"{one.base_cycles:,}", f"{one.cycles:,}", one.printed_less, f"{one.less:.1f}",
                      f"{one.less_us:.1f}", one.printed_area, f"{one.area:.2f}", f"{one.area_without_dsp:.2f}")
                     for one in thesis.comparisons(explored["points"])])


def averages(explored: dict) -> str:
    """The averages of Ramesh 2020's conclusion, of its own tables and of ours."""
    from garner_hw.explore import thesis

    found = thesis.comparisons(explored["points"])
    lines = []
    for ports, (less, area) in thesis.AVERAGES.items():
        here = [one for one in found if one.ports == ports]
        lines.append((ports, less, f"{mean(one.printed_less for one in here):.2f}", f"{mean(one.less for one in here):.2f}",
                      f"{mean(one.less_us for one in here):.2f}", area, f"{mean(one.printed_area for one in here):.2f}",
                      f"{mean(one.area for one in here):.2f}"))
    return markdown(("ports", "latency less, %: thesis", "mean of its tables", "here, cycles", "here, us",
                     "LUTs, two-row / base: thesis", "mean of its tables", "here"), lines)


def unrolled(explored: dict) -> str:
    """Section 4.5.2 of Ramesh 2020."""
    from garner_hw.explore import thesis

    return markdown(("word", "ports", "two-row: us", "LUT", "fastest base", "unrolled", "us", "LUT"),
                    [(one.word, one.ports or "free", f"{one.us:.1f}", f"{one.lut:,}", one.base, one.unroll, f"{one.base_us:.1f}",
                      f"{one.base_lut:,}") for one in thesis.unrolled(explored["points"])])


def dominating(explored: dict) -> str:
    """The best that dominates the two-row unit, by word, ports and kind of multiplier; beside it the fastest unrolled
    two-row unit."""
    from garner_hw.explore.dominance import fastest_unrolled, kind, over_two_row, place

    best: dict[tuple, list[dict]] = {}
    for row in over_two_row(explored["points"]):
        best.setdefault((row["word"], row["ports"], kind(row), row["bits"]), []).append(row)
    lines = []
    for (word, ports, multipliers, _), rows in sorted(best.items(), key=lambda item: (item[0][0], item[0][1] or 99, item[0][2])):
        first = min(rows, key=lambda row: row["area_time_ratio"])
        unrolled = fastest_unrolled(explored["points"], place(first))
        kinds = "DSP blocks" if multipliers == "dsp" else "LUTs"
        lines.append((word, ports or "free", kinds, len({row["design"] for row in rows}), first["design"],
                      f"{first['bound_ratio']:.2f}", f"{first['cycles_ratio']:.2f}", f"{first['us']:.1f}", f"{first['lut']:,}",
                      f"{first['dsp']} / {first['two_row_dsp']}", f"{first['area_time_ratio']:.2f}",
                      *((f"{unrolled['us']:.1f}", f"{unrolled['lut']:,}", unrolled["dsp"]) if unrolled else "---")))
    return markdown(("word", "ports", "multipliers", "designs that dominate", "the best", "cycles with m / two-row's: bound",
                     "measured", "us", "LUT", "DSP / two-row's", "LUT x us / two-row's", "two-row unrolled: us", "LUT", "DSP"), lines)
