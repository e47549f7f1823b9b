# SPDX-License-Identifier: Apache-2.0
"""A board at a terminal device, which here is the simulation's end of a pseudo-terminal: the same commands and checks."""

import os
import subprocess

import pytest

from garner_hw import CommandError
from garner_hw.soc import build, check
from garner_hw.soc.board import SILENT, Board
from garner_hw.soc.system import Refused, Stopped


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


@pytest.mark.parametrize("port, baud", [("/dev/no-such-line", 115200), ("/dev/null", 12345)])
def test_no_such_line_or_speed_is_one_sentence(port, baud):
    with pytest.raises(CommandError):
        Board(port, baud)
