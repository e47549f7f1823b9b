# SPDX-License-Identifier: Apache-2.0
"""The real tool chain's own logic, over programs that measure nothing."""

import pytest

from garner_hw.explore import tools
from garner_hw.explore.point import Point
from garner_hw.explore.store import Folder

POINT = Point("cios")


def test_sources_are_read_again_for_each_circuit(tmp_path, monkeypatch):
    rtl = tmp_path / "row.sv"
    monkeypatch.setattr(tools, "sources", lambda *arguments: [rtl])
    said = []
    for text in ("module row;", "module row (input clk_i);", "module row;  // a comment says nothing"):
        rtl.write_text(text)
        said.append(tools.Tools().sources(POINT))
    assert said[0] != said[1] and said[0] == said[2]


def test_a_simulation_that_is_killed_leaves_no_step(tmp_path, monkeypatch):
    def killed(command, what, log):
        (tmp_path / command[-1]).write_text('{"cycles": 1}')
        raise KeyboardInterrupt

    monkeypatch.setattr(tools, "run", killed)
    with pytest.raises(KeyboardInterrupt):
        tools.Tools().simulate(POINT, tmp_path)
    assert list(tmp_path.iterdir()) and Folder(tmp_path).steps() == {}
