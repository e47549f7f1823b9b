# SPDX-License-Identifier: Apache-2.0
"""Processes that tests wait for."""

import time
from collections.abc import Callable
from pathlib import Path

SOON = 60  # s; far less on a machine with nothing else to do


def running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")")[1].split()[0] != "Z"
    except FileNotFoundError:
        return False


def wait_until(true: Callable[[], object]) -> None:
    until = time.monotonic() + SOON
    while not true():
        assert time.monotonic() < until
        time.sleep(0.05)
