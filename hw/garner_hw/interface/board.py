# SPDX-License-Identifier: Apache-2.0
"""Reads hw/interface/board.toml: the engines of a whole board, their pages of registers and vectors, in order."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from garner_hw import HW
from garner_hw.interface import tables
from garner_hw.interface.layout import FIELD_NAME, InterfaceError, named, told, unique

SOURCE = HW / "interface" / "board.toml"
PAGE_BYTES = 4096  # what the 12 bits of a register's address reach
KEYS: dict[str, type] = {"name": str, "vectors": int, "meaning": str}  # of an engine
LINES = 3  # interrupt lines of an engine's rings: completion, idle, error


@dataclass(frozen=True)
class Engine:
    """One of the board; its page begins at `offset`, its vectors at `vector`."""

    name: str
    page: int
    offset: int
    vector: int
    vectors: int
    meaning: str


@dataclass(frozen=True)
class Board:
    """All of them."""

    pci_vendor: int
    pci_device: int
    page_bytes: int
    lines: int  # of the rings of an engine
    vectors: int
    engines: tuple[Engine, ...]

    @property
    def page_width(self) -> int:
        """Bits of the number of a page."""
        return (len(self.engines) - 1).bit_length()


def load(source: Path = SOURCE) -> Board:
    """The board. Raises `InterfaceError` for a description that contradicts itself."""
    try:
        parts = tomllib.loads(source.read_text())
        vendor, device, page_bytes = (parts[name] for name in ("pci_vendor", "pci_device", "page_bytes"))
        engines, vector = [], 0
        for page, entry in enumerate(tables.entries(parts["engine"], "engine", KEYS, source.name)):
            engines.append(Engine(page=page, offset=page * page_bytes, vector=vector, **entry))
            vector += entry["vectors"]
    except KeyError as error:
        raise InterfaceError(f"{source.name}: {error.args[0]} is missing") from None
    except ValueError as error:
        raise InterfaceError(f"{source.name}: {error}") from error
    for name, number in (("pci_vendor", vendor), ("pci_device", device)):
        if type(number) is not int or not 0 < number < 0xFFFF:
            raise InterfaceError(f"{source.name}: {name} = {number!r} is no number of PCI, 1 to 0xFFFE")
    if type(page_bytes) is not int or page_bytes != PAGE_BYTES:
        raise InterfaceError(f"{source.name}: page_bytes = {page_bytes!r}; addresses of registers have 12 bits, a page "
                             f"{PAGE_BYTES} bytes")
    if len(engines) < 2:
        raise InterfaceError(f"{source.name}: a board has two engines at least; one alone has a bus of its own")
    unique([engine.name for engine in engines], f"{source.name}: two engines are called")
    for engine in engines:
        named(engine.name, FIELD_NAME, f"{source.name}: engine")
        told(engine.meaning, f"{source.name}: engine \"{engine.name}\"")
        if engine.vectors not in (1, LINES):
            raise InterfaceError(f"{source.name}: engine \"{engine.name}\" has {engine.vectors} vectors; an engine has one, "
                                 f"or one for each of its {LINES} lines")
    return Board(vendor, device, page_bytes, LINES, vector, tuple(engines))
