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
import sys
from pathlib import Path
from garner_hw.explore import tools
from garner_hw.placement import place
from garner_hw.synthesis import YOSYS
here = Path.cwd()
WORDS = ("lasts", "{}", "1", "record")
"""
BENCH = """
import subprocess
import sys
import types
from garner_hw.explore import bench
sys.modules["garner_hw.explore.benches.lasts"] = types.SimpleNamespace(run=lambda *_, **__: subprocess.run("./lasts"))
bench.main()
"""
RUNS = {"the explorer's": 'tools.run([str(here / "lasts")], "a tool", here / "log")',
        "nextpnr": 'place.place(here / "netlist.json", 8, 1, None)',
        "what Yosys runs": 'subprocess.run([*YOSYS, "script.ys"])',
        "what a bench runs": f'tools.run([sys.executable, "-c", {BENCH!r}, *WORDS], "a bench", here / "log")'}


@pytest.mark.parametrize("tool", RUNS)
def test_a_tool_ends_with_who_runs_it(tmp_path, tool):
    lasts, pid = tmp_path / "lasts", tmp_path / "pid"
    lasts.write_text(LASTS)
    lasts.chmod(0o755)
    (tmp_path / "script.ys").write_text("exec -- ./lasts\n")
    environment = os.environ | {"PYTHONPATH": str(HW), "NEXTPNR_ECP5": str(lasts)}
    with subprocess.Popen([sys.executable, "-c", START + RUNS[tool]], cwd=tmp_path, env=environment) as runs:
        try:
            wait_until(pid.exists)
        finally:
            runs.send_signal(signal.SIGKILL)
    left = int(pid.read_text())
    try:
        wait_until(lambda: not running(left))
    finally:
        if running(left):
            os.kill(left, signal.SIGKILL)


def test_a_program_that_has_ended_leaves_nobody_behind():
    """Nor does who waits for its end keep its output open."""
    program = "from garner_hw.child import ends_what_it_starts; ends_what_it_starts(); print('done')"
    ended = subprocess.run([sys.executable, "-c", program], cwd=HW, capture_output=True, text=True, timeout=60)
    assert ended.stdout == "done\n"
