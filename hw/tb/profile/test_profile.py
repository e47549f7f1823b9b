# SPDX-License-Identifier: Apache-2.0
"""Profiles are read as the profilers wrote them, and the page says what was measured."""

import json
import os
import re
import subprocess
import time
from pathlib import Path

import pytest

from garner_hw import command, profile
from garner_hw.profile import measure, mbedtls, report
from garner_hw.profile.callgraph import Callgraph, Function, from_callgrind, from_gprof, plain
from garner_hw.profile.sensitivity import speed_up

HERE = Path(__file__).parent
# Recorded: one RSA-1024 encryption of the workload under callgrind; four key generations of 512 bits under gprof
CALLGRIND, GPROF = HERE / "encrypt-1024.callgrind", HERE / "keygen-512.gprof"


def test_shares_of_callgrind_are_those_of_its_file():
    graph = from_callgrind(CALLGRIND)
    total = int(re.search(r"^totals: (\d+)", CALLGRIND.read_text(), re.MULTILINE)[1])
    assert graph.cost == total and graph.unit == "instructions"
    assert sum(one.self_share for one in graph.functions.values()) == pytest.approx(1)
    assert graph.functions["encrypt"].share == pytest.approx(1)
    assert graph.hottest().name == "mpi_mul_hlp"
    hot = graph.functions["mpi_mul_hlp"]
    assert hot.share == pytest.approx(hot.self_share) and sum(hot.callers.values()) == hot.calls


def test_calls_of_gprof_are_counted_by_caller():
    graph = from_gprof(GPROF)
    assert graph.functions["mbedtls_rsa_gen_key"].calls == 4
    assert graph.functions["mbedtls_mpi_gen_prime"].callers == {"mbedtls_rsa_gen_key": 8}
    assert graph.share_of_calls("mpi_montmul", "mpi_mul_hlp") > 0.9


@pytest.mark.parametrize(("name", "expected"), [("mpi_montmul'2", "mpi_montmul"), ("f.constprop.0.isra.1", "f"), ("main", "main")])
def test_names_lose_what_tools_add(name, expected):
    assert plain(name) == expected


def test_functions_of_one_name_count_what_either_costs_and_calls_between_them_once(tmp_path):
    file = tmp_path / "callgrind.out"
    file.write_text("""version: 1
events: Ir
fl=a.c
fn=main
1 10
cfn=foo
calls=1 1
1 40
cfn=foo.constprop.0
calls=1 1
1 30
fn=foo
1 30
cfn=foo.constprop.0
calls=1 1
1 10
fn=foo.constprop.0
1 40
totals: 80
""")
    foo = from_callgrind(file).functions["foo"]
    assert (foo.self_share, foo.share, foo.calls) == (pytest.approx(70 / 80), pytest.approx(70 / 80), 3)
    assert foo.callers == {"main": 2}


def test_amdahls_law():
    assert speed_up(0.22, 2) == pytest.approx(1.1236, abs=1e-4)  # the figure of FIU's experiment
    assert speed_up(0.5, float("inf")) == 2 and speed_up(1, float("inf")) == float("inf")
    with pytest.raises(ValueError, match="a share of 1.5"):
        speed_up(1.5, 2)


def test_page_and_data_show_what_was_measured(tmp_path):
    graph = from_callgrind(CALLGRIND)
    measured = measure.Measured(times={("encrypt", 1024): [1.0, 2.0, 6.0]}, instructions={("encrypt", 1024): graph})
    page = report.write(measured, tmp_path).read_text()
    data = json.loads((tmp_path / "profile.json").read_text())
    assert data["times"][0] | {"mean_ms": 3.0, "median_ms": 2.0, "count": 3} == data["times"][0]
    assert data["profiles"][0]["hot_spot"] == "mpi_mul_hlp" and "mpi_mul_hlp" in page
    rows = {row["name"]: row for row in data["profiles"][0]["functions"]}
    assert rows["encrypt"]["speed_up"]["infinite"] is None and rows["encrypt"]["speed_up"]["10"] == pytest.approx(10)
    assert page.count("<svg") == 3 and "{{" not in page
    (power,) = [node for node in branches(data["profiles"][0]["tree"]) if node["name"] == "mbedtls_mpi_exp_mod"]
    assert (f"{report.percent(power['share'])} % mbedtls_mpi_exp_mod, own {report.percent(power['self'])} %") in page


