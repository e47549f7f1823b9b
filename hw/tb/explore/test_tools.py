# SPDX-License-Identifier: Apache-2.0
"""A small sweep with the real tools: a point of 256 bits, simulated, synthesised, placed once; in the long run its energy."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from garner_hw import ToolError
from garner_hw.energy import weigh
from garner_hw.explore.point import Point
from garner_hw.explore.tools import PADS, Tools, netlist, port_bits

POINTS = """design,word,ports,multipliers,bits,lanes
product-scan,8,2,dsp,256,
fios,8,2,dsp,256,
"""


def explore(*arguments: str | Path, energy: bool = False) -> subprocess.CompletedProcess:
    return subprocess.run([Path(sys.executable).parent / "garner-hw", "explore", "--seeds", "1",
                           *([] if energy else ["--no-energy"]), *map(str, arguments)], capture_output=True, text=True)


@pytest.fixture(scope="module")
def swept(tmp_path_factory, nextpnr):
    folder = tmp_path_factory.mktemp("sweep")
    (folder / "points.csv").write_text(POINTS)
    return folder, explore(folder / "points.csv", "--out", folder / "out")


def rows(folder: Path) -> dict[str, dict]:
    return {row["design"]: row for row in json.loads((folder / "out" / "report.json").read_text())["points"]}


def test_each_point_that_can_be_built_has_a_row_and_the_other_is_named(swept):
    folder, done = swept
    assert set(rows(folder)) == {"product-scan"}, done.stderr
    assert "points.csv:3: fios: ports must be" in done.stderr
    assert done.returncode == 1


def test_the_figures_are_those_of_circuits(swept):
    for name, row in rows(swept[0]).items():
        assert row["cycles"] >= row["bound_cycles"], name
        assert row["dsp"] == 1 and row["lut"] < row["lut_without_dsp"], name
        assert 20 < row["mhz"] < 1000, name


def test_the_page_has_its_plots(swept):
    page = (swept[0] / "out" / "explore.html").read_text()
    pictures = page.split("<svg")[1:]
    assert len(pictures) == 2  # area and time, roofline
    axes = ("us a multiplication", "cycles, with the computation of m")
    assert all(f"<!-- {axis} -->" in picture for picture, axis in zip(pictures, axes, strict=True))


def test_what_is_measured_is_kept(swept):
    folder, _ = swept
    before = {path: path.stat().st_mtime_ns for path in (folder / "out" / "points").rglob("*.json")}
    report = rows(folder)
    done = explore(folder / "points.csv", "--out", folder / "out")
    assert done.returncode == 1 and "fios: ports must be" in done.stderr  # the one that cannot be built, and no more
    assert f"{folder / 'out' / 'explore.html'}" in done.stdout and rows(folder) == report and len(before) > 4
    assert before == {path: path.stat().st_mtime_ns for path in (folder / "out" / "points").rglob("*.json")}


@pytest.mark.soak
def test_the_energy_of_a_circuit_is_weighed(swept):
    folder, _ = swept
    done = explore(folder / "points.csv", "--out", folder / "out", energy=True)
    assert all(row["energy_nj"] > 0 for row in rows(folder).values()), done.stderr


def test_a_budget_is_answered_from_what_was_measured(swept):
    done = explore("--budget", "lut=2000,dsp=1,ports=2", "--out", swept[0] / "out")
    assert done.returncode == 0 and "build product-scan, 8 bits, 2 ports, operands of 256 bits, DSP" in done.stdout
    done = explore("--budget", "lut=10,ports=2", "--out", swept[0] / "out")
    assert done.returncode == 1 and "LUT" in done.stdout


def test_a_unit_with_more_ports_than_the_package_has_pads_is_placed(tmp_path, nextpnr):
    wide = Point("cios", word=8, ports=0, pipelined=False, unroll=4, multipliers="dsp", bits=256)
    assert port_bits(netlist(wide, True, tmp_path)[0]) > PADS
    placed = Tools().place(wide, 1, tmp_path)
    assert placed["mhz"] > 5 and placed["dsp"] == 8


def test_a_unit_with_memories_is_weighed_without_them(tmp_path, monkeypatch):
    ports, made = [], weigh.write
    monkeypatch.setattr(weigh, "write", lambda *given, **more: ports.extend(made(*given, **more).ports) or interrupted())

    def interrupted():
        raise ToolError("the netlist is enough")

    with pytest.raises(ToolError, match="is enough"):
        Tools().energy(Point("fifo-rows", 8, 2, True, 1, "dsp", 256, (("rows", 1),)), 1, tmp_path)
    work = tmp_path / "energy"
    assert any(port.to_memory for port in ports) and (work / "memories.v").exists()
    assert 0 < (work / "netlist.v").read_text().count("DFF") < 512, "of the memory of t alone there would be 512"
