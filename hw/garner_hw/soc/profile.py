# SPDX-License-Identifier: Apache-2.0
"""Where mbedTLS spends the processor's cycles on the system, in software: each function's own, and who calls whom how often.

Counted in simulation by hw/soc/sim/call_profile.cpp, of firmware in which every function stays a function."""

import random
import subprocess
from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from garner_hw.profile import mbedtls
from garner_hw.profile.callgraph import Callgraph, Function, plain
from garner_hw.soc import build, check
from garner_hw.soc.system import Answer, System

OBSERVER = [build.SOC / "sim" / "call_profile.sv", build.SOC / "sim" / "call_profile.cpp"]
BIND = """
bind VexRiscv call_profile u_call_profile (
  .clk, .fires_i(lastStageIsFiring), .pc_i(lastStagePc), .instruction_i(lastStageInstruction)
);
"""
RELEASE = "2.28"
# The function of mbedTLS that is the operation
ROOTS = {"keygen": "mbedtls_rsa_gen_key", "encrypt": "mbedtls_rsa_public", "decrypt": "mbedtls_rsa_private"}
CYCLES = 20_000_000_000


@dataclass(frozen=True)
class Symbols:
    """The functions of a program, by address."""

    addresses: list[int]
    names: list[str]

    def at(self, address: int) -> str:
        """The function that has this address."""
        place = bisect_right(self.addresses, address) - 1
        return self.names[place] if place >= 0 else f"{address:#x}"


def prepare() -> None:
    """Compiles what is profiled, so that a tool which is missing is named before anything is measured."""
    build.firmware(RELEASE, flags=mbedtls.APART)


def profile(operation: str, bits: int, seed: int) -> Callgraph:
    """Of one operation by mbedTLS, RSA of so many bits, its result checked."""
    return measured(operation, bits, seed)[0]


def measured(operation: str, bits: int, seed: int) -> tuple[Callgraph, Answer]:
    """Beside it what the system answered: the operation's cycles by the processor's own counter."""
    functions = symbols(build.firmware(RELEASE, flags=mbedtls.APART).with_name(build.ELF))
    root = functions.addresses[functions.names.index(ROOTS[operation])]
    with TemporaryDirectory() as folder:
        file = Path(folder) / "profile"
        bind = Path(folder) / "bind.sv"
        bind.write_text(BIND)
        options = [f"+profile={file}", f"+profile_root={root:x}"]
        with System(mbedtls=RELEASE, observers=[*OBSERVER, bind], flags=mbedtls.APART, options=options, cycles=CYCLES) as system:
            if operation == "keygen":
                answer = check.keygen(system, "software", bits, seed, "mbedtls")
            else:
                random.seed(seed)
                operate = check.public if operation == "encrypt" else check.mbedtls
                answer = operate(system, "software", bits)
            system.end()
        return call_graph(file.read_text().splitlines(), functions, ROOTS[operation]), answer


def symbols(elf: Path) -> Symbols:
    said = subprocess.run(["riscv64-unknown-elf-nm", "--numeric-sort", "--defined-only", elf], check=True, capture_output=True,
                          text=True)
    fields = [line.split() for line in said.stdout.splitlines()]
    found = [(int(address, 16), plain(name)) for address, kind, name in fields if kind in "tTW"]
    return Symbols([address for address, _ in found], [name for _, name in found])


def call_graph(lines: Iterable[str], functions: Symbols, root: str) -> Callgraph:
    """Of what call_profile.cpp wrote."""
    own: dict[str, int] = {}
    calls: dict[tuple[str, str], list[int]] = {}
    for line in lines:
        kind, *fields = line.split()
        if kind == "self":
            name = functions.at(int(fields[0], 16))
            own[name] = own.get(name, 0) + int(fields[1])
        else:
            between = functions.at(int(fields[0], 16)), functions.at(int(fields[1], 16))
            cost = calls.setdefault(between, [0, 0])
            cost[0] += int(fields[2])
            cost[1] += int(fields[3])
    whole = sum(own.values())
    graph = {name: Function(name, cycles / whole, 0.0, 0) for name, cycles in own.items()}
    for (caller, callee), (count, cycles) in calls.items():
        called = graph[callee]
        called.calls += count
        called.share += cycles / whole
        if callee != root and caller != callee:
            called.callers[caller] = called.callers.get(caller, 0) + count
            graph[caller].callees[callee] = graph[caller].callees.get(callee, 0.0) + cycles / whole
    return Callgraph(whole, "cycles", graph)
