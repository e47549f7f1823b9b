# SPDX-License-Identifier: Apache-2.0
"""What is kept is whole or not there, and a file that is no such thing is named."""

from pathlib import Path

import pytest

from garner_hw import CommandError
from garner_hw.explore import report
from garner_hw.explore.store import Folder, Record

EMPTY = report.data_of([], {}, {})
WRITERS = {"synthesis.json": lambda folder: Folder(folder).keep("synthesis", {"lut": 1}),
           "circuits.jsonl": lambda folder: Record(folder / "circuits.jsonl").write(set()),
           report.JSON: lambda folder: report.write_json(EMPTY, folder),
           report.PAGE: lambda folder: report.write(EMPTY, folder)}


@pytest.mark.parametrize("name", WRITERS)
def test_a_write_that_is_cut_off_leaves_the_file_of_before(tmp_path, monkeypatch, name):
    WRITERS[name](tmp_path)
    before = (tmp_path / name).read_text()
    write = Path.write_text

    def cut_off(path, text):
        write(path, text[:len(text) // 2])
        if name in path.name:
            raise OSError("the disk is full")

    monkeypatch.setattr(Path, "write_text", cut_off)
    with pytest.raises(OSError, match="full"):
        WRITERS[name](tmp_path)
    assert (tmp_path / name).read_text() == before
    assert not list(tmp_path.glob(".*"))


@pytest.mark.parametrize("text", ["", '{"lut"', "{}", "5", "[1]"])
def test_a_file_without_figures_counts_as_not_done(tmp_path, text):
    (tmp_path / "synthesis.json").write_text(text)
    assert Folder(tmp_path).kept("synthesis") is None and Folder(tmp_path).steps() == {}


@pytest.mark.parametrize("text", ["", '{"points": [', "[]", "{}", '{"points": 5}', '{"points": [{}]}', '{"points": [[]]}'])
def test_a_report_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / report.JSON).write_text(text)
    with pytest.raises(CommandError, match="report.json: not a report"):
        report.read(tmp_path / report.JSON)


def test_two_lines_of_one_circuit_are_one(tmp_path):
    """As a merge of two branches leaves them."""
    (tmp_path / "circuits.jsonl").write_text('{"circuit": "one", "steps": {"energy": {"energy_nj": 2.0}}}\n'
                                             '{"circuit": "one", "steps": {"placement-1": {"mhz": 99.5, "lut": 3}}}\n')
    assert Record(tmp_path / "circuits.jsonl").circuits == {
        "one": {"energy": {"energy_nj": 2.0}, "placement-1": {"mhz": 99.5, "lut": 3}}}


@pytest.mark.parametrize("text", [b'{"circuit": "cios-16"', b"[]", b"{}", b"<<<<<<< HEAD", b"\xff",
                                  b'{"circuit": "cios-16", "steps": 5}', b'{"circuit": "cios-16", "steps": {"energy": 5}}'])
def test_a_record_that_cannot_be_read_is_named(tmp_path, text):
    (tmp_path / "circuits.jsonl").write_bytes(text + b"\n")
    with pytest.raises(CommandError, match="circuits.jsonl: not a record"):
        Record(tmp_path / "circuits.jsonl")
