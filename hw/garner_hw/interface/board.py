# SPDX-License-Identifier: Apache-2.0
"""Reads hw/interface/board.toml: the engines of a whole board, their pages of registers and vectors, in order."""

import tomllib
from dataclasses import dataclass
from pathlib import Path

from garner_hw import HW
from garner_hw.interface.layout import FIELD_NAME, InterfaceError, named, told, unique

SOURCE = HW / "interface" / "board.toml"
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

    page_bytes: int
    lines: int  # of the rings of an engine
    vectors: int
    engines: tuple[Engine, ...]


def load(source: Path = SOURCE) -> Board:
    """The board. Raises `InterfaceError` for a description that contradicts itself."""
    try:
        parts = tomllib.loads(source.read_text())
        page_bytes, engines, vector = parts["page_bytes"], [], 0
        for page, entry in enumerate(parts["engine"]):
            engines.append(Engine(page=page, offset=page * page_bytes, vector=vector, **entry))
            vector += entry["vectors"]
    except (KeyError, TypeError, tomllib.TOMLDecodeError) as error:
        raise InterfaceError(f"{source.name}: {error}") from error
    unique([engine.name for engine in engines], f"{source.name}: two engines are called")
    for engine in engines:
        named(engine.name, FIELD_NAME, f"{source.name}: engine")
        told(engine.meaning, f"{source.name}: engine \"{engine.name}\"")
        if engine.vectors not in (1, LINES):
            raise InterfaceError(f"{source.name}: engine \"{engine.name}\" has {engine.vectors} vectors; an engine has one, "
                                 f"or one for each of its {LINES} lines")
    return Board(page_bytes, LINES, vector, tuple(engines))
