# SPDX-License-Identifier: Apache-2.0
"""What the data in bench/results carry beside the figures."""

import os
import platform
import subprocess
import time
from datetime import UTC, datetime
from pathlib import Path

from garner_hw import HW


def surroundings() -> dict:
    """Commit, machine, and the other work on it."""
    def git(*arguments: str) -> str:
        return subprocess.run(["git", "-C", HW, *arguments], capture_output=True, text=True, check=True).stdout.strip()

    def ticks() -> tuple[int, int]:
        user, nice, system, idle, *_ = map(int, Path("/proc/stat").read_text().split()[1:8])
        return user + nice + system, user + nice + system + idle

    before = ticks()
    time.sleep(1)
    busy, every = (b - a for a, b in zip(before, ticks(), strict=True))
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    cpu = next(line.partition(":")[2].strip() for line in lines if line.startswith("model name"))
    return {"commit": git("rev-parse", "HEAD"), "dirty": bool(git("status", "--porcelain")), "load": os.getloadavg()[0],
            "busy": round(busy / every, 2),
            "machine": {"cpu": cpu, "cores": os.cpu_count(), "system": f"{platform.system()} {platform.machine()}",
                        "date": datetime.now(UTC).isoformat(timespec="seconds")}}
