# SPDX-License-Identifier: Apache-2.0
"""Copies of the description with changes in them."""

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from garner_hw.interface import SOURCES


@pytest.fixture
def changed(tmp_path: Path) -> Callable[..., Path]:
    """A copy of the description in which one text of a file, found once, is another."""
    folder = tmp_path / "interface"
    shutil.copytree(SOURCES, folder)

    def change(file: str, before: str, after: str) -> Path:
        text = (folder / file).read_text()
        assert text.count(before) == 1, f"{before!r} is {text.count(before)} times in {file}"
        (folder / file).write_text(text.replace(before, after))
        return folder

    return change
