# SPDX-License-Identifier: Apache-2.0
"""Lints every module below hw/: Verilator with all warnings, and slang, the front end of the synthesis. Any message is an error.
So is a combinational path from an input of garner_top to an output (paths.py).

Tops and parameters are the targets lint and lint_... of the .core files. Of the processor of the system on chip, which is
others', only the ports count.
"""

import subprocess
import tempfile
from pathlib import Path

from garner_hw import CommandError, simulate
from garner_hw.soc.build import WAIVERS, processor
from garner_hw.sources import CELLS, HW, Target, lint_targets, reached
from garner_hw.synthesis import YOSYS

FOLDERS = ("rtl", "explore/rtl", "soc", "syn", "cells", "examples", "dist/rtl")  # not what tests and proofs alone have
SIMULATION = (HW / "tb" / "top", HW / "soc" / "sim")


def verilator(target: Target, files: list[Path], others: list[Path]) -> str:
    """What Verilator says of a top: as others compile it and, where it has assertions, as the tests do."""
    asserting = any("GARNER_ASSERT" in file.read_text() for file in files)
    waivers = [WAIVERS] if others else []
    found = ""
    for defines in ([], [simulate.ASSERTIONS]) if asserting else ([],):
        command = ["verilator", "--lint-only", "-Wall", *defines, "--top-module", target.top, *target.generics(),
                   *map(str, [*waivers, *files, *others])]
        result = subprocess.run(command, capture_output=True, text=True)
        found += (result.stdout + result.stderr).strip() if result.returncode else ""
    return found


def slang(target: Target, files: list[Path], others: list[Path]) -> str:
    """What slang says of a top; of one with a part that is for simulation alone, nothing."""
    if any(file.is_relative_to(folder) for file in files for folder in SIMULATION):
        return ""
    with tempfile.TemporaryDirectory() as folder:
        script = Path(folder) / "script"
        closed = [file for file in files if file.parent == CELLS]
        boxes = [f"--blackboxed-module {module}" for module in (*(file.stem for file in closed), *(["VexRiscv"] if others else []))]
        words = ["read_slang", "--top", target.top, *target.generics(), *boxes, *map(str, [*files, *others])]
        script.write_text(" ".join(words) + "\n")
        result = subprocess.run([*YOSYS, script], capture_output=True, text=True)
    found = result.stdout + result.stderr
    return "" if result.returncode == 0 and "0 errors, 0 warnings" in found else found.strip()


def unreached() -> list[Path]:
    """Modules of hardware that no target has, so that nobody would look at them."""
    linted = {path for target in lint_targets() for path in reached(target.top, target.files)}
    return sorted({path for folder in FOLDERS for path in (HW / folder).rglob("*.*v")} - linted)


def check(core: str | None = None) -> int:
    """Lints all targets, or those of one core; of all also what they do not reach. Prints what was found; how often it was."""
    targets = [target for target in lint_targets() if core in (None, target.core)]
    if not targets:
        raise CommandError(f"no .core file has the name {core} and a target lint")
    left = [] if core else unreached()
    for path in left:
        print(f"bad {path.relative_to(HW)}: no target lint of a .core file reaches it", flush=True)
    bad = len(left)
    for target in targets:
        files = reached(target.top, target.files)
        others = [processor()] if HW / "soc" / "rtl" / "soc.sv" in files else []
        found = verilator(target, files, others) + slang(target, files, others)
        print(f"{'bad' if found else 'ok '} {target.top} {' '.join(target.generics())}", flush=True)
        if found:
            print(found)
            bad += 1
    return bad
