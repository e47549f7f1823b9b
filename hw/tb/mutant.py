# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: a source with one text of it replaced. `make hw-soak-mutations` runs the tests on each; that the texts are
still there is always tested.
"""

from pathlib import Path

from garner_hw import BUILD


def replaced(original: Path, text: str, becomes: str) -> str:
    """The source with the bug."""
    source = original.read_text()
    assert source.count(text) == 1, f"{text} is not in {original}, or more than once"
    return source.replace(text, becomes)


def mutant(original: Path, text: str, becomes: str, bug: str) -> Path:
    """The same as a file of the original's name, in a folder of the bug's."""
    file = BUILD / "mutations" / bug.replace(" ", "-") / original.name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(replaced(original, text, becomes))
    return file
