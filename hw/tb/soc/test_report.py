# SPDX-License-Identifier: Apache-2.0
"""The report: what it simulates in parallel is what its rows ask for, and an interrupted one keeps what was made."""

import json
from dataclasses import asdict, replace
from functools import partial

import pytest

from garner_hw import CommandError
from garner_hw.soc import build, fiu, keys, measure, report
from garner_hw.soc.system import Answer, Stopped

ANSWER = Answer(value=7, load=18, cycles=100, monitor=100, moving=1, core=1, fallback=0, status=0, interrupts=0, spurious=0,
                in_powers=50)


def test_every_row_finds_its_runs_made(monkeypatch):
    made, asked = [], set()
    monkeypatch.setattr(measure, "sources_hash", lambda scheme: "sources")
    monkeypatch.setattr(measure, "kept", lambda name, now, measured: made.append(name) or ANSWER)
    for run in report.runs():
        run()
    assert len(made) == len(set(made)), "a run is made twice"
    monkeypatch.setattr(measure, "kept", lambda name, now, measured: asked.add(name) or ANSWER)
    rows = [measure.row(*which) for which in (*measure.ROWS_TO_MEASURE, *measure.SHORT)] + fiu.rows() + keys.rows()
    assert asked == set(made)
    assert all(row["checked"] for row in rows)


def succeeds(folder):
    (folder / "done").touch()


def fails(folder):
    raise Stopped(99, "trap 5")


def test_a_system_that_stops_ends_the_report_and_what_was_made_stays(monkeypatch, tmp_path):
    monkeypatch.setattr(build, "firmware", lambda release="": None)
    monkeypatch.setattr(build, "simulator", lambda rows: None)
    with pytest.raises(CommandError, match="the system stopped with 99 trap 5; what was made is kept"):
        report.make([partial(succeeds, tmp_path), partial(fails, tmp_path)])
    assert (tmp_path / "done").exists()


def test_a_run_of_the_same_sources_is_not_made_again(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "REPORT", tmp_path)
    first = measure.kept("op", "sources", lambda: ANSWER)
    assert measure.kept("op", "sources", lambda: pytest.fail("made again")) == first
    again = measure.kept("op", "other sources", lambda: Answer(**asdict(ANSWER) | {"cycles": 99}))
    assert json.loads((tmp_path / "runs" / "op.json").read_text())["answer"]["cycles"] == again.cycles == 99


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", '{"sources": "sources"}', '{"sources": "sources", "answer": {"value": 1}}',
                                  '{"sources": "sources", "answer": %s}' % json.dumps(asdict(ANSWER) | {"more": 1})])
def test_a_damaged_record_is_named_and_measured_again(monkeypatch, tmp_path, capsys, text):
    monkeypatch.setattr(measure, "REPORT", tmp_path)
    file = tmp_path / "runs" / "op.json"
    file.parent.mkdir()
    file.write_text(text)
    assert measure.kept("op", "sources", lambda: ANSWER) == ANSWER
    assert str(file) in capsys.readouterr().err
    assert measure.kept("op", "sources", lambda: pytest.fail("made again")) == ANSWER
    assert list(file.parent.iterdir()) == [file]


def test_a_row_that_is_wrong_is_named_and_nothing_is_published(monkeypatch, tmp_path):
    monkeypatch.setattr(measure, "REPORT", tmp_path)
    monkeypatch.setattr(report, "make", lambda wanted: None)
    monkeypatch.setattr(measure, "sources_hash", lambda scheme: "sources")
    monkeypatch.setattr(measure, "kept", lambda name, now, measured: replace(ANSWER, fallback=int(name == "exp-512-l2r"), value=(
        8 if name == "power-40-hardware" else 7)))
    with pytest.raises(CommandError, match=r"software: exp 512 l2r, power 40$"):
        report.run()
    assert not list(tmp_path.iterdir())


def test_every_committed_row_was_checked():
    for file in (measure.REPORT / "report.json", measure.REPORT / "power.json"):
        measure.all_checked(json.loads(file.read_text()))
