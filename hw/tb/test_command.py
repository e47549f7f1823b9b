# SPDX-License-Identifier: Apache-2.0
"""The `garner-hw` command as a whole: what it does when its output is not read to the end."""

import os
import subprocess
import sys

import pytest

from garner_hw import command

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


def test_broken_pipe_to_a_program_of_ours_is_not_taken_for_a_reader_that_left(monkeypatch, capfd):
    def broken(_: object) -> int:
        raise BrokenPipeError

    monkeypatch.setattr(command, "called", broken)
    with capfd.disabled(), pytest.raises(BrokenPipeError):
        command.main([])
