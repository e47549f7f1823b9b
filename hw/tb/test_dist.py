# SPDX-License-Identifier: Apache-2.0
"""hw/dist and the .core files: what others' tools read is complete, in order and up to date."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from garner_hw import HW, dist, simulate  # noqa: F401 (simulate puts Verilator on the PATH)
from garner_hw.command import main
from garner_hw.interface import load, outputs
from garner_hw.sources import ACCELERATOR, FAMILIES, cells, core_files, manager, sources
from garner_hw.synthesis import YOSYS

WORD_BITS = {"generic": 18, "ecp5": 18, "xilinx7": 17}
FOR_INTEGRATORS = {HW / "rtl" / "prim" / "reset_synchroniser.sv"}  # used by none of ours
FOR_ASSERTIONS = {HW / "rtl" / "rsa" / "wipe_monitor.sv"}


def parameters() -> dict[str, str]:
    """Of garner_top, with their default values as they are written."""
    head = (HW / "rtl" / "top" / "garner_top.sv").read_text().split(") (", 1)[0]
    return dict(re.findall(r"parameter [^=]*?(\w+)\s*= ([^,\s]+)", head))


def ports() -> set[str]:
    return set(re.findall(r"^  (?:input|output)\s+logic[^;]*? (\w+),?\s*(?://.*)?$",
                          (HW / "rtl" / "top" / "garner_top.sv").read_text(), re.MULTILINE))


def test_committed_files_are_what_would_be_generated():
    for path, text in dist.contents().items():
        assert path.exists() and path.read_text() == text, f"{path}: run `make hw-dist` and commit it"


def test_check_names_a_file_that_was_changed_by_hand(monkeypatch, capsys):
    assert main(["dist", "--check"]) == 0
    changed = {path: text + "// by hand\n" * (path.name == "garner_ecp5.f") for path, text in dist.contents().items()}
    monkeypatch.setattr(dist, "contents", lambda: changed)
    assert main(["dist", "--check"]) == 1
    assert capsys.readouterr().err.startswith("hw/dist/garner_ecp5.f is not what the .core files say")


def test_top_that_no_core_file_names_is_refused_in_a_sentence(capsys):
    assert main(["place", "nothing"]) == 2
    assert re.fullmatch(r"garner-hw: no \.core file below \S+ names nothing\n", capsys.readouterr().err)


def test_nothing_else_is_in_dist():
    kept = {"README.md", "include/garner_types.h", *(f"constraints/garner.{kind}" for kind in ("xdc", "sdc", "lpf"))}
    generated = {path for path in (*outputs.render(load()), *dist.contents()) if path.is_relative_to(dist.DIST)}
    found = {str(path.relative_to(dist.DIST)) for path in dist.DIST.rglob("*") if path.is_file()}
    assert found == kept | {str(path.relative_to(dist.DIST)) for path in generated}


@pytest.mark.parametrize("family", FAMILIES)
def test_an_integrator_gets_the_sources_that_are_tested_and_no_others(family):
    tested = set(sources("garner_top", family))
    assert FOR_ASSERTIONS < tested
    assert set(core_files(ACCELERATOR, family, assertions=False)) == tested - FOR_ASSERTIONS | FOR_INTEGRATORS


def test_every_source_is_in_one_core_file_and_in_no_other():
    named = [path.resolve() for core in manager().get_cores().values() for fileset in core.get_data({}).filesets.values()
             for entry in fileset.files for path in (Path(core.core_root) / name for name in entry)
             if path.suffix == ".sv"]
    written = [path for folder in ("rtl", "explore", "dist/rtl", "soc", "syn", "examples") for path in (HW / folder).rglob("*.sv")]
    assert set(written) - {HW / "syn" / "port_core.sv"} <= set(named)  # takes garner_core's place
    assert not [path for path in named if not path.exists()]
    assert len(named) == len(set(named))


@pytest.mark.parametrize("family", [pytest.param(family, marks=[pytest.mark.soak] * (family != "generic")) for family in FAMILIES])
def test_verilator_lints_the_design_from_the_list_alone(family):
    """From the list's folder, and from anywhere; cells of a vendor are what his tools bring, here our models of them."""
    for folder, option in ((dist.DIST, ["-f", f"garner_{family}.f"]), (HW.parent, ["-F", f"hw/dist/garner_{family}.f"])):
        done = subprocess.run(["verilator", "--lint-only", "-Wall", "--top-module", "garner_top",
                               f"-GWordBits={WORD_BITS[family]}", *option, *map(str, cells(family))],
                              cwd=folder, capture_output=True, text=True)
        assert done.returncode == 0 and "%Warning" not in done.stderr, done.stderr[-3000:]


