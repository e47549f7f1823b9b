# SPDX-License-Identifier: Apache-2.0
"""Firmware and simulator are made by one process at a time, and whole or not at all."""

import fcntl
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from time import sleep

import pytest

from garner_hw.alone import alone
from garner_hw.soc import build


def test_two_builds_at_once_are_one(monkeypatch, tmp_path):
    made = []

    def slow(program, options, files, lock):
        made.append(program)
        sleep(0.3)
        program.parent.mkdir()
        program.touch()

    monkeypatch.setattr(build, "BUILD", tmp_path)
    monkeypatch.setattr(build, "simulator_sources", lambda: [])
    monkeypatch.setattr(build, "verilated", slow)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(build.simulator, (8, 8))
    assert made == [first] == [second]


def test_lock_is_held_by_the_programs_that_build_after_their_parent_was_killed(tmp_path):
    code = ("import os, subprocess, sys; from pathlib import Path; from garner_hw.alone import alone\n"
            "with alone(Path(sys.argv[1])) as lock:\n"
            "    subprocess.Popen(['sleep', '1'], pass_fds=(lock,), stdout=subprocess.DEVNULL); print(flush=True); os._exit(9)")
    builder = subprocess.Popen([sys.executable, "-c", code, tmp_path / "made"], stdout=subprocess.PIPE)
    builder.communicate()
    with open(tmp_path / "made.lock") as lock, pytest.raises(BlockingIOError):
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    with alone(tmp_path / "made"):  # when it has ended
        pass
