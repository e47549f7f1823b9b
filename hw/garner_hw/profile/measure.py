# SPDX-License-Identifier: Apache-2.0
"""Runs the workload in the three ways that a profile is made of: by the clock, under callgrind, and with gprof's counters."""

import os
import shlex
import shutil
import statistics
import subprocess
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from garner_hw.profile import mbedtls
from garner_hw.profile.callgraph import Callgraph, from_callgrind, from_gprof
from garner_hw.soc.profile import ROOTS, prepare
from garner_hw.soc.profile import profile as on_the_system

OPERATIONS = ("keygen", "decrypt", "encrypt")
SIZES = (1024, 2048, 3072)
# Operations by the clock, and under callgrind, which takes some fifty times as long
BY_CLOCK = {"keygen": {1024: 100, 2048: 40, 3072: 12}, "decrypt": dict.fromkeys(SIZES, 200), "encrypt": dict.fromkeys(SIZES, 200)}
UNDER_CALLGRIND = {"keygen": {1024: 6, 2048: 4, 3072: 2}, "decrypt": dict.fromkeys(SIZES, 3), "encrypt": dict.fromkeys(SIZES, 20)}
THESIS_BITS = 2048  # of the keys whose primality tests are counted


Command = tuple[list[str], dict[str, str]]  # words, and variables of the environment


class Failed(Exception):
    """A program that was to be measured ended with an error; the text names it."""


@dataclass
class Measured:
    """All figures. Times in milliseconds of processor time, by (operation, bits)."""

    times: dict[tuple[str, int], list[float]] = field(default_factory=dict)
    instructions: dict[tuple[str, int], Callgraph] = field(default_factory=dict)
    counted: Callgraph | None = None
    keys: int = 0
    compilations: dict[str, Callgraph] = field(default_factory=dict)  # of one key generation, by mbedTLS's variant
    own: dict[str, Callgraph] = field(default_factory=dict)  # by the command that was profiled
    system: dict[tuple[str, int], Callgraph] = field(default_factory=dict)  # on the RISC-V system, by (operation, bits)


def run(command: list[str], environment: dict[str, str] | None = None) -> str:
    """Its standard output. What is no text in it is replaced: a program that is profiled may print anything."""
    try:
        said = subprocess.run(command, capture_output=True, text=True, errors="replace", check=False,
                              env=os.environ | (environment or {}))
    except OSError as error:
        raise Failed(f"{command[0]} could not be started: {error.strerror}") from error
    if said.returncode:
        raise Failed(f"`{shlex.join(command)}` ended with status {said.returncode}: {said.stderr.strip()[-400:]}")
    return said.stdout


def by_clock(operation: str, bits: int, count: int, seed: int) -> list[float]:
    return [float(line) for line in run([str(mbedtls.build("plain")), operation, str(bits), str(count), str(seed)]).split()]


def callgrind(command: list[str], *options: str, environment: dict[str, str] | None = None) -> Callgraph:
    """The profile of any command, its children left out."""
    if not shutil.which("valgrind"):
        raise Failed("valgrind is not installed (make setup-all)")
    with TemporaryDirectory() as work:
        file = Path(work) / "callgrind"
        run(["valgrind", "--quiet", "--tool=callgrind", f"--callgrind-out-file={file}", *options, *command],
            environment)
        graph = from_callgrind(file)
    if not graph.cost:
        raise Failed(f"callgrind counted nothing of `{shlex.join(command)}`")
    return graph


def workload_under_callgrind(operation: str, bits: int, count: int, seed: int, variant: str = "callgrind") -> Callgraph:
    """Of the operation alone: what makes keys and messages for it is left out."""
    command = [str(mbedtls.build(variant)), operation, str(bits), str(count), str(seed)]
    return callgrind(command, f"--toggle-collect={operation}", "--instr-atstart=no")


def gprof_counts(keys: int, seed: int, processes: int) -> Callgraph:
    """Calls and times of `keys` key generations, by several processes side by side."""
    program = mbedtls.build("gprof")
    shares = [keys // processes + (one < keys % processes) for one in range(processes)]
    with TemporaryDirectory() as folder, ThreadPoolExecutor(processes) as pool:
        work = Path(folder)
        list(pool.map(lambda one: run([str(program), "keygen", str(THESIS_BITS), str(shares[one]), str(seed + one)],
                                      {"GMON_OUT_PREFIX": str(work / "gmon")}), range(processes)))
        text = work / "gprof.txt"
        text.write_text(run(["gprof", "-b", "-q", str(program), *map(str, sorted(work.glob("gmon.*")))]))
        return from_gprof(text)


def measure(keys: int, seed: int, system: int, own: dict[str, Command],
            progress: Callable[[str], None]) -> Measured:
    """Everything. `system`: bits of the keys of the RISC-V system, 0 to leave it out. `own`: further commands to be profiled,
    by their titles."""
    for variant in mbedtls.VARIANTS:
        mbedtls.build(variant)
    if system:
        prepare()
    processors = os.cpu_count() or 1
    measured = Measured(keys=keys)
    progress(f"{keys} keys of {THESIS_BITS} bits, calls counted by gprof")
    measured.counted = gprof_counts(keys, seed, processors)
    with ThreadPoolExecutor(processors) as pool:
        jobs: dict[Future[Callgraph], tuple[str, str | tuple[str, int]]] = {}
        # The first one builds the simulator, on one processor. Others that need it come last, or they would wait on the other.
        of_the_system = list(ROOTS) if system else []
        for operation in of_the_system[:1]:
            jobs[pool.submit(on_the_system, operation, system, seed)] = "system", (operation, system)
        for operation in OPERATIONS:
            for bits in reversed(SIZES):
                jobs[pool.submit(workload_under_callgrind, operation, bits, UNDER_CALLGRIND[operation][bits], seed)] = (
                    "instructions", (operation, bits))
        for variant in mbedtls.COMPILATIONS:
            jobs[pool.submit(workload_under_callgrind, "keygen", THESIS_BITS, 1, seed, variant)] = ("compilations", variant)
        for title, (command, environment) in own.items():
            jobs[pool.submit(callgrind, command, environment=environment)] = ("own", title)
        for operation in of_the_system[1:]:
            jobs[pool.submit(on_the_system, operation, system, seed)] = "system", (operation, system)
        for number, job in enumerate(as_completed(jobs), 1):
            kind, key = jobs[job]
            getattr(measured, kind)[key] = job.result()
            how = "cycles of the RISC-V system" if kind == "system" else "callgrind"
            progress(f"{number}/{len(jobs)}, {how}: {key if isinstance(key, str) else f'{key[0]} {key[1]} bits'}")
    for operation in OPERATIONS:
        for bits in SIZES:
            measured.times[operation, bits] = by_clock(operation, bits, BY_CLOCK[operation][bits], seed)
        progress(f"{operation} by the clock: " + ", ".join(
            f"{bits} bits {statistics.mean(measured.times[operation, bits]):.3g} ms" for bits in SIZES))
    return measured
