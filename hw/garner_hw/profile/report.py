# SPDX-License-Identifier: Apache-2.0
"""profile.json and profile.html from what was measured. Measures nothing."""

import datetime
import heapq
import io
import json
import math
import platform
import statistics
from pathlib import Path

import jinja2
import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402

from garner_hw.profile import mbedtls, thesis  # noqa: E402
from garner_hw.profile.callgraph import Callgraph, Function  # noqa: E402
from garner_hw.profile.measure import OPERATIONS, SIZES, THESIS_BITS, Measured  # noqa: E402
from garner_hw.profile.sensitivity import FACTORS, speed_up  # noqa: E402
from garner_hw.whole import write_whole  # noqa: E402

MOST_FUNCTIONS = 60  # of a profile that are shown, those whose own code costs most
SMALLEST = 0.002  # share of the whole below which a function, or a branch of the call tree, is not shown
BRANCHES = 400    # of a call tree, the costliest; a recursive program has tens of thousands
DEEPEST = 100     # calls below each other in it: page and JSON are written by recursion
THESIS_KEYGEN = ("keygen", THESIS_BITS)


def write(measured: Measured, folder: Path) -> Path:
    """Both files; the path of the page."""
    data = figures(measured)
    write_whole(folder / "profile.json", json.dumps(data, indent=1, allow_nan=False) + "\n")
    environment = jinja2.Environment(loader=jinja2.PackageLoader("garner_hw.profile", "."), autoescape=True,
                                     undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True)
    environment.filters |= {"percent": percent, "times": times}
    page = folder / "profile.html"
    write_whole(page, environment.get_template("page.html").render(data=data, plots=plots(data), smallest=SMALLEST,
                                                                   deepest=DEEPEST))
    return page


def percent(share: float | None) -> str:
    if share is None:
        return ""
    return f"{100 * share:.1f}" if share >= 0.0995 else f"{100 * share:.2g}"


def times(factor: float | None) -> str:
    return "unbounded" if factor is None else f"{factor:.2f}"


def figures(measured: Measured) -> dict:
    """All that the page shows, as plain data. Shares are of one, times in milliseconds of processor time."""
    data: dict = {"date": datetime.date.today().isoformat(), "processor": processor(),
            "times": [time_row(measured, operation, bits) for operation in OPERATIONS for bits in SIZES
                      if (operation, bits) in measured.times],
            "profiles": [], "keygen": None}
    if measured.times:
        data |= of_mbedtls()
    for (operation, bits), graph in sorted(measured.instructions.items()):
        data["profiles"].append(profile(f"mbedTLS {operation}, RSA-{bits}", graph))
    for (operation, bits), graph in sorted(measured.system.items()):
        data["profiles"].append(profile(f"mbedTLS {operation}, RSA-{bits}, RISC-V system in simulation", graph)
                                | {"system": True, "operation": operation, "bits": bits})
    for title, graph in measured.own.items():
        data["profiles"].append(profile(title, graph))
    if measured.counted:
        data["keygen"] = keygen(measured, measured.counted)
    return data


def of_mbedtls() -> dict:
    return {"compiler": mbedtls.compiler(), "flags": {variant: " ".join(flags) for variant, flags in mbedtls.VARIANTS.items()},
            "mbedtls": mbedtls.VERSION, "thesis_bits": THESIS_BITS, "sizes": list(SIZES)}


def processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor()


def time_row(measured: Measured, operation: str, bits: int) -> dict:
    values = measured.times[operation, bits]
    row = {"operation": operation, "bits": bits, "count": len(values), "mean_ms": statistics.mean(values),
           "median_ms": statistics.median(values), "thesis_ms": None, "thesis_share": None, "share": None}
    if bits == THESIS_BITS:
        row["thesis_ms"] = dict(zip(thesis.PLATFORMS, thesis.TIMES[operation], strict=True))
        row["thesis_share"] = thesis.TIMES[operation][0] / sum(one[0] for one in thesis.TIMES.values())
        row["share"] = statistics.mean(values) / sum(statistics.mean(measured.times[one, bits]) for one in OPERATIONS)
    return row


def profile(title: str, graph: Callgraph) -> dict:
    """The functions of a profile that matter, the one whose own code costs most, and what faster ones would gain."""
    shown = sorted((one for one in graph.functions.values() if max(one.share, one.self_share) >= SMALLEST),
                   key=lambda one: (-one.self_share, -one.share))[:MOST_FUNCTIONS]
    branches, more = tree(graph)
    return {"title": title, "cost": graph.cost, "unit": graph.unit, "hot_spot": graph.hottest().name,
            "functions": [function_row(one) for one in shown], "tree": branches, "tree_left_out": more}


