# SPDX-License-Identifier: Apache-2.0
"""Reads hw/interface/soc.toml: the registers of the system on chip, the addresses of its RTL and firmware."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from garner_hw import HW
from garner_hw.interface.layout import InterfaceError, unique

SOURCE = HW / "interface" / "soc.toml"
PAGE = 1 << 16  # what a peripheral has of the addresses
ACCESS = ("read", "write", "both")


@dataclass(frozen=True)
class Register:
    """One of a peripheral."""

    name: str
    offset: int
    access: str
    meaning: str


@dataclass(frozen=True)
class Peripheral:
    """A page of addresses."""

    name: str
    base: int
    meaning: str
    registers: tuple[Register, ...]


def load(source: Path = SOURCE) -> tuple[Peripheral, ...]:
    """The peripherals. Raises `InterfaceError` for a description that contradicts itself."""
    try:
        found = tuple(peripheral(entry, source.name) for entry in tomllib.loads(source.read_text())["peripheral"])
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise InterfaceError(f"{source.name}: {error}") from error
    unique([each.name for each in found], f"{source.name}: two peripherals are called")
    unique([hex(each.base) for each in found], f"{source.name}: two peripherals are at")
    return found


def peripheral(entry: dict, file: str) -> Peripheral:
    where = f"{file}: peripheral \"{entry['name']}\""
    registers = tuple(Register(**register) for register in entry["register"])
    if entry["base"] % PAGE or not 1 << 31 <= entry["base"] < 1 << 32:
        raise InterfaceError(f"{where}: base {entry['base']:#x} is no page of 64 KiB in the upper half (not cached)")
    for register in registers:
        if register.offset % 4 or not 0 <= register.offset < PAGE:
            raise InterfaceError(f"{where}: {register.name} is at {register.offset:#x}, which is no word of its page")
        if register.access not in ACCESS:
            raise InterfaceError(f"{where}: {register.name} has access \"{register.access}\", not one of {ACCESS}")
    unique([register.name for register in registers], f"{where}: two registers are called")
    unique([hex(register.offset) for register in registers], f"{where}: two registers are at")
    return Peripheral(entry["name"], entry["base"], entry["meaning"], registers)
