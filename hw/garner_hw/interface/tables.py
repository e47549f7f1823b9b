# SPDX-License-Identifier: Apache-2.0
"""Tables of a description: every entry has all its keys, of their types, and no others."""

from collections.abc import Set
from typing import Any

from garner_hw.interface.layout import InterfaceError


def entries(found: object, part: str, keys: dict[str, type], file: str, optional: Set[str] = frozenset()) -> list[dict[str, Any]]:
    """The tables `[[part]]`, if they are in order."""
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise InterfaceError(f'{file}: "{part}" is not written as [[{part}]]')
    for entry in found:
        where = f'{file}: {part} "{entry.get("name", "?")}"'
        for key, value in entry.items():
            if key not in keys:
                raise InterfaceError(f'{where} has an unknown key "{key}"')
            if type(value) is not keys[key]:
                raise InterfaceError(f"{where}: {key} = {value!r} is not of type {keys[key].__name__}")
        for key in keys.keys() - entry.keys() - optional:
            raise InterfaceError(f'{where} has no "{key}"')
    return found
