# SPDX-License-Identifier: Apache-2.0
"""Makes `harness` importable from every test folder, and seeds: `HW_SEED=n` repeats a run."""

import os
import random
import sys
from pathlib import Path


sys.path.insert(0, str(Path(__file__).parent))
SEED = os.environ.setdefault("HW_SEED", str(random.randrange(1 << 32)))
os.environ["COCOTB_RANDOM_SEED"] = SEED


def pytest_report_header():
    return f"HW_SEED={SEED}"
