# SPDX-License-Identifier: Apache-2.0
"""A board at a terminal device, which here is the simulation's end of a pseudo-terminal: the same commands and checks."""

import os
import subprocess
import threading

import pytest

from garner_hw import CommandError
from garner_hw.soc import build, check
from garner_hw.soc.board import Board
from garner_hw.soc.system import SILENT, Refused, Stopped


@pytest.fixture
def port():
    """The name of a device that a running system is behind."""
    ours, theirs = os.openpty()
    name = os.ttyname(theirs)
    with subprocess.Popen([build.simulator(8), f"+memory={build.firmware()}", "+cycles=100000000"], stdin=ours, stdout=ours) as system:
        yield name
        system.kill()
    os.close(ours)
    os.close(theirs)


def test_board_answers_checks_and_refuses_as_the_simulation_does(port):
    with Board(port) as board:
        assert check.exp(board, "exp", "sliding", 512, (1 << 40) - 1).fallback == 0
        assert check.exp(board, "mul", "l2r", 96).fallback == 0
        with pytest.raises(Refused, match="base is not below n"):
            board.exp("software", "l2r", 64, (1 << 63) + 1, 1 << 63 | 5, 3)


def test_board_that_stops_is_said(port):
    with Board(port, patience=2) as board:
        with pytest.raises(Stopped) as stopped:
            board.command("read f00f0000")  # nobody is there
        assert stopped.value.code == SILENT and "bus fault" in stopped.value.said
        with pytest.raises(Stopped, match="nothing more in 2 s"):
            board.command("exp 0 1 64 3 1 1")


def test_half_a_line_and_an_old_answer_of_an_interrupted_run_are_not_of_the_next_command(port):
    with Board(port) as board:
        board.write(b"exp 0 1 64 8000000000000001 2 3\nexp 0 1 64 80000000")  # nobody reads the answer
    with Board(port) as board:
        assert board.command("read 0")
        assert check.exp(board, "software", "l2r", 64).fallback == 0


class Line:
    """A terminal device whose other end says `prompt` to the first line, and then, a line for a line, `answers`; it then hangs up
    or is silent."""

    def __init__(self, *answers: bytes, prompt: bytes = b">"):
        self.ours, theirs = os.openpty()
        self.port, self.theirs = os.ttyname(theirs), theirs
        self.thread = threading.Thread(target=self.serve, args=([prompt, *answers],), daemon=True)
        self.thread.start()

    def serve(self, answers: list[bytes]) -> None:
        for answer in answers:
            while os.read(self.ours, 1) != b"\n":
                pass
            if answer is HANG_UP:
                os.close(self.ours)
            else:
                os.write(self.ours, answer)


HANG_UP = b"hang up"


@pytest.mark.parametrize("said, why", [(b"ok zz load 1\n", "ok zz load 1"), (b"ok 1 load 2\n", "ok 1 load 2"),
                                       (b"ok 1 load\n", "ok 1 load"), (b"boot\n", "boot.*no answer"), (HANG_UP, "hung up")])
def test_line_that_is_no_answer_is_in_the_message(said, why):
    with Board(Line(said).port, patience=5) as board, pytest.raises(Stopped, match=why) as stopped:
        board.twin(64, 1, 1, (1 << 63) + 1)
    assert "-1" not in str(stopped.value)


def test_line_without_a_prompt_is_said():
    with pytest.raises(Stopped, match="gave no prompt in 0.3 s"):
        Board(Line(prompt=b"").port, greeting=0.3)


def test_wait_states_are_not_a_boards():
    with Board(Line(b"ok 0\n").port, patience=5) as board:
        with pytest.raises(CommandError, match="no wait states"):
            board.settings(memory_wait=3)
        board.settings(interrupts=True)


@pytest.mark.parametrize("port, baud, why", [("/dev/no-such-line", 115200, "No such file"), ("/dev/null", 12345, "12345 bits"),
                                             ("/dev/null", 0, "0 bits"), ("/dev/null", 115200, "/dev/null is no serial line")])
def test_no_such_line_or_speed_is_one_sentence(port, baud, why):
    with pytest.raises(CommandError, match=why):
        Board(port, baud)


def test_plain_file_is_no_line_and_stays_as_it_is(tmp_path):
    file = tmp_path / "line"
    file.write_text("mine")
    with pytest.raises(CommandError, match="no serial line"):
        Board(str(file))
    assert file.read_text() == "mine"
