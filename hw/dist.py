#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes what is generated in hw/dist, for who has no Python: `dist.py` (or `make hw-dist`). See hw/dist/README.md.

The lists of sources are those of hw/garner.core; the registers are generated from hw/interface/garner_regs.rdl. The C
headers are written by `make hw-regs`.
"""

import sys
from pathlib import Path

import yaml

from garner_hw.interface import registers

HW = Path(__file__).resolve().parent
CORE = HW / "garner.core"
DIST = HW / "dist"
FAMILIES = ("generic", "ecp5", "xilinx7")


def core_files(family: str) -> list[Path]:
    """The sources of garner.core with the primitives of this family, in order."""
    filesets = yaml.safe_load(CORE.read_text().removeprefix("CAPI=2:"))["filesets"]
    return [HW / name for fileset in ("rtl", family) for name in filesets[fileset]["files"]]


def file_list(family: str) -> str:
    """A list for `-F`: paths relative to the list."""
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             f"// garner_top, {family}: from hw/garner.core by `make hw-dist`. Paths are relative to this file."]
    return "\n".join([*lines, *(str(path.relative_to(DIST) if path.is_relative_to(DIST) else
                               Path("..") / path.relative_to(HW)) for path in core_files(family))]) + "\n"


def contents() -> dict[Path, str]:
    """Every generated file of hw/dist, and what is in it."""
    return ({DIST / "rtl" / path.name: path.read_text() for path in registers.rtl()}
            | {DIST / f"garner_{family}.f": file_list(family) for family in FAMILIES})


def main() -> None:
    for path, text in contents().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
        print(path.relative_to(HW.parent))


if __name__ == "__main__":
    sys.exit(main())
