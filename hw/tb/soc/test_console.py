# SPDX-License-Identifier: Apache-2.0
"""The system's command line and console: what they refuse, what they say of an answer, what they do when the system stops."""

import argparse
import subprocess
import sys

import pytest

from garner_hw import CommandError, command
from garner_hw.soc import KEYGEN, LEVELS, add_actions, arguments, console
from garner_hw.soc.console import UNITS, Line, line_parser, prompt, told
from garner_hw.soc.system import Answer, System

ANSWER = Answer(value=7, load=6, cycles=100, monitor=100, moving=1, core=9, fallback=0, status=0, interrupts=0, spurious=0)


@pytest.fixture
def parser():
    parser = Line()
    add_actions(parser)
    return parser


@pytest.mark.parametrize("line", [
    "toy --bytes 0", "toy --bytes -5", "toy --bytes 4294967300", "toy --bytes ten", "twin --count 0", "twin --count -1",
    "keygen --seed -1", "keygen --seed 4294967296", "exp --memory-wait 256", "exp --memory-wait -1", "exp --baud 0",
    "bitstream --rows 0", "bitstream --baud 0", "bitstream --seed -1"])
def test_number_out_of_bounds_is_refused_before_anything_runs(parser, line):
    with pytest.raises(CommandError, match="is not from|no whole number"):
        parser.parse_args(line.split())


@pytest.mark.parametrize("line, why", [("exp --baud 9600", "--port names"),
                                       ("keygen --release 3.6 --port /dev/null", "--release is")])
def test_option_that_would_do_nothing_is_refused(parser, line, why):
    with pytest.raises(CommandError, match=why):
        console.run(parser.parse_args(line.split()))


@pytest.mark.parametrize("line", ["report", "zynq", "console", "energy", "bitstream", "mbedtls --release 3.6",
                                  "exp --port /dev/null"])
def test_what_makes_no_sense_in_the_console_is_refused_there(line):
    with pytest.raises(CommandError, match="invalid choice|unrecognized"):
        line_parser().parse_args(line.split())


def test_names_of_the_command_line_are_those_of_the_description():
    assert set(arguments.HOW) == set(KEYGEN)
    assert set(LEVELS) == set(arguments.MEANINGS) - {"power"} == {*UNITS, "software"}


def said(action: str, level: str, **figures: int) -> str:
    given = argparse.Namespace(action=action, level=level, bits=512, scheme="sliding", how="batched")
    return told(given, Answer(**vars(ANSWER) | figures))


def test_unit_and_reason_are_said_where_software_answered():
    assert "could" not in said("exp", "exp")
    assert "what the row unit could not: the peripheral row has no room" in said("exp", "row", fallback=1, status=0x102)
    assert "what the core could not: length out of range" in said("keygen", "exp", fallback=1, status=4)


def test_key_and_accelerator_are_told_only_where_they_were_used():
    assert "the key was loaded before, in 6 cycles" in said("mbedtls", "op")
    assert "key was" not in said("mbedtls", "mul") and "9 of them in the multiplier" in said("mbedtls", "mul")
    assert "of them" not in said("exp", "software")


@pytest.fixture
def typed(monkeypatch, capfd):
    """What the console prints where these lines are typed, and the systems it started."""
    def through(*lines: str) -> tuple[str, list[System]]:
        waiting, started = iter([*lines, "quit"]), []
        monkeypatch.setattr("builtins.input", lambda prompt: next(waiting))

        def start():
            started.append(System(cycles=20_000))
            return started[-1]

        assert prompt(start) == 0 and next(waiting, None) is None
        return capfd.readouterr().out, started  # of the file: the simulator is built into it where there is none
    return through


def test_console_helps(typed):
    output, _ = typed("help", "exp --help")
    assert "usage: OPERATION" in output and "usage: soc> exp" in output


def test_console_passes_over_an_empty_line(typed):
    assert typed("")[0] == typed()[0]


@pytest.mark.parametrize("line, why", [("exp '", "No closing quotation"), ("report", "invalid choice: 'report'")])
def test_console_says_what_is_wrong_with_a_line_and_goes_on(typed, line, why):
    output, started = typed(line)
    assert why in output and ": error:" not in output and len(started) == 1


def test_console_starts_a_new_system_when_one_stops_and_leaves_none(typed):
    output, started = typed("exp --bits 512")
    assert len(started) == 2 and "20000 cycles, the limit" in output and "started again" in output
    assert all(system.process.returncode is not None for system in started)


@pytest.mark.parametrize("missing", ["riscv64-unknown-elf-objcopy", "/hw/build/soc"])
def test_program_or_folder_that_is_missing_is_one_sentence(monkeypatch, capsys, missing):
    def run(arguments):
        raise FileNotFoundError(2, "No such file or directory", missing)

    monkeypatch.setattr(console, "run", run)
    assert command.main(["soc", "exp"]) == 2
    assert capsys.readouterr().err == f"garner-hw: {missing}: No such file or directory\n"


@pytest.mark.parametrize("said", ["", "gcc: first line\ngcc: last line\n", b"gcc: last line\n"])
def test_program_that_fails_is_named_with_its_last_lines(monkeypatch, capsys, said):
    def run(arguments):
        raise subprocess.CalledProcessError(4, ["gcc", "-o", "x"], stderr=said)

    monkeypatch.setattr(console, "run", run)
    assert command.main(["soc", "exp"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("garner-hw: gcc failed with 4\n") and ("last line" in error) == bool(said)


@pytest.mark.parametrize("line, code, why", [(["--help"], 0, ""), (["soc", "exp"], 2, "garner-hw: soc.toml: told you so\n")])
def test_mistake_in_the_description_is_a_sentence_and_only_of_commands_that_need_it(line, code, why):
    program = ("import sys; from garner_hw.interface import InterfaceError, soc\n"
               "def load(): raise InterfaceError('soc.toml: told you so')\n"
               "soc.load = load\n"
               "from garner_hw import command; sys.exit(command.main(sys.argv[1:]))")
    ended = subprocess.run([sys.executable, "-c", program, *line], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stderr) == (code, why)