@pytest.fixture
def fusesoc(tmp_path):
    """Runs FuseSoC where nothing is known but what `fusesoc library add garner hw` says."""
    def run(*words: str) -> str:
        command = [sys.executable, "-c", "from fusesoc.main import main; main()", "--config", "fusesoc.conf", *words]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
        assert done.returncode == 0, (done.stdout + done.stderr)[-3000:]
        return done.stdout + done.stderr

    (tmp_path / "fusesoc.conf").touch()
    run("library", "add", "garner", str(HW))
    return run


def test_fusesoc_lints_the_core(fusesoc):
    fusesoc("run", "--target", "lint", ACCELERATOR, "--Cores", "3")


def test_fusesoc_lints_the_board_with_its_own_parameters(fusesoc):
    fusesoc("run", "--target", "lint", "garner:accelerator:board")


@pytest.mark.parametrize("target, constraints", [("ecp5", "garner.lpf"), ("xilinx7", "garner.xdc")])
def test_fusesoc_hands_a_family_its_primitives_and_constraints(fusesoc, tmp_path, target, constraints):
    fusesoc("run", "--setup", "--tool", "verilator", "--target", target, ACCELERATOR)
    (made,) = tmp_path.rglob(f"{target}*/*.eda.yml")
    names = [entry["name"] for entry in yaml.safe_load(made.read_text())["files"]]
    assert any(name.endswith(constraints) for name in names)
    assert {name.split("/")[-2] for name in names if name.endswith("multiplier.sv")} == {target}


def test_fusesoc_runs_the_hello_world(fusesoc):
    said = fusesoc("run", "--target", "hello", "garner:example:multiply")
    assert "  right" in said and "WRONG" not in said


def test_core_file_has_the_parameters_of_garner_top():
    described = yaml.safe_load((HW / "garner.core").read_text().removeprefix("CAPI=2:"))
    ours = {name: value for name, value in parameters().items() if name not in ("ArCache", "AwCache", "AxProt")}
    assert {name: str(int(parameter["default"])) for name, parameter in described["parameters"].items()} == {
        name: value.removeprefix("1'b") for name, value in ours.items()}
    for target in (described["targets"][name] for name in ("default", "lint", "ecp5", "xilinx7")):
        named = [re.sub(r"is_toplevel \? \((\w+)\)", r"\1", name).split("=")[0] for name in target["parameters"]]
        assert named == list(ours)


def test_constraints_name_what_there_is():
    text = {path.suffix: path.read_text() for path in (dist.DIST / "constraints").iterdir()}
    assert set(text) == {".xdc", ".sdc", ".lpf"}
    for constraints in text.values():
        named = re.findall(r'get_ports (\w+)|PORT "(\w+)"', constraints)
        assert named and {first or second for first, second in named} <= ports()
    synchroniser = (HW / "rtl" / "prim" / "reset_synchroniser.sv").read_text()
    assert "chain_q" in synchroniser and "chain_q" in text[".xdc"] and "chain_q" in text[".sdc"]
    top, core = ((HW / "rtl" / "top" / f"{name}.sv").read_text() for name in ("garner_top", "garner_core"))
    assert "reset_buffer u_reset" in top and "reset_buffer u_reset" in core and "u_reset/u_cell" in text[".xdc"]
    assert "u_cell" in (HW / "rtl" / "prim" / "xilinx7" / "reset_buffer.sv").read_text()
    assert "logic reset_n;" in top and "reset_n" in text[".sdc"]


def test_nextpnr_takes_the_constraints(tmp_path, nextpnr):
    """The reset synchroniser alone on an ECP5: the clock has the frequency of the file."""
    script = tmp_path / "script"
    netlist = tmp_path / "netlist.json"
    script.write_text(f"read_slang --top reset_synchroniser {HW / 'rtl' / 'prim' / 'reset_synchroniser.sv'}\n"
                      f"synth_ecp5 -json {netlist}\n")
    subprocess.run([*YOSYS, script], check=True, capture_output=True)
    report = tmp_path / "report.json"
    done = subprocess.run([*nextpnr, "--um-45k", "--package", "CABGA381", "--json", netlist, "--lpf-allow-unconstrained",
                           "--lpf", dist.DIST / "constraints" / "garner.lpf", "--report", report], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    ((_, clock),) = json.loads(report.read_text())["fmax"].items()
    assert round(clock["constraint"]) == 150
