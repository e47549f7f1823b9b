# SPDX-License-Identifier: Apache-2.0
"""A command that is ended, by whatever signal, leaves no simulation and no worker behind, and is not long about it."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from garner_hw.soc import build
from garner_hw.soc.system import System
from tb.processes import SOON, running, wait_until

WORK = """
import sys, time
from functools import partial
from garner_hw.soc import build, report
build.firmware = build.simulator = lambda *arguments: None
def work(number):
    time.sleep(600)
from garner_hw import command, soc
report.run = lambda: report.make([partial(work, number) for number in range(8)])
sys.exit(command.main(["soc", "report"]))
"""


def children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except FileNotFoundError:
        return []


def named(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/comm").read_text().strip()
    except FileNotFoundError:
        return ""


@pytest.mark.parametrize("number, code", [(signal.SIGTERM, 143), (signal.SIGINT, 130), (signal.SIGKILL, -9)])
@pytest.mark.parametrize("arguments, least", [
    (["-m", "garner_hw.command", "soc", "exp", "--level", "software", "--bits", "2048"], 1), (["-c", WORK], 2)])
def test_command_that_is_ended_leaves_nobody_behind(arguments, least, number, code):
    build.simulator(8), build.firmware()  # or the compiler would be the child
    with subprocess.Popen([sys.executable, *arguments], stderr=subprocess.PIPE, text=True,
                          preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL)) as ended:  # ignored in the background
        try:
            wait_until(lambda: len(children(ended.pid)) >= least)
            time.sleep(0.2)
            left = children(ended.pid)
            wait_until(lambda: not any(named(child) == "setpriv" for child in left))  # which is the simulation in a moment
            ended.send_signal(number)
            assert ended.wait(SOON) == code
            wait_until(lambda: not any(map(running, left)))
        finally:
            ended.kill()
        said = ended.stderr.read()
        assert "Traceback" not in said, said


class Interrupted(Exception):
    pass


def interrupt(number, frame):
    raise Interrupted


def test_interrupt_is_not_lost_while_a_system_starts(monkeypatch):
    monkeypatch.setattr(build, "firmware", lambda release, flags=(): "/dev/null")
    monkeypatch.setattr(build, "simulator", lambda *parameters: "true")
    before = signal.signal(signal.SIGALRM, interrupt)
    lost = []
    try:
        for moment in range(20, 6000, 20):  # us; the start takes some 1,500
            try:
                signal.setitimer(signal.ITIMER_REAL, moment / 1e6)
                with System():
                    time.sleep(1)
                lost.append(moment)
            except Interrupted:
                pass
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not lost
