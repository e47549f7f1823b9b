# SPDX-License-Identifier: Apache-2.0
"""Reads hw/interface/soc.toml: the registers of the system on chip, as its RTL and firmware have them, and the numbers that
its firmware exchanges with its host.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from garner_hw import HW
from garner_hw.interface.description import Code
from garner_hw.interface.layout import CODE_NAME, FIELD_NAME, WORD, Field, InterfaceError, Layout, bits_of, named, told, unique

SOURCE = HW / "interface" / "soc.toml"
PAGE = 1 << 16  # what a peripheral has of the addresses
ACCESS = ("read", "write", "both")
CODES = ("level", "keygen", "failure", "stop")


@dataclass(frozen=True)
class Register:
    """One of a peripheral; `layout` has no fields if it is one value."""

    name: str
    offset: int
    access: str
    meaning: str
    layout: Layout


@dataclass(frozen=True)
class Peripheral:
    """A page of addresses."""

    name: str
    base: int
    meaning: str
    registers: tuple[Register, ...]

    def address(self, name: str) -> int:
        """Of the register with this name."""
        return self.base + next(register.offset for register in self.registers if register.name == name)


@dataclass(frozen=True)
class Soc:
    """The system. `codes`: by part (level, keygen, failure, stop), in their order."""

    peripherals: tuple[Peripheral, ...]
    codes: dict[str, tuple[Code, ...]]

    def __getitem__(self, name: str) -> Peripheral:
        return next(peripheral for peripheral in self.peripherals if peripheral.name == name)

    def code(self, part: str, name: str) -> int:
        for code in self.codes[part]:
            if code.name == name:
                return code.code
        raise InterfaceError(f"{SOURCE.name}: {part} has no \"{name}\"")


def load(source: Path = SOURCE) -> Soc:
    """The system. Raises `InterfaceError` for a description that contradicts itself."""
    file = source.name
    try:
        parts = tomllib.loads(source.read_text())
        for part in parts.keys() ^ {"peripheral", *CODES}:
            raise InterfaceError(f"{file}: \"{part}\" is {'unknown' if part in parts else 'missing'}")
        found = tuple(peripheral(entry, file) for entry in parts["peripheral"])
        codes = {part: codes_of(parts[part], f"{file}: {part}") for part in CODES}
    except InterfaceError:
        raise
    except KeyError as error:
        raise InterfaceError(f"{file}: {error.args[0]} is missing") from None
    except (TypeError, ValueError, AttributeError) as error:
        raise InterfaceError(f"{file}: {error}") from error
    unique([each.name for each in found], f"{file}: two peripherals are called")
    unique([hex(each.base) for each in found], f"{file}: two peripherals are at")
    return Soc(found, codes)


def peripheral(entry: dict, file: str) -> Peripheral:
    where = f"{file}: peripheral \"{entry['name']}\""
    named(entry["name"], FIELD_NAME, f"{file}: peripheral")
    told(entry["meaning"], where)
    registers = tuple(register(part, where) for part in entry["register"])
    if entry["base"] % PAGE or not 1 << 31 <= entry["base"] < 1 << 32:
        raise InterfaceError(f"{where}: base {entry['base']:#x} is no page of 64 KiB in the upper half (not cached)")
    unique([each.name for each in registers], f"{where}: two registers are called")
    unique([hex(each.offset) for each in registers], f"{where}: two registers are at")
    return Peripheral(entry["name"], entry["base"], entry["meaning"], registers)


def register(entry: dict, where: str) -> Register:
    name = entry["name"]
    named(name, FIELD_NAME, f"{where}: register")
    told(entry["meaning"], f"{where}: {name}")
    if entry["offset"] % 4 or not 0 <= entry["offset"] < PAGE:
        raise InterfaceError(f"{where}: {name} is at {entry['offset']:#x}, which is no word of its page")
    if entry["access"] not in ACCESS:
        raise InterfaceError(f"{where}: {name} has access \"{entry['access']}\", not one of {ACCESS}")
    layout = Layout(name, 1, tuple(field(part, f"{where}: {name}") for part in entry.get("fields", ())))
    layout.check(f"{where}: {name}")
    return Register(layout=layout, **{key: value for key, value in entry.items() if key != "fields"})


def field(entry: dict, where: str) -> Field:
    named(entry["name"], FIELD_NAME, f"{where}: field")
    told(entry["meaning"], f"{where}, {entry['name']}")
    high, low = bits_of(entry["bits"], f"{where}, {entry['name']}")
    return Field(entry["name"], 0, high, low, entry["meaning"])


def codes_of(entries: list[dict], where: str) -> tuple[Code, ...]:
    found = tuple(Code(**entry) for entry in entries)
    for code in found:
        named(code.name, CODE_NAME, where)
        told(code.meaning, f"{where} \"{code.name}\"")
        if type(code.code) is not int or not 0 <= code.code < 1 << WORD:
            raise InterfaceError(f"{where} \"{code.name}\": {code.code!r} is no number of {WORD} bits")
    unique([code.name for code in found], f"{where}: two are called")
    unique([str(code.code) for code in found], f"{where}: two have the code")
    return found
