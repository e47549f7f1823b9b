# SPDX-License-Identifier: Apache-2.0
"""Who calls whom how often, and what share of the whole each function has: from callgrind's files and gprof's output.

The files are parsed by gprof2dot. Shares are of the whole profile, 0 to 1: `self_share` of the function's own code,
`share` with all that it calls.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

import gprof2dot


@dataclass
class Function:
    """A function of a profile. `callers`: how often each function called this one."""

    name: str
    self_share: float
    share: float
    calls: int
    callers: dict[str, int] = field(default_factory=dict)
    callees: dict[str, float] = field(default_factory=dict)  # name: share of the whole spent in calls from here


@dataclass
class Callgraph:
    """A profile. `cost`: all of it, in `unit`."""

    cost: float
    unit: str
    functions: dict[str, Function]

    def hottest(self) -> Function:
        """The function whose own code costs most."""
        return max(self.functions.values(), key=lambda function: function.self_share)

    def share_of_calls(self, caller: str, callee: str) -> float:
        """What part of the calls of `callee` is made by `caller`."""
        callers = self.functions[callee].callers
        return callers.get(caller, 0) / sum(callers.values())

    def roots(self) -> list[Function]:
        """The functions that nothing calls, the costliest first."""
        return sorted((one for one in self.functions.values() if not one.callers), key=lambda one: -one.share)


def plain(name: str) -> str:
    """A function's name without what callgrind and the compiler add: 'cycle 2', .constprop.0 and their like."""
    return re.sub(r"('\d+|\.(constprop|isra|part|cold|lto_priv)\.?\d*)+$", "", name)


def named(function: gprof2dot.Function) -> str:
    """Its plain name; where the program's file has no name for it, its address and the file's name."""
    name = plain(function.name)
    return f"{function.module} {name}" if name.startswith("0x") and function.module else name


def from_callgrind(file: Path) -> Callgraph:
    """Instructions, exact, of a program under `valgrind --tool=callgrind`."""
    with file.open() as stream:
        return converted(gprof2dot.CallgrindParser(stream).parse(), gprof2dot.SAMPLES, "instructions")


def from_gprof(file: Path) -> Callgraph:
    """Seconds, sampled, and numbers of calls, exact, of a program compiled with -pg: the output of `gprof`."""
    with file.open() as stream:
        return converted(gprof2dot.GprofParser(stream).parse(), gprof2dot.TIME, "seconds")


def converted(profile: gprof2dot.Profile, cost: gprof2dot.Event, unit: str) -> Callgraph:
    """Functions whose plain names are one become one. Its share has a call between them once; where they reach each other by a
    third function it is too large, and the whole at most."""
    total = profile[cost]
    names = {identity: named(one) for identity, one in profile.functions.items()}
    functions: dict[str, Function] = {}
    largest: dict[str, float] = {}
    for identity, one in profile.functions.items():
        kept = functions.setdefault(names[identity], Function(names[identity], 0.0, 0.0, 0))
        kept.self_share += one[cost] / total if total else 0.0
        kept.share += ratio(one)
        largest[kept.name] = max(largest.get(kept.name, 0.0), ratio(one))
        kept.calls += one.called or 0
    for identity, one in profile.functions.items():
        for callee, call in one.calls.items():
            caller, called = names[identity], names[callee]
            if caller == called:
                if identity != callee:  # both their shares have this call: it counts once
                    functions[called].share -= ratio(call)
                continue
            callers = functions[called].callers
            callers[caller] = callers.get(caller, 0) + int(call[gprof2dot.CALLS])
            functions[caller].callees[called] = functions[caller].callees.get(called, 0.0) + ratio(call)
    for function in functions.values():  # two that call each other: that was taken away twice
        function.share = min(1.0, max(function.share, largest[function.name]))
    return Callgraph(total, unit, functions)


def ratio(event: gprof2dot.Function | gprof2dot.Call) -> float:
    """Of a function with what it calls, or of a call: its share of the whole."""
    return event[gprof2dot.TOTAL_TIME_RATIO] if gprof2dot.TOTAL_TIME_RATIO in event else 0.0