def function_row(one: Function) -> dict:
    share = min(max(one.share, one.self_share), 1.0)
    return {"name": one.name, "self": one.self_share, "inclusive": share, "calls": one.calls,
            "callers": dict(sorted(one.callers.items(), key=lambda caller: -caller[1])),
            "speed_up": {label(factor): finite(speed_up(share, factor)) for factor in FACTORS},
            "speed_up_self": {label(factor): finite(speed_up(min(one.self_share, 1.0), factor)) for factor in FACTORS}}


def label(factor: float) -> str:
    return "infinite" if math.isinf(factor) else f"{factor:g}"


def finite(value: float) -> float | None:
    return None if math.isinf(value) else value


def tree(graph: Callgraph) -> tuple[list[dict], int]:
    """The calls below each function that nothing calls, as branches with their shares of the whole: the costliest
    BRANCHES of them, and how many more were found. A function that is called again below itself ends a branch.

    A profile knows what one function's calls of another cost, not on which path: below a branch, functions have the part
    of their costs that the branch has of its function's.
    """
    roots: list[dict] = []
    found: list[tuple[float, tuple[str, ...], list[dict]]] = []  # minus its share, the path to it, the branches beside it

    def find(share: float, path: tuple[str, ...], among: list[dict]) -> None:
        if share >= SMALLEST and path[-1] not in path[:-1]:
            heapq.heappush(found, (-share, path, among))

    for root in graph.roots():
        find(root.share, (root.name,), roots)
    for _ in range(BRANCHES):
        if not found:
            break
        negative, path, among = heapq.heappop(found)
        one, below = graph.functions[path[-1]], list[dict]()
        # All calls of a recursive function together may cost more than the function.
        part = -negative / max(one.share, one.self_share + sum(one.callees.values()), SMALLEST)
        among.append({"name": one.name, "share": -negative, "self": part * one.self_share, "below": below})
        if len(path) < DEEPEST:
            for name, share in one.callees.items():
                find(part * share, (*path, name), below)
    return roots, len(found)


def keygen(measured: Measured, counted: Callgraph) -> dict:
    """The figures of the thesis's tables 2.2 to 2.4, ours beside them."""
    instructions = measured.instructions[THESIS_KEYGEN]
    tests = counted.functions["mpi_miller_rabin"].calls / measured.keys
    # Each of two primes is the first success of independent tries: a geometric distribution, of mean tests / 2.
    error = math.sqrt(2) * tests / 2 / math.sqrt(measured.keys)
    whole = counted.functions["mbedtls_rsa_gen_key"].share
    rows = []
    for name, printed in thesis.FUNCTIONS.items():
        ours = thesis.RENAMED.get(name, name)
        by_count, by_time = instructions.functions.get(ours), counted.functions.get(ours)
        rows.append({"name": ours, "thesis_name": name,
                     "thesis": [{"inclusive": inclusive / 100, "self": own / 100} for inclusive, own in printed],
                     "instructions": by_count and {"inclusive": by_count.share, "self": by_count.self_share},
                     "time": by_time and {"inclusive": by_time.share / whole, "self": by_time.self_share / whole}})
    return {"keys": measured.keys, "tests_per_key": tests, "tests_per_key_error": error,
            "tests_per_key_expected": expected_tests(), "thesis_tests_per_key": thesis.TESTS_PER_KEY,
            "prime_generation": instructions.functions["mbedtls_mpi_gen_prime"].share
            / instructions.functions["mbedtls_rsa_gen_key"].share,
            "prime_generation_time": counted.functions["mbedtls_mpi_gen_prime"].share / whole,
            "thesis_prime_generation": [one / 100 for one in thesis.PRIME_GENERATION],
            "montmul_calls": counted.share_of_calls("mpi_montmul", "mpi_mul_hlp"),
            "thesis_montmul_calls": [one / 100 for one in thesis.MONTMUL_CALLS], "functions": rows,
            "compilations": [compilation(name, measured.compilations[variant])
                             for variant, name in mbedtls.COMPILATIONS.items() if variant in measured.compilations]}


def compilation(name: str, graph: Callgraph) -> dict:
    """The hot spot's own share, and what it would be without the assignments in constant time, which the thesis's table does
    not have."""
    hot = graph.functions["mpi_mul_hlp"].self_share
    assignments = sum(graph.functions[one].self_share for one in thesis.LATER if one in graph.functions)
    return {"name": name, "self": hot, "self_without_later": hot / (1 - assignments)}


