# SPDX-License-Identifier: Apache-2.0
"""What the explorer asks of tools, which raise ToolError. tools.py has the real ones."""

from pathlib import Path
from typing import Protocol

from garner_hw.explore.point import Point


class Toolchain(Protocol):
    """Each step works in `folder`, leaves its logs there and gives its figures."""

    def versions(self) -> dict[str, str]:
        """The tools by name, each with what tells its results from another version's."""

    def sources(self, point: Point) -> str:
        """A hash of all that the figures of a point's design depend on, but for parameters and tools; of the files as
        they are at the call."""

    def simulate(self, point: Point, folder: Path) -> dict:
        """{cycles, words_moved, processor_products, checked}: one multiplication; raises if a result was wrong."""

    def synthesise(self, point: Point, dsp: bool, folder: Path) -> dict:
        """{lut, ff, dsp, memory}: the cells of the circuit, with DSP blocks or without."""

    def place(self, point: Point, seed: int, folder: Path) -> dict:
        """{mhz, lut, ff, dsp, memory}: after placement and routing; the circuit of `synthesise` with the point's multipliers."""

    def energy(self, point: Point, cycles: int, folder: Path) -> dict:
        """{energy_nj}: of one multiplication, relative to other points (0.18 um library cells, no wires)."""
