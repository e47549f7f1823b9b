# SPDX-License-Identifier: Apache-2.0
"""The registers: reads garner_regs.rdl (SystemRDL), and generates their RTL and an HTML page with PeakRDL."""

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from systemrdl import RDLCompileError, RDLCompiler
from systemrdl.messages import MessagePrinter, Severity

from garner_hw import BUILD, HW
from garner_hw.alone import alone
from garner_hw.interface.layout import Field, InterfaceError

SOURCE = HW / "interface" / "garner_regs.rdl"
PEAKRDL = Path(sys.executable).parent / "peakrdl"
HEAD = """// SPDX-License-Identifier: Apache-2.0
// Generated from hw/interface/garner_regs.rdl by `make hw-regs`: change that file.
"""
# What Verilator says of the generated block: it drives members of one structure from several processes, and has signals
# and parameters that are not used.
WAIVERS = "".join(f"/* verilator lint_off {name} */\n" for name in ("MULTIDRIVEN", "UNUSEDSIGNAL", "UNUSEDPARAM"))
RESTORED = WAIVERS.replace("lint_off", "lint_on")
REGBLOCK = ("--cpuif", "passthrough", "--default-reset", "arst_n", "--addr-width", "12", "--err-if-bad-addr",
            "--rt-read-fanin", "--rt-read-response")


@dataclass(frozen=True)
class RegisterField(Field):
    """A field of a register."""

    constant: int | None = None  # what it always reads as
    pulse: bool = False          # acts when it is written, and reads 0


@dataclass(frozen=True)
class Register:
    """A register of 32 or 64 bits."""

    name: str
    offset: int
    bits: int
    title: str
    meaning: str
    writable: bool
    fields: tuple[RegisterField, ...]

    @property
    def parts(self) -> tuple[RegisterField, ...]:
        """Its fields, unless one has all of it."""
        return tuple(field for field in self.fields if field.width < self.bits)


class Collected(MessagePrinter):
    """Keeps what the compiler has to say."""

    def __init__(self) -> None:
        self.messages: list[str] = []

    def print_message(self, severity: Severity, text: str, src_ref: object) -> None:
        if severity >= Severity.ERROR:
            self.messages.append(text)


def prose(text: str | None) -> str:
    """One line, without its last full stop."""
    return " ".join((text or "").split()).rstrip(".")


def read(source: Path = SOURCE) -> tuple[Register, ...]:
    """The registers in the order of their offsets."""
    printer = Collected()
    compiler = RDLCompiler(message_printer=printer)
    try:
        compiler.compile_file(str(source))
        top = compiler.elaborate().top
    except RDLCompileError:
        raise InterfaceError(f"{source.name}: {printer.messages[0] if printer.messages else 'cannot be read'}") from None
    except OSError as error:
        raise InterfaceError(f"{source.name}: {error.strerror}") from None
    registers = []
    for register in top.registers():
        fields = []
        for field in register.fields():
            constant = field.get_property("reset") if not field.is_hw_writable and not field.is_sw_writable else None
            if constant is not None and not isinstance(constant, int):
                raise InterfaceError(f"{source.name}: {register.inst_name}.{field.inst_name} is constant, and no number")
            fields.append(RegisterField(field.inst_name, 0, field.high, field.low, prose(field.get_property("desc")),
                                        constant=constant, pulse=field.get_property("singlepulse")))
        registers.append(Register(register.inst_name, register.address_offset, register.size * 8,
                                  prose(register.get_property("name")), prose(register.get_property("desc")),
                                  any(field.is_sw_writable for field in register.fields()), tuple(fields)))
    return tuple(registers)


def rtl(source: Path = SOURCE, build: Path = BUILD / "regs") -> list[Path]:
    """The registers' RTL, package first; generated, with the HTML page, unless it is newer than its source."""
    files = [build / "garner_regs_pkg.sv", build / "garner_regs.sv"]
    outputs = [*files, build / "html" / "index.html"]
    newest = max(source.stat().st_mtime, Path(__file__).stat().st_mtime)
    # Not asked without the lock: another process may have written them and not be done with them yet.
    with alone(build):
        if all(path.exists() and path.stat().st_mtime >= newest for path in outputs):
            return files
        build.mkdir(parents=True, exist_ok=True)
        subprocess.run([PEAKRDL, "regblock", source, "-o", build, *REGBLOCK], check=True)
        subprocess.run([PEAKRDL, "html", source, "-o", build / "html"], check=True)
        for path in files:
            path.write_text(HEAD + WAIVERS + path.read_text().rstrip("\n") + "\n" + RESTORED)
        for path in outputs:
            path.touch()
    return files
