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
from typing import Any

from garner_hw.child import ENDS_WITH_PARENT
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
AT_A_TIME = 100     # of these keys, by one process

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
    if not shutil.which(command[0]):
        raise Failed(f"{command[0]} could not be started: there is no such program")
    try:
        said = subprocess.run([*ENDS_WITH_PARENT, *command], capture_output=True, text=True, errors="replace", check=False,
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


def count_keys(keys: int, seed: int, folder: Path) -> None:
    """Leaves the calls and times of `keys` key generations in the folder, under the seed: processes may have one number."""
    run([str(mbedtls.build("gprof")), "keygen", str(THESIS_BITS), str(keys), str(seed)],
        {"GMON_OUT_PREFIX": str(folder / f"gmon.{seed}")})


def gprof_counts(folder: Path, keys: int) -> Callgraph:
    """Of all that was counted into the folder, which must be so many key generations."""
    text = folder / "gprof.txt"
    text.write_text(run(["gprof", "-b", "-q", str(mbedtls.build("gprof")), *map(str, sorted(folder.glob("gmon.*")))]))
    counted = from_gprof(text)
    if (calls := counted.functions["mbedtls_rsa_gen_key"].calls) != keys:
        raise Failed(f"gprof counted {calls} key generations, not {keys}")
    return counted


def measure(keys: int, seed: int, system: int, own: dict[str, Command],
            progress: Callable[[str], None]) -> Measured:
    """Everything. `system`: bits of the keys of the RISC-V system, 0 to leave it out. `own`: further commands to be profiled,
    by their titles."""
    processors = os.cpu_count() or 1
    mbedtls.source()
    progress("compiling what is measured")
    with ThreadPoolExecutor(processors) as pool:
        building = [pool.submit(mbedtls.build, variant) for variant in mbedtls.VARIANTS]
        if system:
            prepare()
        for program in building:
            program.result()
    measured = Measured(keys=keys)
    with TemporaryDirectory() as folder, ThreadPoolExecutor(processors) as pool:
        jobs: dict[Future[Callgraph], tuple[str, str | tuple[str, int]]] = {}
        # The first one builds the simulator, on one processor. Others that need it come last, or they would wait on the other.
        of_the_system = list(ROOTS) if system else []
        for operation in of_the_system[:1]:
            jobs[pool.submit(on_the_system, operation, system, seed)] = "system", (operation, system)
        counting = [pool.submit(count_keys, min(AT_A_TIME, keys - first), (seed << 20) + part, Path(folder))
                    for part, first in enumerate(range(0, keys, AT_A_TIME))]
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
        all_jobs: list[Future[Any]] = [*jobs, *counting]
        try:
            for number, job in enumerate(as_completed(all_jobs), 1):
                done = job.result()
                what = f"a part of the {keys} keys of {THESIS_BITS} bits, calls counted by gprof"
                if job in jobs:
                    kind, key = jobs[job]
                    getattr(measured, kind)[key] = done
                    how = "cycles of the RISC-V system" if kind == "system" else "callgrind"
                    what = f"{how}: {key if isinstance(key, str) else f'{key[0]} {key[1]} bits'}"
                progress(f"{number}/{len(all_jobs)}, {what}")
        except BaseException:
            pool.shutdown(cancel_futures=True)  # or the rest would be measured first
            raise
        measured.counted = gprof_counts(Path(folder), keys)
    for operation in OPERATIONS:
        for bits in SIZES:
            measured.times[operation, bits] = by_clock(operation, bits, BY_CLOCK[operation][bits], seed)
        progress(f"{operation} by the clock: " + ", ".join(
            f"{bits} bits {statistics.mean(measured.times[operation, bits]):.3g} ms" for bits in SIZES))
    return measured
