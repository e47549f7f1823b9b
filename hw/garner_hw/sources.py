# SPDX-License-Identifier: Apache-2.0
"""The sources of a module, from the FuseSoC .core files below hw/: the one list that lint, simulation, synthesis, the
proofs and hw/dist take their files from.

A .core file names the sources of a layer and the layers below it. Of these a module needs some: `sources` leaves out
what `top` does not reach, so that a change to one primitive concerns only the designs that have it.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from garner_hw import HW, CommandError

if TYPE_CHECKING:
    from fusesoc.coremanager import CoreManager
    from fusesoc.vlnv import Vlnv

ACCELERATOR = "garner:accelerator:garner"
FAMILIES = ("generic", "ecp5", "xilinx7")
CELLS = HW / "cells"  # our models of the vendors' cells
VENDOR_CELLS = {"generic": (), "ecp5": ("MULT18X18D", "DP16KD", "DCCA", "CCU2C", "LUT4", "PFUMX", "L6MUX21",
                                       "EHXPLLL"), "xilinx7": ("DSP48E1", "RAMB18E1", "BUFG")}


@dataclass(frozen=True)
class Target:
    """A target of a .core file: what is looked at, with which parameters, and all files of the layer and those below."""

    core: str
    name: str
    top: str
    parameters: tuple[str, ...]  # as NAME=VALUE
    files: tuple[Path, ...]

    def generics(self) -> list[str]:
        """The parameters as Verilator and slang take them."""
        bits = {"true": "1'b1", "false": "1'b0"}
        return [f"-G{name}={bits.get(value, value)}" for name, value in (pair.split("=") for pair in self.parameters)]


def sources(top: str, family: str = "generic", instead: Iterable[Path] = ()) -> list[Path]:
    """The files that `top` is made of, packages and lower layers first.

    `family` chooses the primitives: generic, ecp5, xilinx7. A file of `instead` takes the place of the one that has its
    module.
    """
    return reached(top, replaced(core_files(home(top), family), instead))


def cells(family: str) -> list[Path]:
    """Our models of the cells that this family's primitives instantiate."""
    return [CELLS / f"{cell}.v" for cell in VENDOR_CELLS[family]]


def replaced(files: Sequence[Path], instead: Iterable[Path]) -> list[Path]:
    """`files`, and in the place of each that has a module of a file of `instead` that file."""
    files = list(files)
    for other in instead:
        places = [place for place, path in enumerate(files) if set(units(path)) & set(units(other))]
        if len(places) != 1:
            raise CommandError(f"{other}: {len(places)} sources have its modules, not one")
        files[places[0]] = other
    return files


def units(path: Path) -> list[str]:
    """The modules and packages of a file."""
    return re.findall(r"^\s*(?:module|package)\s+(\w+)", path.read_text(), re.MULTILINE)


def states(path: Path) -> dict[str, list[str]]:
    """The enumerations of a file, each with its names in the order of their codes."""
    text = re.sub(r"//[^\n]*", "", path.read_text())
    return {name: re.findall(r"\w+", names) for names, name in re.findall(r"typedef enum logic[^{]*\{(.*?)\}\s*(\w+);", text, re.DOTALL)}


def parameters(module: str, files: Iterable[Path]) -> list[str]:
    """The names of a module's parameters, in their order; the module is in one of `files`."""
    for path in files:
        if module in units(path):
            text = re.sub(r"//[^\n]*", "", path.read_text())
            header = re.search(rf"\bmodule\s+{module}\b(.*?)\);", text, re.DOTALL)
            return re.findall(r"\bparameter\b[^=;]*?(\w+)\s*=", header[1]) if header else []
    raise CommandError(f"no source has the module {module}")


def assigned(module: str, files: Iterable[Path], pairs: Iterable[str]) -> dict[str, int]:
    """The parameters that a command gives to a module, each as NAME=VALUE; the module must have them."""
    names, found = parameters(module, files), {}
    for pair in pairs:
        name, _, value = pair.partition("=")
        if not re.fullmatch(r"-?\d+", value):
            raise CommandError(f"{pair}: a parameter is given as NAME=VALUE, with a whole number")
        if name not in names:
            raise CommandError(f"{module} has no parameter {name}; it has {', '.join(names) or 'none'}")
        found[name] = int(value)
    return found


