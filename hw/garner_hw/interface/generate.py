# SPDX-License-Identifier: Apache-2.0
"""Generates all that the registers are described in, from garner_regs.rdl: `garner-hw registers` (or `make hw-regs`).

Into hw/build/regs: garner_regs.sv and garner_regs_pkg.sv (the registers, behind a plain port), garner_regs.h, garner_regs.rs, html/.
hw/regs/garner_regs.rs is the same file, committed: who builds the Rust library needs no hardware tools.
`garner-hw registers --check` fails when the committed file is not what would be generated.
"""

import shutil
import subprocess
import sys
from pathlib import Path

from systemrdl import RDLCompiler
from systemrdl.node import AddrmapNode, RegNode

from garner_hw import HW, CommandError

HERE = HW / "regs"
SOURCE = HERE / "garner_regs.rdl"
BUILD = HERE.parent / "build" / "regs"
COMMITTED = HERE / "garner_regs.rs"
PEAKRDL = Path(sys.executable).parent / "peakrdl"
RTL = [BUILD / "garner_regs_pkg.sv", BUILD / "garner_regs.sv"]
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Generated from hw/regs/garner_regs.rdl by `make hw-regs`: change that file.
"""
# What Verilator says of the generated block: it drives members of one structure from several processes, and has signals and
# parameters that are not used.
WAIVERS = "/* verilator lint_off MULTIDRIVEN */\n/* verilator lint_off UNUSEDSIGNAL */\n/* verilator lint_off UNUSEDPARAM */\n"
RESTORED = WAIVERS.replace("lint_off", "lint_on")


def sentences(*texts: str | None) -> str:
    """One line of prose from names and descriptions that may be missing."""
    return ". ".join(" ".join(text.split()).rstrip(".") for text in texts if text) + "."


def rust() -> str:
    """Offsets of registers, and shift and mask of fields, as Rust constants."""
    compiler = RDLCompiler()
    compiler.compile_file(str(SOURCE))
    top: AddrmapNode = compiler.elaborate().top
    lines = ["// SPDX-License-Identifier: Apache-2.0",
             "//! Registers of the accelerator, in bytes from the start of its page. Generated from garner_regs.rdl by",
             "//! `make hw-regs`: change that file.", ""]
    for register in top.registers():
        assert isinstance(register, RegNode)
        name = register.inst_name
        lines += [f"/// {sentences(register.get_property('name'), register.get_property('desc'))}",
                  f"pub const {name}: usize = 0x{register.address_offset:03X};"]
        for field in register.fields():
            whole = field.width == register.size * 8
            if whole:
                continue
            mask = ((1 << field.width) - 1) << field.low
            lines += [f"/// {sentences(f'{name}, bits {field.high}:{field.low}', field.get_property('desc'))}",
                      f"pub const {name}_{field.inst_name.upper()}: u32 = 0x{mask:08X};"]
    return "\n".join(lines) + "\n"


def generate() -> list[Path]:
    """Generates everything unless it is newer than its source; gives the RTL files, package first."""
    newest = max(SOURCE.stat().st_mtime, Path(__file__).stat().st_mtime)
    outputs = [*RTL, BUILD / "garner_regs.h", BUILD / "garner_regs.rs", BUILD / "html" / "index.html"]
    if all(path.exists() and path.stat().st_mtime >= newest for path in outputs):
        return RTL
    BUILD.mkdir(parents=True, exist_ok=True)
    for command in (["regblock", "-o", BUILD, "--cpuif", "passthrough", "--default-reset", "arst_n",
                     "--addr-width", "12", "--err-if-bad-addr", "--rt-read-fanin", "--rt-read-response"],
                    ["c-header", "--std", "gnu11", "-o", BUILD / "garner_regs.h"],
                    ["html", "-o", BUILD / "html"]):
        subprocess.run([PEAKRDL, command[0], SOURCE, *command[1:]], check=True)
    for path in RTL:
        path.write_text(HEAD + WAIVERS + path.read_text().rstrip("\n") + "\n" + RESTORED)
    header = BUILD / "garner_regs.h"
    header.write_text(HEAD + header.read_text())
    (BUILD / "garner_regs.rs").write_text(rust())
    for path in outputs:
        path.touch()
    return RTL


def run(check: bool) -> None:
    generate()
    if not check:
        shutil.copyfile(BUILD / "garner_regs.rs", COMMITTED)
    elif COMMITTED.read_text() != rust():
        raise CommandError(f"{COMMITTED.name} is not what {SOURCE.name} says: run `make hw-regs` and commit it")
