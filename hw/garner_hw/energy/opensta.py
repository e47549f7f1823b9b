# SPDX-License-Identifier: Apache-2.0
"""OpenSTA and the library of cells, fetched."""

import subprocess
from functools import cache
from hashlib import sha256
from pathlib import Path

from garner_hw import BUILD, FETCH, ToolError

FOLDER = BUILD / "opensta"
LIBRARY = FOLDER / "root" / "usr" / "share" / "qflow" / "tech" / "osu018" / "osu018_stdcells.lib"


def fetched() -> None:
    """Brings OpenSTA and the library if they are not there whole."""
    whole = FOLDER / "whole"
    if not whole.exists():
        command = [str(FETCH / "debian.sh"), str(FOLDER), "bookworm", "opensta", "qflow-tech-osu018"]
        if subprocess.run(command, check=False).returncode:
            raise ToolError("OpenSTA and its library of cells cannot be fetched from Debian")
        whole.touch()


@cache
def versions() -> dict[str, str]:
    """Of OpenSTA and of the library. Raises where OpenSTA says none: every circuit would have another name without."""
    fetched()
    said = subprocess.run([*sta(), "-version"], capture_output=True, text=True)
    if said.returncode or not said.stdout.strip():
        raise ToolError(f"`{' '.join(said.args)}` says no version: "
                         f"{said.stderr.strip() or f'it ended with {said.returncode}'}")
    return {"opensta": said.stdout.strip(), "osu018": sha256(LIBRARY.read_bytes()).hexdigest()[:12]}


def sta() -> list[str]:
    return [str(FETCH / "run.sh"), str(FOLDER), "sta"]
