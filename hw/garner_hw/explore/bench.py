# SPDX-License-Identifier: Apache-2.0
"""Simulates one design as a program of its own: bench.py BENCH PARAMETERS NUMBERS RECORD [OBSERVER...], the last
being sources with modules that are bound to the unit. The model is built where it runs."""

import json
import os
import sys
from importlib import import_module
from pathlib import Path

from garner_hw import simulate
from garner_hw.child import ends_what_it_starts


def main() -> None:
    ends_what_it_starts()  # the simulation is a program of its own
    bench, parameters, numbers, record, *observers = sys.argv[1:]
    if observers:
        os.environ["COCOTB_RANDOM_SEED"] = "1"  # what is recorded, and weighed, is the same in every run
    # Circuits that differ in their multipliers alone have one name and are simulated at the same time.
    simulate.BUILD = Path.cwd() / "simulation"
    import_module(f"garner_hw.explore.benches.{bench}").run(json.loads(parameters), int(numbers), Path(record),
                                                 observers=tuple(map(Path, observers)))


if __name__ == "__main__":
    main()
