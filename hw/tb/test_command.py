# SPDX-License-Identifier: Apache-2.0
"""The `garner-hw` command as a whole: what it does when its output is not read to the end."""

import os
import shlex
import subprocess
import sys

import pytest

from garner_hw import CommandError, command, sources
from garner_hw.records import recorded

MANY = 100_000  # lines: more than a pipe and Python's buffer hold


def unread(*arguments: str) -> subprocess.CompletedProcess:
    """A run whose standard output nobody reads."""
    reader, writer = os.pipe()
    os.close(reader)
    try:
        return subprocess.run([sys.executable, "-m", "garner_hw.command", *arguments], stdout=writer, stderr=subprocess.PIPE, text=True)
    finally:
        os.close(writer)


@pytest.mark.parametrize("part", ["formal", "explore"])
def test_list_that_nobody_reads_ends_without_a_traceback(part):
    ended = unread(part, "--list")
    assert (ended.returncode, ended.stderr) == (command.CLOSED_PIPE, "")


def test_help_that_nobody_reads_ends_without_a_traceback():
    ended = unread("--help")
    assert ended.returncode in (0, command.CLOSED_PIPE) and not ended.stderr  # argparse may pass over the error


def test_reader_that_leaves_after_a_line_ends_the_command_without_a_traceback(tmp_path):
    program = tmp_path / "many.py"
    program.write_text(f"""import sys
from garner_hw import command
command.called = lambda _: [print(line) for line in range({MANY})] and 0
sys.exit(command.main())
""")
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stdout.readline() == "0\n"
        running.stdout.close()
        assert (running.stderr.read(), running.wait()) == ("", command.CLOSED_PIPE)


BAD = {
    "place nosuch": "no .core file",
    "place mont -G rows=2": "mont has no parameter rows; it has W, Rows",
    "place mont -G Rows": "Rows: a parameter is given as NAME=VALUE",
    "place mont -G Rows=abc": "Rows=abc: a parameter is given as NAME=VALUE",
    "place mont --once nosuch Rows=1": "no source has the module nosuch",
    "place mont --once mont_row Foo=1": "mont_row has no parameter Foo; it has W, HopCycles",
    "place garner_pkg": "'garner_pkg' is not a valid top-level module",
    "measure cores --only place --top nosuch": "no measurement is of a top nosuch",
    "profile --command \"a 'b\"": "No closing quotation",
    "lint --core nosuch": "no .core file has the name nosuch",
    "wave --out /nosuch/wave.svg": "there is no folder /nosuch",
    "wave --out wave.doc": "wave.doc: not a picture's name",
}


@pytest.mark.parametrize("line", BAD)
def test_call_that_cannot_be_done_is_refused_with_what_is_wrong(line, capsys, monkeypatch):
    monkeypatch.setattr(os, "nice", lambda _: 0)  # not of this process
    assert command.main(shlex.split(line)) == 2
    said = capsys.readouterr()
    assert said.err.startswith("garner-hw: ") and BAD[line] in said.err


@pytest.mark.parametrize("line", ["place mont --speed 9", "explore --workers 0", "explore --seeds -1"])
def test_argument_out_of_its_range_is_named(line, capsys):
    with pytest.raises(SystemExit) as ended:
        command.main(line.split())
    assert ended.value.code == 2 and line.split()[-2] in capsys.readouterr().err


def test_record_that_cannot_be_read_is_named(tmp_path):
    path = tmp_path / "mont.json"
    for text, reason in (("{", "Expecting property name"), ("{}", "not a record of a run")):
        path.write_text(text)
        with pytest.raises(CommandError, match=f"mont.json: {reason}.*delete it"):
            recorded(path)


def test_core_file_that_cannot_be_read_is_named(tmp_path, monkeypatch):
    """FuseSoC leaves it out and goes on: its modules would not be linted."""
    (tmp_path / "good.core").write_text("CAPI=2:\nname: a:b:good:1.0\n")
    (tmp_path / "broken.core").write_text("CAPI=2: [\n")
    monkeypatch.setattr(sources, "HW", tmp_path)
    with pytest.raises(CommandError, match="broken.core: not a .core file"):
        sources.manager.__wrapped__()


def test_core_that_does_not_exist_is_named_with_the_file_that_asks_for_it(tmp_path, monkeypatch):
    (tmp_path / "asks.core").write_text("CAPI=2:\nname: a:b:asks:1.0\nfilesets:\n  rtl: {depend: ['ecp5 ? (a:b:nosuch)']}\n")
    monkeypatch.setattr(sources, "HW", tmp_path)
    with pytest.raises(CommandError, match="asks.core: there is no core a:b:nosuch"):
        sources.manager.__wrapped__()


def test_broken_pipe_to_a_program_of_ours_is_not_taken_for_a_reader_that_left(monkeypatch, capfd):
    def broken(_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(command, "called", broken)
    with capfd.disabled(), pytest.raises(BrokenPipeError):
        command.main([])
