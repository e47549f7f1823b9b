# SPDX-License-Identifier: Apache-2.0
"""Where measurements are kept: one folder for each circuit, one JSON file in it for each step that is done.

A file appears under its name when it is whole, so that what was interrupted is measured again and what was measured is not.
What is worth keeping for good is in a `Record`: one file that is committed, a line for each circuit.
"""

import json
import shutil
from pathlib import Path

from garner_hw import CommandError
from garner_hw.whole import write_whole


# What is counted or measured in a step, by the first word of its name; `point` says what is measured
FIGURES = {"simulation": ("cycles", "words_moved", "processor_products"), "synthesis": ("lut", "ff", "dsp", "memory"),
           "placement": ("mhz", "lut"), "energy": ("energy_nj",), "point": ()}
DIVISORS = ("cycles", "mhz")


def is_step(name: str, said: object) -> bool:
    """Whether this is a step with all its figures: a file may be cut off, or of a merge that went wrong."""
    figures = FIGURES.get(name.split("-")[0])
    if figures is None or not isinstance(said, dict) or not said:
        return False
    return all(isinstance(said.get(one), int | float) and (said[one] > 0 if one in DIVISORS else said[one] >= 0)
               for one in figures)


class Folder:
    """What is kept of one circuit. Tools may write their work files and logs beside."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def kept(self, step: str) -> dict | None:
        """The figures of a step, or None if it has not been done. A file without them counts as not done."""
        try:
            found = json.loads((self.path / f"{step}.json").read_text())
        except (FileNotFoundError, ValueError):
            return None
        return found if is_step(step, found) else None

    def keep(self, step: str, figures: dict) -> dict:
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / f"{step}.json", json.dumps(figures, indent=1, allow_nan=False) + "\n")
        return figures

    def clear(self) -> None:
        """Forgets everything, work files too, but keeps the lock, for which others may be waiting."""
        for path in self.path.iterdir():
            if path.is_dir():
                shutil.rmtree(path)
            elif path.suffix != ".lock":
                path.unlink()

    def steps(self) -> dict[str, dict]:
        """All that is kept, by step. Work files of tools have a dot in their names, as `circuit.netlist.json`."""
        found = {path.stem: self.kept(path.stem) for path in self.path.glob("[!.]*.json") if "." not in path.stem}
        return {step: figures for step, figures in found.items() if figures is not None}


class Store:
    """The folders of a sweep."""

    def __init__(self, root: Path) -> None:
        self.root = root

    def folder(self, name: str) -> Folder:
        return Folder(self.root / name)


class Record:
    """The steps of many circuits in one file: a JSON object a line, `{"circuit": name, "steps": {...}}`, by name."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.circuits: dict[str, dict[str, dict]] = {}
        try:
            for one in map(json.loads, path.read_text().splitlines() if path.exists() else []):
                steps = dict(one["steps"])
                if not all(is_step(*step) for step in steps.items()):
                    raise ValueError
                self.circuits[one["circuit"]] = self.steps(one["circuit"]) | steps  # a merge may leave two lines of one
        except (ValueError, KeyError, TypeError):
            raise CommandError(f"{path}: not a record of circuits, a JSON object a line") from None

    def steps(self, name: str) -> dict[str, dict]:
        """What is recorded of a circuit; nothing if it is not there."""
        return self.circuits.get(name, {})

    def add(self, name: str, steps: dict[str, dict]) -> None:
        # The point itself is not needed: its circuit's name stands for it.
        measured = {step: figures for step, figures in steps.items() if step != "point"}
        if measured:
            self.circuits[name] = self.steps(name) | measured

    def write(self, names: set[str]) -> None:
        """Writes the circuits of these names; others are of sources or tools that are no longer used."""
        self.circuits = {name: steps for name, steps in sorted(self.circuits.items()) if name in names}
        write_whole(self.path, "".join(json.dumps({"circuit": name, "steps": steps}, allow_nan=False) + "\n"
                                       for name, steps in self.circuits.items()))
