# SPDX-License-Identifier: Apache-2.0
"""Where measurements are kept: one folder for each circuit, one JSON file in it for each step that is done.

A file appears under its name when it is whole, so that what was interrupted is measured again and what was measured is not.
What is worth keeping for good is in a `Record`: one file that is committed, a line for each circuit.
"""

import json
import os
from pathlib import Path


class Folder:
    """What is kept of one circuit. Tools may write their work files and logs beside."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def kept(self, step: str) -> dict | None:
        """The figures of a step, or None if it has not been done. A file that is no JSON counts as not done."""
        try:
            return json.loads((self.path / f"{step}.json").read_text())
        except (FileNotFoundError, ValueError):
            return None

    def keep(self, step: str, figures: dict) -> dict:
        self.path.mkdir(parents=True, exist_ok=True)
        unnamed = self.path / f".{step}.json.{os.getpid()}"
        try:
            unnamed.write_text(json.dumps(figures, indent=1, allow_nan=False) + "\n")
            unnamed.rename(self.path / f"{step}.json")
        finally:
            unnamed.unlink(missing_ok=True)
        return figures

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
        lines = path.read_text().splitlines() if path.exists() else []
        self.circuits: dict[str, dict[str, dict]] = {one["circuit"]: one["steps"] for one in map(json.loads, lines)}

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
        unnamed = self.path.with_name(f".{self.path.name}.{os.getpid()}")
        try:
            unnamed.write_text("".join(json.dumps({"circuit": name, "steps": steps}, allow_nan=False) + "\n"
                                       for name, steps in self.circuits.items()))
            unnamed.rename(self.path)
        finally:
            unnamed.unlink(missing_ok=True)
