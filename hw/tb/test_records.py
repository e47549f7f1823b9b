# SPDX-License-Identifier: Apache-2.0
"""The stamp of a record's sources: what is written for readers leaves a record fresh, what a figure may depend on does not."""

from pathlib import Path

import pytest

from garner_hw.records import fingerprint

SOURCE = '''\
"""The clock."""
import json
from dataclasses import dataclass

SPEEDS = (8, 6)


@dataclass
class Point:
    rows: int
    word: int = 18


def clock(point, speed=8):
    found = {}
    found["fmax"] = point.rows * 2
    return found
'''


def stamp(folder: Path, text: str, name: str = "clock.py") -> str:
    file = folder / name
    file.write_text(text)
    return fingerprint([file])


def changed(old: str, new: str) -> str:
    assert old in SOURCE
    return SOURCE.replace(old, new)


@pytest.mark.parametrize(("old", "new"), [
    ("(point, speed=8):", "(point: Point, speed: int = 8) -> dict[str, float]:"),
    ("found = {}", "found: dict[str, float] = {}"),
    ("    found = {}", "    speeds: list[int]\n    found = {}"),
    ("SPEEDS =", "SPEEDS: tuple[int, ...] ="),
    ("import json", "import json\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from pathlib import Path"),
], ids=["signature", "variable", "declaration", "constant", "import for hints alone"])
def test_type_hint_leaves_a_record_fresh(tmp_path, old, new):
    assert stamp(tmp_path, changed(old, new)) == stamp(tmp_path, SOURCE)


@pytest.mark.parametrize(("old", "new"), [
    ("found = {}", "# of both speeds\n    found = {}  # MHz"),
    ('"""The clock."""', '"""The clock of a point."""'),
    ("speed=8):", 'speed=8):\n    """In MHz."""'),
    ("(8, 6)", "(\n    8,\n    6,\n)"),
    ('"fmax"', "'fmax'"),
    ("import json\n", ""),
], ids=["comment", "docstring", "new docstring", "layout", "quotes", "import"])
def test_text_for_readers_leaves_a_record_fresh(tmp_path, old, new):
    assert stamp(tmp_path, changed(old, new)) == stamp(tmp_path, SOURCE)


@pytest.mark.parametrize(("old", "new"), [
    ("(8, 6)", "(8, 7)"),
    ("(8, 6)", "(8, 6.0)"),
    ("(8, 6)", "[8, 6]"),
    ("speed=8", "speed=6"),
    ("speed=8", "speed"),
    ('"fmax"', '"clock"'),
    ("* 2", "+ 2"),
    ("    return found", "    return"),
    ("@dataclass\n", ""),
    ("point, speed", "point, *, speed"),
], ids=["constant", "type of a constant", "kind of a sequence", "default", "no default", "string", "operator", "result",
        "decorator", "keyword"])
def test_changed_statement_makes_a_record_stale(tmp_path, old, new):
    assert stamp(tmp_path, changed(old, new)) != stamp(tmp_path, SOURCE)


@pytest.mark.parametrize(("old", "new"), [
    ("    rows: int\n", "    rows: int\n    bits: int\n"),
    ("rows: int", "rows: ClassVar[int]"),
    ("    word: int = 18", "    word = 18"),
], ids=["more", "type", "no field any more"])
def test_changed_field_of_a_class_makes_a_record_stale(tmp_path, old, new):
    assert stamp(tmp_path, changed(old, new)) != stamp(tmp_path, SOURCE)


def test_comment_in_rtl_leaves_a_record_fresh_and_its_code_does_not(tmp_path):
    rtl = "module one (output logic o);\n  assign o = 1'b1;\nendmodule\n"
    fresh = stamp(tmp_path, rtl, "one.sv")
    assert stamp(tmp_path, rtl.replace(";\nend", ";  // always\nend"), "one.sv") == fresh
    assert stamp(tmp_path, rtl.replace("1'b1", "1'b0"), "one.sv") != fresh


def test_order_and_place_of_files_leave_a_record_fresh(tmp_path):
    first, second, moved = tmp_path / "a.py", tmp_path / "b.py", tmp_path / "c.py"
    first.write_text(SOURCE)
    second.write_text("WORD = 18\n")
    moved.write_text(SOURCE)
    assert fingerprint([first, second]) == fingerprint([second, moved])
