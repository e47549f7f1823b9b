# SPDX-License-Identifier: Apache-2.0
"""Makes what is generated in hw/dist, for projects without Python: `garner-hw dist` or `make hw-dist`.

hw/dist/README.md says what it is for. The lists of sources are those of the .core files. The registers and the C headers
there are written by `make hw-regs`.
"""

import argparse
import sys
from pathlib import Path

from garner_hw import HW
from garner_hw.sources import ACCELERATOR, FAMILIES, core_files

DIST = HW / "dist"


def file_list(family: str) -> str:
    """A list for `-F`: paths relative to the list."""
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// garner_top, {family}: from the .core files by `make hw-dist`. Paths are relative to this file."]
    files = core_files(ACCELERATOR, family, assertions=False)
    return "\n".join([*lines, *(str(path.relative_to(DIST) if path.is_relative_to(DIST) else
                               Path("..") / path.relative_to(HW)) for path in files)]) + "\n"


def contents() -> dict[Path, str]:
    """Every generated file of hw/dist, and what is in it."""
    return {DIST / f"garner_{family}.f": file_list(family) for family in FAMILIES}


def add_command(commands: argparse._SubParsersAction) -> None:
    parser = commands.add_parser("dist", help="hw/dist: lists of sources for projects without Python",
                                 description="Writes what is generated in hw/dist.")
    parser.add_argument("--check", action="store_true", help="write nothing there; fail when a committed file is out of date")
    parser.set_defaults(run=run)


def run(arguments: argparse.Namespace) -> int:
    if arguments.check:
        stale = [path for path, text in contents().items() if not path.exists() or path.read_text() != text]
        for path in stale:
            print(f"{path.relative_to(HW.parent)} is not what the .core files say: run `make hw-dist` and "
                  "commit it", file=sys.stderr)
        return int(bool(stale))
    for path, text in contents().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(path.relative_to(HW.parent))
    return 0
