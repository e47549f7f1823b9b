# SPDX-License-Identifier: Apache-2.0
"""Debian packages in folders of their own (fetch/debian.sh)."""

import subprocess
from pathlib import Path

from garner_hw import FETCH

PACKAGE = "bookworm", "hello"  # a small one


def test_several_processes_that_fetch_the_same_at_once_all_have_it_whole(tmp_path: Path) -> None:
    command = [FETCH / "debian.sh", tmp_path / "hello", *PACKAGE]
    fetching = [subprocess.Popen(command, stderr=subprocess.PIPE, text=True) for _ in range(3)]
    for process in fetching:
        _, said = process.communicate()
        assert process.returncode == 0, said
        greeting = subprocess.run([FETCH / "run.sh", tmp_path / "hello", "hello"], capture_output=True, text=True)
        assert greeting.stdout == "Hello, world!\n", greeting.stderr
