# SPDX-License-Identifier: Apache-2.0
"""The explorer's sweep over a tool chain that fails in every way, on a real Dask cluster of this machine."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import dask
import pytest
from distributed import LocalCluster

from garner_hw import CommandError
from garner_hw.alone import alone
from garner_hw.explore import sweep as module
from garner_hw.explore.evaluate import Effort, evaluate, key_of, steps_of
from garner_hw.explore.space import point_of
from garner_hw.explore.store import Store
from garner_hw.explore.sweep import circuits, cluster, sweep, work
from tb.explore.fake import FakeTools
from tb.processes import running, wait_until

HW = Path(__file__).resolve().parents[2]
EFFORT = Effort(seeds=(1, 2, 3))
POINTS = [point_of({"design": design, "word": 16, "ports": 3}) for design in ("cios", "fios", "two-row")]


@pytest.fixture(scope="module")
def client():
    with cluster(None, 2) as one:
        yield one


@pytest.fixture
def tools(tmp_path):
    return FakeTools(tmp_path / "log")


def rows(points, tools, folder, client, effort=EFFORT):
    return {row.point: row for row in sweep(circuits(points, tools), tools, Store(folder / "points"), effort, client)}


def done(tools) -> list[str]:
    return tools.log.read_text().splitlines() if tools.log.exists() else []


def test_every_point_has_a_row_with_the_median_clock_of_its_placements(tmp_path, tools, client):
    found = rows(POINTS, tools, tmp_path, client)
    assert set(found) == set(POINTS)
    for row in found.values():
        assert row.failure is None
        assert row.figures["mhz"] == 102.0 and row.figures["mhz_range"] == [101.0, 103.0]
        assert row.figures["us"] == pytest.approx(row.figures["cycles"] / 102.0)
    assert len(done(tools)) == 3 * (1 + 1 + 3 + 1)


def test_what_was_measured_is_not_measured_again(tmp_path, tools, client):
    first = rows(POINTS, tools, tmp_path, client)
    tools.log.unlink()
    assert rows(POINTS, tools, tmp_path, client) == first
    assert done(tools) == []


@pytest.mark.parametrize("change", ["version", "content"])
def test_other_sources_or_tools_are_measured_anew(tmp_path, tools, client, change):
    rows(POINTS, tools, tmp_path, client)
    tools.log.unlink()
    setattr(tools, change, "2")
    rows(POINTS, tools, tmp_path, client)
    assert len(done(tools)) == 18


def test_points_that_are_one_circuit_are_measured_once_and_both_have_a_row(tmp_path, tools, client):
    two = [point_of({"design": "two-row", "word": 16, "ports": ports}) for ports in (3, 4)]
    found = rows(two, tools, tmp_path, client)
    assert len(done(tools)) == 6
    assert [found[point].figures["ports"] for point in two] == [3, 4]


@pytest.mark.parametrize("step", ["simulation", "synthesis", "placement", "energy"])
@pytest.mark.parametrize("fault", ["fails", "full", "bug", "dies", "hangs"])
def test_a_point_whose_tool_fails_has_no_row_says_why_and_the_others_go_on(tmp_path, tools, client, step, fault):
    tools.faults = {(step, "fios"): fault}
    found = rows(POINTS, tools, tmp_path, client)
    bad = found.pop(POINTS[1])
    assert bad.figures is None
    assert {"fails": "failed", "full": "No space left", "bug": "surprise", "dies": "worker",
            "hangs": "took more than 1 s; see "}[fault] in bad.failure
    assert all(row.figures and not row.failure for row in found.values())


def test_a_wrong_simulation_is_not_synthesised(tmp_path, tools, client):
    tools.faults = {("simulation", "fios"): "fails"}
    rows(POINTS, tools, tmp_path, client)
    assert not any("fios" in line and not line.startswith("simulation") for line in done(tools))


@pytest.mark.parametrize("step", ["simulation", "placement", "energy"])
def test_what_is_measured_while_the_sources_change_is_not_kept(tmp_path, tools, client, step):
    tools.rtl = tmp_path / "row.sv"
    tools.rtl.write_text("as it was")
    tools.faults = {(step, "fios"): "edit"}
    found = rows(POINTS[1:2], tools, tmp_path, client)
    assert "the sources changed while it was measured" in found[POINTS[1]].failure
    tools.rtl.write_text("as it was")
    tools.faults = {}
    tools.log.unlink()
    assert rows(POINTS[1:2], tools, tmp_path, client)[POINTS[1]].failure is None
    assert len(done(tools)) == 6  # nothing was there any more


def test_a_worker_of_other_sources_refuses_the_point(tmp_path, tools, client):
    outcome = client.submit(work, POINTS[0], "a circuit of other sources", tools, str(tmp_path), EFFORT, {}).result()
    assert "the worker has other sources or tools" in outcome.failure and outcome.steps == {}
    assert not tools.log.exists()


def test_a_failure_is_tried_again_and_only_what_is_missing(tmp_path, tools, client):
    tools.faults = {("placement", "fios"): "fails"}
    rows(POINTS, tools, tmp_path, client)
    tools.faults = {}
    tools.log.unlink()
    assert rows(POINTS, tools, tmp_path, client)[POINTS[1]].failure is None
    assert sorted({line.split()[0] for line in done(tools)}) == ["energy", "placement-1", "placement-2", "placement-3"]


def test_a_file_cut_off_is_measured_again(tmp_path, tools, client):
    rows(POINTS, tools, tmp_path, client)
    cut = next((tmp_path / "points").glob("cios*")) / "synthesis.json"
    cut.write_text(cut.read_text()[:20])
    tools.log.unlink()
    assert all(row.figures for row in rows(POINTS, tools, tmp_path, client).values())
    assert [line.split()[0] for line in done(tools)] == ["synthesis"]


@pytest.mark.parametrize("step", ["simulation", "synthesis", "placement-2", "energy"])
@pytest.mark.parametrize("text", ['{"x": 1}', "5", '{"mhz": 0, "lut": 1}', '{"cycles": null}'])
def test_a_step_without_its_figures_is_measured_again(tmp_path, tools, client, step, text):
    rows(POINTS, tools, tmp_path, client)
    (next((tmp_path / "points").glob("cios*")) / f"{step}.json").write_text(text)
    tools.log.unlink()
    assert all(row.figures for row in rows(POINTS, tools, tmp_path, client).values())
    assert [line.split()[0] for line in done(tools)] == [step]


def test_two_sweeps_of_one_folder_take_turns_at_a_circuit(tmp_path, tools):
    point = POINTS[0]
    folder = Store(tmp_path).folder(key_of(point, tools))
    with ThreadPoolExecutor() as pool:
        with alone(folder.path / folder.path.name):
            waiting = pool.submit(evaluate, point, tools, folder, EFFORT)
            folder.keep("simulation", tools.simulate(point, folder.path))
            folder.clear()  # and whoever comes later waits as well
            later = pool.submit(evaluate, point, tools, folder, EFFORT)
            time.sleep(0.3)
            assert not waiting.done() and not later.done() and done(tools) == [f"simulation {point}"]
        assert waiting.result().failure is None and later.result() == waiting.result()
    assert len(done(tools)) == 1 + len(steps_of(point, EFFORT)), "a step was measured twice"


# The command with the fake tools in place of the real ones.
COMMAND = """
import sys
from pathlib import Path
from garner_hw import command
from garner_hw.explore import tools
from tb.explore.fake import FakeTools