def expected_tests() -> float:
    """Primality tests a key of THESIS_BITS: two primes, uniform in [sqrt(2) 2^(k-1), 2^k); candidates are odd, and tested
    when no prime below 1,000 divides them (mbedTLS's table)."""
    low, high = math.sqrt(0.5), 1.0  # in units of 2^k
    # One number in ln(x) is a prime about x, and one odd number in half of that.
    mean_log = (high * math.log(high) - high - low * math.log(low) + low) / (high - low) + THESIS_BITS // 2 * math.log(2)
    candidates = mean_log / 2
    survive = math.prod(1 - 1 / p for p in range(3, 1000, 2) if all(p % q for q in range(3, math.isqrt(p) + 1, 2)))
    return 2 * candidates * survive


def plots(data: dict) -> dict[str, str]:
    """Pictures as SVG, by name."""
    found = {}
    if data["times"]:
        found["times"] = times_plot(data)
    for number, one in enumerate(data["profiles"]):
        found[f"functions-{number}"] = functions_plot(one)
        found[f"sensitivity-{number}"] = sensitivity_plot(one)
    if data["keygen"]:
        found["thesis"] = thesis_plot(data["keygen"])
    return found


def svg(figure: plt.Figure) -> str:
    text = io.StringIO()
    figure.savefig(text, format="svg", bbox_inches="tight")
    plt.close(figure)
    return text.getvalue()[text.getvalue().index("<svg"):]


def times_plot(data: dict) -> str:
    figure, axes = plt.subplots(figsize=(7, 3.2))
    for operation in OPERATIONS:
        rows = [row for row in data["times"] if row["operation"] == operation]
        axes.plot([row["bits"] for row in rows], [row["mean_ms"] for row in rows], marker="o", label=operation)
    for index, name in enumerate(thesis.PLATFORMS):
        axes.plot([THESIS_BITS] * len(OPERATIONS), [thesis.TIMES[one][index] for one in OPERATIONS], linestyle="",
                  marker="x+*"[index], color="black", label=f"thesis, {name}")
    axes.set(yscale="log", xlabel="bits of the modulus", ylabel="ms of processor time", xticks=data["sizes"])
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)
    return svg(figure)


def functions_plot(one: dict) -> str:
    rows = one["functions"][:12]
    figure, axes = plt.subplots(figsize=(7, 0.4 + 0.3 * len(rows)))
    places = range(len(rows))
    axes.barh(places, [100 * row["inclusive"] for row in rows], color="#c6dbef", label="with what it calls")
    axes.barh(places, [100 * row["self"] for row in rows], color="#08519c", height=0.5, label="its own code")
    axes.set(yticks=places, xlabel=f"% of {one['unit']}", xlim=(0, 102))
    axes.set_yticklabels([literal(row["name"]) for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.legend(loc="lower right", fontsize=8)
    return svg(figure)


def literal(name: str) -> str:
    """The name, for a plot that is to show it as it is: `$` begins a formula, and a label that begins with `_` is no label."""
    return f" {name}".replace("$", r"\$")


def sensitivity_plot(one: dict) -> str:
    figure, axes = plt.subplots(figsize=(7, 3.2))
    factors = [1 + step / 10 for step in range(191)]
    for row in one["functions"][:6]:
        axes.plot(factors, [speed_up(min(row["self"], 1.0), factor) for factor in factors], label=literal(row["name"]))
    axes.set(xlabel="the function's own code made this many times as fast", ylabel="the whole, times as fast", xlim=(1, 20))
    axes.legend(loc="center left", bbox_to_anchor=(1.02, 0.5), fontsize=8)
    axes.grid(alpha=0.3)
    return svg(figure)


def thesis_plot(keygen_figures: dict) -> str:
    rows = [row for row in keygen_figures["functions"] if row["instructions"]]
    figure, axes = plt.subplots(figsize=(7, 0.5 + 0.42 * len(rows)))
    series = {"thesis, Intel": lambda row: row["thesis"][0], "thesis, Raspberry Pi": lambda row: row["thesis"][1],
              "here, instructions": lambda row: row["instructions"], "here, time (gprof)": lambda row: row["time"]}
    for index, (name, value) in enumerate(series.items()):
        places = [place + 0.2 * (index - 1.5) for place in range(len(rows))]
        axes.barh(places, [100 * (value(row) or {"self": 0.0})["self"] for row in rows], height=0.19, label=name)
    axes.set(yticks=range(len(rows)), xlabel="% of key generation, the function's own code")
    axes.set_yticklabels([row["name"] for row in rows], fontsize=8)
    axes.invert_yaxis()
    axes.legend(loc="lower right", fontsize=8)
    return svg(figure)