def reached(top: str, files: Sequence[Path]) -> list[Path]:
    """Of `files`, in their order, those with `top` and what it uses: modules it instantiates, packages it names."""
    homes = {name: path for path in files for name in units(path)}
    if top not in homes:
        raise CommandError(f"no source has the module {top}")
    waiting, found = [homes[top]], set()
    while waiting:
        path = waiting.pop()
        if path not in found:
            found.add(path)
            text = re.sub(r"//[^\n]*", "", path.read_text())
            used = re.findall(r"\b(\w+)(?=\s*::|\s*#\s*\(|\s+\w+\s*\()", text)
            waiting += [homes[name] for name in used if name in homes]
    return [path for path in files if path in found]


@cache
def core_files(core: str, family: str = "generic", target: str = "default", assertions: bool = True) -> tuple[Path, ...]:
    """All RTL sources of a target of a core and of the cores it depends on, those first. `assertions`: with the modules that
    only what is below GARNER_ASSERT has."""
    flags = {"target": target, "is_toplevel": True, "assertions": assertions} | ({family: True} if family != "generic" else {})
    found = tuple(Path(part.core_root) / file["name"]
                 for part in manager().get_depends(vlnv(core), flags)
                 for file in part.get_files(flags | {"is_toplevel": part.name.name == vlnv(core).name})
                 if "erilogSource" in file.get("file_type", ""))
    for path in found:
        if not path.exists():
            raise CommandError(f"a .core file names {path.name}, and {path.parent} has no such file")
    return found


@cache
def home(top: str) -> str:
    """The core that has the file of this module, which is called as it is."""
    for core in manager().get_cores().values():
        if any(Path(name).stem == top for fileset in core.get_data({}).filesets.values()
               for entry in fileset.files for name in entry):
            return core.name.vln_str()
    raise CommandError(f"no .core file below {HW} names {top}")


def lint_targets() -> list[Target]:
    """Every target of a .core file that is called lint or lint_..., in the order of the files."""
    found = []
    for core in manager().get_cores().values():
        for name, target in core.get_data({}).targets.items():
            if name == "lint" or name.startswith("lint_"):
                family = next((flag for flag in target.flags if flag in FAMILIES), "generic")
                files = core_files(core.name.vln_str(), family, name)
                (top,) = target.toplevel
                given = tuple(parameter for parameter in target.parameters if "=" in parameter)
                found.append(Target(core.name.name, name, top, given, files))
    return sorted(found, key=lambda target: target.core)


def vlnv(core: str) -> "Vlnv":
    from fusesoc.vlnv import Vlnv

    return Vlnv(core)


@cache
def manager() -> "CoreManager":
    """FuseSoC's, with the .core files of hw/ and no others: what is set up for the person who calls plays no part."""
    from fusesoc.config import Config
    from fusesoc.coremanager import CoreManager
    from fusesoc.library import Library

    found = CoreManager(Config(str(HW / "build" / "fusesoc.conf")))
    found.add_library(Library("garner", str(HW)), [str(HW / "build")])
    cores = found.get_cores().values()
    for path in sorted(set(HW.rglob("*.core")) - {Path(core.core_file) for core in cores}):
        if not path.is_relative_to(HW / "build"):  # FuseSoC has said what is wrong with it, and would go on
            raise CommandError(f"{path.relative_to(HW)}: not a .core file that FuseSoC can read, or of the name of another")
    names = {f"{core.name.vendor}:{core.name.library}:{core.name.name}" for core in cores}
    for core in cores:
        asked = {":".join(text.split(":")[:3]) for family in FAMILIES
                 for fileset in core.get_data({family: True}).filesets.values() for text in fileset.depend}
        if unknown := sorted(asked - names):
            raise CommandError(f"{Path(core.core_file).relative_to(HW)}: there is no core {', '.join(unknown)}")
    return found
