# SPDX-License-Identifier: Apache-2.0
"""What the explorer has to know of a design to build, simulate and judge its points."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from garner_hw.explore.point import MULTIPLIERS, Point, Refused

PORTS = (2, 3, 4, 0)
WORDS = (8, 16, 18, 32)


@dataclass(frozen=True)
class Design:
    """A parametrised accelerator. `parameters` gives those of its RTL; two points with the same ones are one circuit.

    `multipliers` is how many word products it can make in a cycle; `words_per_product` how many words cross its ports for
    one, on average. Both go into the roofline before anything is measured.
    """

    name: str
    title: str                                        # what it does, for the page
    source: str                                       # who published it
    top: str                                          # the RTL module
    bench: str                                        # the module of its cocotb bench, with `run(parameters, ...)`
    parameters: Callable[[Point], dict[str, int]]
    multipliers: Callable[[Point], float]
    words_per_product: Callable[[Point], float]
    words: tuple[int, ...] = WORDS
    ports: tuple[int, ...] = PORTS
    pipelined: tuple[bool, ...] = (True,)
    unroll: tuple[int, ...] = (1,)
    knobs: Mapping[str, tuple[int, ...]] = field(default_factory=dict)  # its own: name to the values it takes
    refuses: Callable[[Point], str | None] = lambda point: None         # why this point cannot be built
    memories: bool = False                            # whether the unit has memories of its own

    def check(self, point: Point) -> None:
        """Raises Refused with the reason if the point cannot be built."""
        for name, value, allowed in (("word", point.word, self.words), ("ports", point.ports, self.ports),
                                     ("pipelined", point.pipelined, self.pipelined),
                                     ("unroll", point.unroll, self.unroll),
                                     ("multipliers", point.multipliers, MULTIPLIERS)):
            if value not in allowed:
                say = of_ports if name == "ports" else shown
                raise Refused(f"{self.name}: {name} must be {listed(allowed, say)}, not {say(value)}")
        given = dict(point.knobs)
        for name in given:
            if name not in self.knobs:
                raise Refused(f"{self.name} has no parameter {name}" +
                              (f"; it has {listed(tuple(self.knobs))}" if self.knobs else ""))
        for name, allowed in self.knobs.items():
            if name not in given:
                raise Refused(f"{self.name}: {name} is missing; it must be {listed(allowed)}")
            if given[name] not in allowed:
                raise Refused(f"{self.name}: {name} must be {listed(allowed)}, not {given[name]}")
        if reason := self.refuses(point):
            raise Refused(f"{self.name}: {reason}")


def listed(values: tuple, say: Callable[[object], str] | None = None) -> str:
    words = [(say or shown)(value) for value in values]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]


def shown(value: object) -> str:
    return {True: "yes", False: "no"}[value] if isinstance(value, bool) else str(value)


def of_ports(value: object) -> str:
    """As files name them."""
    return shown(value or "free")