if __name__ == "__main__":
    folder = Path(sys.argv[1])
    tools.Tools = lambda: FakeTools(folder / "log", seconds=0.4, faults=FAULTS)
    sys.exit(command.main(["explore", str(folder / "points.csv"), "--workers", "2", "--seeds", "3", "--out",
                           str(folder / "out"), *sys.argv[2:]]))
"""


def the_command(folder, faults):
    (folder / "command.py").write_text(COMMAND.replace("FAULTS", repr(faults)))
    return [sys.executable, str(folder / "command.py"), str(folder)], os.environ | {"PYTHONPATH": str(HW)}


def started(command, environment):
    # Where the tests run in the background of a shell, SIGINT is ignored, and what they start inherits that.
    return subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, text=True, process_group=0,
                            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_sweep_that_is_ended_leaves_no_program_behind(tmp_path, how):
    (tmp_path / "points.csv").write_text("design,word,ports\ncios,16,3\n")
    process = started(*the_command(tmp_path, {("simulation", "cios"): "lasts"}))
    wait_until((tmp_path / "pid").exists)
    program = int((tmp_path / "pid").read_text())
    process.send_signal(how)
    process.communicate(timeout=60)
    try:
        wait_until(lambda: not running(program))
    finally:
        if running(program):
            os.kill(program, signal.SIGKILL)


@pytest.mark.parametrize("how", [signal.SIGINT, pytest.param(signal.SIGTERM, marks=pytest.mark.soak)])
def test_an_interrupted_sweep_goes_on_where_it_was(tmp_path, how):
    """The whole command, ended by Ctrl-C or `kill` while it measures, and started again."""
    (tmp_path / "points.csv").write_text("design,word,ports\n" + "".join(
        f"{design},{word},3\n" for design in ("cios", "fios", "two-row") for word in (8, 16)))
    command, environment = the_command(tmp_path, {})
    process = started(command, environment)
    log = tmp_path / "log"
    start = time.monotonic()
    while not (log.exists() and len(log.read_text().splitlines()) > 5):
        assert process.poll() is None and time.monotonic() - start < 60
        time.sleep(0.02)
    if how == signal.SIGINT:
        os.killpg(process.pid, how)  # as a terminal does
    else:
        process.send_signal(how)
    said = process.communicate(timeout=60)[1]
    assert process.returncode == 2 and "goes on from here" in said and "Traceback" not in said, said
    first = len(log.read_text().splitlines())
    report = tmp_path / "out" / "report.json"
    assert len(json.loads(report.read_text())["points"]) < 6
    again = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
    assert again.returncode == 0, again.stderr
    done_before = re.search(r"6 points, 6 circuits, (\d+) of them to be measured", again.stderr)
    assert done_before and f"1/{done_before[1]} " in again.stderr, again.stderr
    assert len(json.loads(report.read_text())["points"]) == 6
    lines = log.read_text().splitlines()
    # Only what was under way when the signal came is done twice: a step a worker.
    assert len(lines) > first and len(lines) - len(set(lines)) <= 2


def test_a_scheduler_that_is_not_there_is_named():
    with (dask.config.set({"distributed.comm.timeouts.connect": "1s"}),
          pytest.raises(CommandError, match="--dask tcp://127.0.0.1:1: no Dask scheduler"), cluster("tcp://127.0.0.1:1", None)):
        pass


def test_two_workers_of_a_cluster_elsewhere_share_the_points(tmp_path, tools, client):
    """The cluster by its address, as `--dask` has it; its workers keep what they measure in a place of theirs."""
    tools.seconds = 0.2
    theirs, ours = tmp_path / "theirs", Store(tmp_path / "ours")

    def places(path: Path) -> Path:
        before, module.OWN = module.OWN, path
        return before

    with cluster(client.scheduler.address, None) as other:
        before = set(other.run(places, theirs).values())
        found = list(sweep(circuits(POINTS, tools), tools, ours, EFFORT, other, remote=True))
        other.run(places, before.pop())
    assert all(row.figures for row in found)
    names = set(circuits(POINTS, tools))
    assert {path.name for path in (theirs / "points").iterdir()} == names == {path.name for path in ours.root.iterdir()}
    who = {tuple(line.split(" ", 1)) for line in (tmp_path / "workers").read_text().splitlines()}
    assert len({pid for pid, _ in who}) == 2          # both did some,
    assert len(who) == len(POINTS)                    # and none was done by both
    assert str(os.getpid()) not in {pid for pid, _ in who}


def test_a_cluster_without_workers_is_named_and_waited_for(tmp_path, tools, monkeypatch, capsys):
    monkeypatch.setattr(module, "ALONE", 0.5)
    with (dask.config.set(module.LOCAL),
          LocalCluster(n_workers=0, threads_per_worker=1, dashboard_address=":0") as empty):
        address = empty.scheduler_address
        with cluster(address, None) as client:
            assert f"the scheduler at {address} has no workers; the sweep waits" in capsys.readouterr().err
            empty.scale(1)
            assert rows(POINTS[:1], tools, tmp_path, client)[POINTS[0]].failure is None
        with cluster(address, None):
            assert capsys.readouterr().err == ""


def test_a_point_that_waits_at_a_worker_which_another_kills_is_measured(tmp_path, tools):
    """Dask blames a worker's death on all points that it had been given."""
    tools.faults = {("simulation", "fios"): "dies"}
    with cluster(None, 1) as client:
        found = rows([POINTS[1], POINTS[0]], tools, tmp_path, client)
    assert "worker" in found[POINTS[1]].failure
    assert found[POINTS[0]].failure is None
