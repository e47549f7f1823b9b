# SPDX-License-Identifier: Apache-2.0
"""A tool ends with the process that runs it, also when that one is killed."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tb.processes import running, wait_until

HW = Path(__file__).resolve().parents[1]
LASTS = "#!/bin/sh\necho $$ > pid.new\nmv pid.new pid\nexec sleep 600\n"
START = """
import subprocess
from pathlib import Path
from garner_hw.explore import tools
from garner_hw.placement import place
from garner_hw.synthesis import YOSYS
here = Path.cwd()
"""
# Yosys waits for its script, which is a pipe that says nothing.
RUNS = {"the explorer's": 'tools.run([str(here / "lasts")], "a tool", here / "log")',
        "nextpnr": 'place.place(here / "netlist.json", 8, 1, None)',
        "yosys": 'subprocess.run([*YOSYS, "pipe"])'}


def children(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


@pytest.mark.parametrize("tool", RUNS)
def test_a_tool_ends_with_who_runs_it(tmp_path, tool):
    lasts = tmp_path / "lasts"
    lasts.write_text(LASTS)
    lasts.chmod(0o755)
    os.mkfifo(tmp_path / "pipe")
    environment = os.environ | {"PYTHONPATH": str(HW), "NEXTPNR_ECP5": str(lasts)}
    with subprocess.Popen([sys.executable, "-c", START + RUNS[tool]], cwd=tmp_path, env=environment) as runs:
        try:
            wait_until(lambda: (tmp_path / "pid").exists() or tool == "yosys" and children(runs.pid))
            (left,) = children(runs.pid)
            wait_until(lambda: Path(f"/proc/{left}/comm").read_text() != "setpriv\n")
        finally:
            runs.send_signal(signal.SIGKILL)
    try:
        wait_until(lambda: not running(left))
    finally:
        if running(left):
            os.kill(left, signal.SIGKILL)
