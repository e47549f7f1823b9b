# SPDX-License-Identifier: Apache-2.0
"""The record of measured circuits, and the report that is made from it."""

import json

import pytest

from garner_hw.explore import recorded, report, space
from garner_hw.explore.evaluate import key_of
from garner_hw.explore.space import point_of
from garner_hw.explore.store import Record, Store
from garner_hw.explore.sweep import circuits, cluster, sweep
from garner_hw.explore.tools import Tools
from tb.explore.fake import FakeTools

POINTS = [point_of({"design": "two-row", "word": 16, "ports": ports}) for ports in (2, 3, 4, "free")]


@pytest.fixture(scope="module")
def client():
    with cluster(None, 1) as one:
        yield one


def rows(tools, folder, client, record=None):
    todo = circuits(POINTS, tools)
    found = sweep(todo, tools, Store(folder), recorded.EFFORT, client, record=record)
    return list(todo), sorted((row.figures for row in found), key=report.place)


def with_names(rows, tools):
    return [row | {"circuit": key_of(report.point_of(row), tools)} for row in rows]


def test_what_is_recorded_is_not_measured_again_elsewhere(tmp_path, client):
    tools = FakeTools(tmp_path / "log")
    names, first = rows(tools, tmp_path / "here", client)
    assert recorded.keep(names, Store(tmp_path / "here"), tools, tmp_path) == 4
    assert json.loads((tmp_path / report.JSON).read_text())["points"] == with_names(first, tools)
    tools.log.unlink()
    assert rows(tools, tmp_path / "there", client, recorded.record_of(tmp_path))[1] == first
    assert not tools.log.exists()


def test_a_circuit_measured_in_part_is_recorded_but_has_no_row(tmp_path, client):
    tools = FakeTools(tmp_path / "log", faults={("placement", "two-row"): "fails"})
    todo = circuits(POINTS, tools)
    list(sweep(todo, tools, Store(tmp_path), recorded.EFFORT, client))
    assert recorded.keep(list(todo), Store(tmp_path), tools, tmp_path) == 0
    assert all(set(steps) == {"simulation", "synthesis"} for steps in recorded.record_of(tmp_path).circuits.values())


def test_a_circuit_of_dsp_blocks_needs_its_luts_without_them(tmp_path, client):
    tools, point = FakeTools(tmp_path / "log"), point_of({"design": "two-row", "word": 16, "multipliers": "dsp"})
    todo = circuits([point], tools)
    list(sweep(todo, tools, Store(tmp_path), recorded.EFFORT, client))
    assert recorded.keep(list(todo), Store(tmp_path), tools, tmp_path) == 1
    record = recorded.record_of(tmp_path)
    for steps in record.circuits.values():
        del steps["synthesis-without-dsp"]
    assert recorded.rows_of(record, tools) == []


def test_work_files_of_tools_are_no_steps(tmp_path, client):
    tools = FakeTools(tmp_path / "log")
    names, _ = rows(tools, tmp_path / "here", client)
    (tmp_path / "here" / names[0] / "circuit.netlist.json").write_text('{"modules": {}}')
    recorded.keep(names, Store(tmp_path / "here"), tools, tmp_path)
    assert not any("netlist" in step for steps in recorded.record_of(tmp_path).circuits.values() for step in steps)


def test_circuits_of_other_sources_leave_the_record(tmp_path, client):
    tools = FakeTools(tmp_path / "log")
    names, _ = rows(tools, tmp_path / "here", client)
    recorded.keep(names, Store(tmp_path / "here"), tools, tmp_path)
    tools.content = "changed"
    assert recorded.keep([], Store(tmp_path / "here"), tools, tmp_path) == 0
    assert Record(tmp_path / recorded.CIRCUITS).circuits == {}


def test_the_committed_report_is_what_the_record_gives(nextpnr):
    """Fails where sources or tools have changed since: `garner-hw explore --record` makes both anew, and what is stale leaves."""
    committed = report.read(recorded.RESULTS / report.JSON)
    assert committed
    given = recorded.rows_of(recorded.record_of(), Tools())
    assert sorted(committed, key=report.place) == sorted(given, key=report.place)


def test_every_committed_row_is_of_a_point_of_the_whole_space_and_of_no_other_row_s():
    points = [report.point_of(row) for row in report.read(recorded.RESULTS / report.JSON)]
    assert len(set(points)) == len(points), "a point has two rows"
    assert set(points) <= set(space.read_space(recorded.SPACE).points)
