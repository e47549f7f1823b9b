# SPDX-License-Identifier: Apache-2.0
"""docs/reproduction.md: its tables are those of the committed results, and its commands are there."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from garner_hw import HW, CommandError, reproduction
from garner_hw.tables import filled

COMMANDS = sorted(set(re.findall(r"`(make [a-z-]+|garner-hw [a-z]+)", reproduction.DOCUMENT.read_text())))


def test_the_tables_are_those_of_the_results():
    assert filled(reproduction.DOCUMENT, reproduction.tables()) == reproduction.DOCUMENT.read_text(), \
        "run `garner-hw reproduction` and commit it"


def test_the_diagrams_are_those_of_the_results():
    pictures = reproduction.pictures()
    assert {path.name for path in pictures} == {path.name for path in reproduction.PICTURES.glob("*.svg")}
    for path, text in pictures.items():
        assert path.read_text() == text, "run `garner-hw reproduction` and commit it"


def test_a_changed_figure_is_seen(tmp_path, monkeypatch):
    changed = tmp_path / "report.json"
    changed.write_text(re.sub(r'"time_us": [0-9.]+', '"time_us": 1.0', reproduction.HARDWARE.read_text()))
    monkeypatch.setattr(reproduction, "HARDWARE", changed)
    assert filled(reproduction.DOCUMENT, reproduction.tables()) != reproduction.DOCUMENT.read_text()


@pytest.mark.parametrize("text", [None, "", "{"])
def test_results_that_cannot_be_read_are_named(tmp_path, text):
    path = tmp_path / "report.json"
    if text is not None:
        path.write_text(text)
    with pytest.raises(CommandError, match="report.json: "):
        reproduction.results(path)


@pytest.mark.parametrize("command", COMMANDS)
def test_its_commands_are_there(command):
    program, word = command.split()
    if program == "make":
        assert re.search(rf"^{word}:", "\n".join((HW.parent / name).read_text() for name in ("Makefile", "hw/hw.mk", "linux/linux.mk")), re.M)
    else:
        done = subprocess.run([Path(sys.executable).parent / "garner-hw", word, "--help"], capture_output=True, text=True)
        assert done.returncode == 0
