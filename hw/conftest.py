# SPDX-License-Identifier: Apache-2.0
"""Seeds: `HW_SEED=n` repeats a run."""

import os
import random

SEED = os.environ.setdefault("HW_SEED", str(random.randrange(1 << 32)))
os.environ["COCOTB_RANDOM_SEED"] = SEED


def pytest_report_header():
    return f"HW_SEED={SEED}"
