#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Compiles garner_top with its cores into a shared library for garner-board: `build.py [NAME=VALUE ...] [--waves]`.

Parameters are those of garner_top. Prints the library's path: hw/build/board/NAME=VALUE.../libgarner_model.so.
"""

import argparse
import subprocess
import sys
from pathlib import Path

from garner_hw import BUILD
from garner_hw.simulate import UNSPLIT
from garner_hw.sources import sources

HERE = Path(__file__).resolve().parent


def build(parameters: list[str], waves: bool) -> Path:
    """The library, built if one of its sources is newer."""
    inputs = sources("garner_top")
    folder = BUILD / "board" / "-".join([*sorted(parameters), *(["waves"] if waves else [])] or ["default"])
    library = folder / "libgarner_model.so"
    newest = max(path.stat().st_mtime for path in [*inputs, *HERE.iterdir()])
    if library.exists() and library.stat().st_mtime >= newest:
        return library
    folder.mkdir(parents=True, exist_ok=True)
    subprocess.run(
        ["verilator", "--cc", "--exe", "--build", "-j", "2", "-O3", *UNSPLIT, "--x-assign", "fast", "--x-initial", "unique",
         "-Wno-fatal", "-Werror-USERFATAL", "--top-module", "garner_top", "--prefix", "Vgarner_top", "--Mdir", folder,
         "-CFLAGS", "-fPIC -O2 -std=c++17", "-LDFLAGS", "-shared", "-o", library.name,
         *(["--trace-fst"] if waves else []), *(f"-G{parameter}" for parameter in parameters),
         "--vpi", HERE / "model.vlt", *inputs, HERE / "model.cpp"],
        check=True, stdout=sys.stderr)
    return library


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("parameters", nargs="*", metavar="NAME=VALUE", help="a parameter of garner_top, as Cores=2")
    parser.add_argument("--waves", action="store_true", help="able to write waveforms, slower")
    arguments = parser.parse_args()
    print(build(arguments.parameters, arguments.waves))


if __name__ == "__main__":
    main()
