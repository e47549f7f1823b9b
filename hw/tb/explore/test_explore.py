# SPDX-License-Identifier: Apache-2.0
"""The command's arguments, and what it answers without measuring."""

import json

import pytest

from garner_hw import ToolError, command
from garner_hw.explore import recorded, report, sweep, tools
from garner_hw.explore.tools import Tools
from tb.explore.fake import FakeTools


@pytest.fixture
def nothing_is_measured(monkeypatch):
    def cluster(address, workers):
        raise AssertionError("a sweep began")

    monkeypatch.setattr(sweep, "cluster", cluster)


@pytest.mark.parametrize("arguments, reason", [
    (["--budget", ""], "an empty part"), (["--space", ""], "Is a directory"),
    (["--budget", "", "--space", "small"], "an empty part"), (["--dask", ""], "an address is needed"),
    (["--dask", " ", "--budget", "lut=5"], "an address is needed"),
])
def test_an_empty_argument_begins_no_sweep(nothing_is_measured, tmp_path, capsys, arguments, reason):
    assert command.main(["explore", *arguments, "--out", str(tmp_path)]) == 2
    assert reason in capsys.readouterr().err


def test_a_sweep_that_measured_nothing_does_not_hide_the_committed_results(tmp_path, capsys):
    report.write_json(report.data_of([], {"cios": "no simulator"}, {}), tmp_path)
    assert command.main(["explore", "--budget", "lut=2000", "--out", str(tmp_path)]) == 0
    committed = report.read(recorded.RESULTS / report.JSON)
    assert f"that fit, of {len(committed)};" in capsys.readouterr().out


def test_a_small_sweep_adds_to_the_committed_results_and_its_figures_count(tmp_path, capsys):
    committed = report.read(recorded.RESULTS / report.JSON)
    again = committed[0] | {"lut": 1, "lut_placed": 1, "us": 1e-3, "cycles": 1, "cycles_with_m": 1, "circuit": "of other sources"}
    other = again | {"bits": 256, "mhz": 99.0}
    report.write_json(report.data_of([again, other], {}, {}), tmp_path)
    assert command.main(["explore", "--budget", "lut=2000", "--out", str(tmp_path)]) == 0
    said = capsys.readouterr()
    assert f"2 points to choose from are in {tmp_path / report.JSON}" in said.err
    assert f"{len(committed) - 1} points to choose from are in {recorded.RESULTS / report.JSON}" in said.err
    assert f"that fit, of {len(committed)};" in said.out and "that fit, of 1;" in said.out
    assert f"build {report.describe(again)}: " in said.out


@pytest.mark.parametrize("date, circuit, energy, chosen", [
    ("2000-01-01", "of older sources", None, "committed"), ("2999-01-01", "of later sources", None, "own"),
    ("2999-01-01", None, None, "committed"), ("2000-01-01", None, 1.0, "own"), ("2999-01-01", None, 1.0, "own")])
def test_of_a_point_that_was_measured_twice_the_later_figures_count(tmp_path, capsys, date, circuit, energy, chosen):
    """Of one and the same circuit the committed ones, as a sweep may have fewer placements, but where it alone has the energy."""
    committed = next(row for row in report.read(recorded.RESULTS / report.JSON) if "circuit" in row and not row["energy_nj"])
    own = committed | {"lut": 1, "lut_placed": 1, "us": 1e-3, "cycles": 1, "cycles_with_m": 1, "circuit": circuit or committed["circuit"],
                       "energy_nj": energy}
    report.write_json(report.data_of([own], {}, {}) | {"date": date}, tmp_path)
    assert command.main(["explore", "--budget", "lut=2000", "--out", str(tmp_path)]) == 0
    assert (f"build {report.describe(own)}: " in capsys.readouterr().out) == (chosen == "own")


def test_what_is_recorded_is_measured_again_if_that_is_asked_for(tmp_path, capsys, monkeypatch):
    (tmp_path / "points.csv").write_text("design,word,ports\ncios,16,2\n")
    fake = FakeTools(tmp_path / "log")
    monkeypatch.setattr(tools, "Tools", lambda: fake)
    monkeypatch.setattr(recorded, "RESULTS", tmp_path)

    def explore(out, *more):
        fake.log.unlink(missing_ok=True)
        assert command.main(["explore", str(tmp_path / "points.csv"), *more, "--workers", "1", "--out", str(tmp_path / out)]) == 0
        return fake.log.exists()

    assert explore("first", "--record") and not explore("second") and explore("third", "--again")


def test_without_any_point_there_is_no_advice(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(recorded, "RESULTS", tmp_path)
    report.write_json(report.data_of([], {}, {}), tmp_path)
    assert command.main(["explore", "--budget", "lut=2000", "--out", str(tmp_path)]) == 2
    assert "measure something first" in capsys.readouterr().err


def test_a_tool_that_is_missing_at_the_start_is_named_and_nothing_is_begun(nothing_is_measured, tmp_path, capsys,
                                                                           monkeypatch):
    class Missing(Tools):
        def versions(self):
            raise ToolError("nextpnr-ecp5 cannot be fetched")

    monkeypatch.setattr(tools, "Tools", Missing)
    assert command.main(["explore", "--out", str(tmp_path / "out")]) == 2
    assert "garner-hw: nextpnr-ecp5 cannot be fetched" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


def test_circuits_that_are_not_recorded_are_counted(tmp_path, capsys, monkeypatch):
    (tmp_path / "points.csv").write_text("design,word,ports,bits\ncios,16,2,\ncios,16,2,256\ntwo-row,16,2,512\n")
    monkeypatch.setattr(tools, "Tools", lambda: FakeTools(tmp_path / "log"))
    monkeypatch.setattr(recorded, "RESULTS", tmp_path)
    assert command.main(["explore", str(tmp_path / "points.csv"), "--record", "--workers", "1",
                         "--out", str(tmp_path / "out")]) == 0
    said = capsys.readouterr().err
    assert f"1 points in {tmp_path}" in said
    assert "2 of the 3 circuits are of no point of all.toml and are not recorded" in said


def test_a_report_that_was_cut_off_is_named(tmp_path, capsys):
    (tmp_path / report.JSON).write_text(json.dumps({"points": []})[:-2])
    assert command.main(["explore", "--budget", "lut=2000", "--out", str(tmp_path)]) == 2
    assert "report.json: not a report" in capsys.readouterr().err