def test_expected_number_of_primality_tests_is_that_of_the_thesis():
    assert report.expected_tests() == pytest.approx(115, rel=0.01)


def test_a_command_that_fails_is_named(capsys, tmp_path):
    assert command.main(["profile", "--command", "false", "--out", str(tmp_path)]) == 2
    assert "false` ended with status 1" in capsys.readouterr().err


def test_names_are_shown_in_plots_as_they_are(tmp_path):
    graph = graph_of({}, {"f$_$": 0.5, "_int_malloc": 0.3, "f$$g": 0.2})
    page = report.write(measure.Measured(own={"odd": graph}), tmp_path).read_text()
    for name in ("f$_$", "_int_malloc", "f$$g"):  # of both plots; an SVG has its texts as comments, too
        assert len(re.findall(rf"<!--  ?{re.escape(name)} -->", page)) == 2, name


def test_no_key_at_all_is_refused(capsys):
    assert command.main(["profile", "--keys", "0"]) == 2
    assert "at least one key" in capsys.readouterr().err


def test_any_command_is_profiled(tmp_path):
    assert command.main(["profile", "--command", "true", "--out", str(tmp_path)]) == 0
    assert json.loads((tmp_path / "profile.json").read_text())["profiles"][0]["title"] == "true"


def test_the_profile_of_a_command_leaves_that_of_mbedtls_and_says_nothing_of_it(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(profile, "OWN", tmp_path)
    (tmp_path / "profile.html").write_text("of mbedTLS")
    assert command.main(["profile", "--command", "true"]) == 0
    page = Path(capsys.readouterr().out.strip())
    assert page == tmp_path / "command" / "profile.html" and (tmp_path / "profile.html").read_text() == "of mbedTLS"
    assert "mbedTLS" not in page.read_text() and "thesis" not in page.read_text()


def test_a_command_that_prints_what_is_no_text_is_profiled(tmp_path):
    assert command.main(["profile", "--command", r"/usr/bin/printf '\377\376'", "--out", str(tmp_path)]) == 0


def graph_of(calls: dict[str, dict[str, float]], own: dict[str, float]) -> Callgraph:
    """Of the shares that functions spend in calls of others, and in their own code."""
    functions = {name: Function(name, share, share + sum(calls.get(name, {}).values()), 1)
                 for name, share in own.items()}
    for caller, callees in calls.items():
        functions[caller].callees = callees
        for callee in callees:
            functions[callee].callers[caller] = 1
    return Callgraph(100, "instructions", functions)


def branches(nodes):
    return [one for node in nodes for one in (node, *branches(node["below"]))]


def test_costs_of_a_function_are_divided_among_the_branches_that_call_it():
    graph = graph_of({"main": {"a": 0.7, "b": 0.3}, "a": {"c": 0.6}, "b": {"c": 0.2}, "c": {"d": 0.4}},
                     {"main": 0.0, "a": 0.1, "b": 0.1, "c": 0.4, "d": 0.4})
    roots, more = report.tree(graph)
    found = {(node["name"], round(node["share"], 6), round(node["self"], 6)) for node in branches(roots)}
    assert found == {("main", 1, 0), ("a", 0.7, 0.1), ("b", 0.3, 0.1), ("c", 0.6, 0.3), ("c", 0.2, 0.1),
                     ("d", 0.3, 0.3), ("d", 0.1, 0.1)}
    assert more == 0


def test_no_branch_costs_less_than_what_is_below_it_and_its_own_code():
    graph = from_callgrind(CALLGRIND)
    nodes = branches(report.tree(graph)[0])
    for node in nodes:
        assert sum(below["share"] for below in node["below"]) + node["self"] <= node["share"] * 1.000001
    for name in ("mpi_mul_hlp", "mpi_sub_hlp", "mbedtls_aes_crypt_ecb"):
        everywhere = sum(node["share"] for node in nodes if node["name"] == name)
        assert 0.9 * graph.functions[name].share < everywhere < 1.000001 * graph.functions[name].share, name


def test_the_call_tree_of_a_recursive_program_has_few_of_its_paths():
    names = [f"f{number}" for number in range(12)]
    calls = {name: {other: 0.9 for other in names if other != name} for name in names}
    roots, more = report.tree(graph_of(calls | {"main": {"f0": 1.0}}, dict.fromkeys(["main", *names], 0.1)))
    assert len(branches(roots)) < 200 and more == 0  # of 108,505,112 paths


def test_the_costliest_branches_of_a_wide_call_tree_are_shown_and_the_page_says_how_many_are_not(tmp_path):
    callers, callees = [f"f{number}" for number in range(20)], [f"g{number}" for number in range(20)]
    calls = {"main": dict.fromkeys(callers, 0.05)} | {one: dict.fromkeys(callees, 0.0025) for one in callers}
    graph = graph_of(calls, dict.fromkeys(["main", *callers], 0.0) | dict.fromkeys(callees, 0.05))
    page = report.write(measure.Measured(own={"wide": graph}), tmp_path).read_text()
    (profile,) = json.loads((tmp_path / "profile.json").read_text())["profiles"]
    shown = branches(profile["tree"])
    assert len(shown) == report.BRANCHES and {"main", *callers} <= {node["name"] for node in shown}
    assert profile["tree_left_out"] == 1 + 20 + 400 - report.BRANCHES
    assert "so are 21 branches" in page


def test_a_deep_call_tree_ends_where_page_and_data_can_have_it(tmp_path):
    names = [f"f{number}" for number in range(2000)]
    graph = graph_of({one: {other: 1.0} for one, other in zip(names, names[1:], strict=False)},
                     dict.fromkeys(names, 0.0) | {names[-1]: 1.0})
    page = report.write(measure.Measured(own={"deep": graph}), tmp_path).read_text()
    (profile,) = json.loads((tmp_path / "profile.json").read_text())["profiles"]
    assert len(branches(profile["tree"])) == report.DEEPEST
    assert f"calls deeper than {report.DEEPEST} are left out" in page


def counted_keys(keys):
    graph = graph_of({}, {"mbedtls_rsa_gen_key": 1.0})
    graph.functions["mbedtls_rsa_gen_key"].calls = keys
    return graph


@pytest.fixture
def programs(monkeypatch):
    """Stand-ins of all that is run, each as if it were the same process; the keys whose calls each gprof sums up, as
    `COUNT SEED`."""
    summed = []

    def run(command, environment=None):
        if command[0] == "gprof":
            summed.append(sorted(Path(word).read_text() for word in command[4:]))
        elif environment:
            Path(f"{environment['GMON_OUT_PREFIX']}.7").write_text(" ".join(command[-2:]))
        return "1.0"

    monkeypatch.setattr(mbedtls, "source", lambda: Path("mbedtls"))
    monkeypatch.setattr(mbedtls, "build", lambda variant: Path("workload"))
    monkeypatch.setattr(measure, "run", run)
    monkeypatch.setattr(measure, "from_gprof", lambda text: counted_keys(sum(int(one.split()[0]) for one in summed[-1])))
    monkeypatch.setattr(measure, "workload_under_callgrind", lambda *given: graph_of({}, {"mpi_mul_hlp": 1.0}))
    return summed


def test_keys_are_counted_in_parts_of_different_seeds_and_all_summed_up(programs):
    said = []
    measured = measure.measure(250, 7, 0, {}, said.append)
    seed = 7 << 20
    assert programs == [[f"100 {seed}", f"100 {seed + 1}", f"50 {seed + 2}"]]
    assert measured.counted and measured.keys == 250
    assert sum("calls counted by gprof" in line for line in said) == 3
    assert set(measured.instructions) == {(operation, bits) for operation in measure.OPERATIONS for bits in measure.SIZES}


def test_two_profiles_at_a_time_count_their_own_keys(programs, monkeypatch):
    """The second begins and ends while the first is under way."""
    count, seeds = measure.count_keys, iter([20])

    def counts(keys, seed, folder):
        count(keys, seed, folder)
        for other in seeds:
            measure.measure(1, other, 0, {}, str)

    monkeypatch.setattr(measure, "count_keys", counts)
    measure.measure(1, 10, 0, {}, str)
    assert programs == [[f"1 {20 << 20}"], [f"1 {10 << 20}"]]


def test_keys_that_are_not_all_counted_are_no_count(programs, monkeypatch):
    monkeypatch.setattr(measure, "from_gprof", lambda text: counted_keys(1))
    with pytest.raises(measure.Failed, match="counted 1 key generations, not 2"):
        measure.measure(2, 1, 0, {}, str)


def test_what_waits_is_not_measured_when_a_program_fails(programs, monkeypatch):
    def fails(*given):
        raise measure.Failed("the first one")

    counted = []
    monkeypatch.setattr(measure, "workload_under_callgrind", fails)
    monkeypatch.setattr(measure.os, "cpu_count", lambda: 1)
    monkeypatch.setattr(measure, "callgrind", lambda command, environment: counted.append(command) or time.sleep(0.2))
    with pytest.raises(measure.Failed, match="the first one"):
        measure.measure(1, 1, 0, {f"own {number}": (["own"], {}) for number in range(20)}, str)
    assert len(counted) < 20


def test_two_runs_of_callgrind_write_two_files(monkeypatch):
    files = []

    def run(command, environment=None):
        files.append(Path(command[3].partition("=")[2]))
        files[-1].write_text(CALLGRIND.read_text())
        return ""

    monkeypatch.setattr(measure, "run", run)
    for _ in range(2):
        measure.callgrind(["true"])
    assert len(set(files)) == 2 and not any(file.exists() for file in files)


def test_a_program_is_compiled_again_where_its_configuration_is_newer(monkeypatch, tmp_path):
    monkeypatch.setattr(mbedtls, "BUILD", tmp_path)
    monkeypatch.setattr(mbedtls, "WORKLOAD", tmp_path / "workload.c")
    monkeypatch.setattr(mbedtls, "source", lambda: tmp_path)
    program, header = tmp_path / "profile" / "workload-plain", tmp_path / "portable.h"
    program.parent.mkdir()
    for file in (mbedtls.WORKLOAD, header, program):
        file.touch()
    now = program.stat().st_mtime
    os.utime(program, (now + 10, now + 10))
    compiled = []
    monkeypatch.setattr(subprocess, "run",
                        lambda command, **_: compiled.append(command) or Path(command[command.index("-o") + 1]).touch()
                        or subprocess.CompletedProcess(command, 0))
    mbedtls.build("plain")
    assert not compiled
    os.utime(header, (now + 20, now + 20))
    mbedtls.build("plain")
    assert len(compiled) == 1


def test_a_source_that_cannot_be_had_is_named(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(mbedtls, "BUILD", tmp_path)
    monkeypatch.setattr(mbedtls, "FETCH", tmp_path)
    (tmp_path / "source.sh").write_text("#!/bin/sh\nexit 1\n")
    (tmp_path / "source.sh").chmod(0o755)
    assert command.main(["profile", "--out", str(tmp_path)]) == 2
    assert "could not be fetched; put it into" in capsys.readouterr().err


def test_the_hot_spots_share_is_given_without_what_came_after_the_thesis():
    def function(name, share):
        return Function(name, share, share, 1)

    graph = Callgraph(100, "instructions", {one.name: one for one in (
        function("mpi_mul_hlp", 0.6), function("mbedtls_ct_mpi_uint_cond_assign", 0.2), function("mpi_montmul", 0.2))})
    assert report.compilation("C", graph) == {"name": "C", "self": 0.6, "self_without_later": pytest.approx(0.75)}


def test_the_data_name_no_folder_of_the_machine():
    assert not any("/" in flag for flags in mbedtls.VARIANTS.values() for flag in flags)
