# SPDX-License-Identifier: Apache-2.0
"""Seeds: `HW_SEED=n` repeats a run. The order of files, so that several workers end together."""

import os
import random

import pytest

SEED = os.environ.setdefault("HW_SEED", str(random.randrange(1 << 32)))
os.environ["COCOTB_RANDOM_SEED"] = SEED


def pytest_report_header():
    return f"HW_SEED={SEED}"


@pytest.fixture(scope="session")
def nextpnr():
    """The words that start the pinned nextpnr; what needs it is left out where apt cannot bring it, as Debian may have another
    by now, or where it cannot run."""
    from garner_hw import ToolError
    from garner_hw.placement import nextpnr

    try:
        return nextpnr.command()
    except ToolError as reason:
        pytest.skip(str(reason))


# The files that take longest, the longest first: one that began last would run when the other workers have nothing left.
LONGEST = ["formal/test_formal.py", "tb/top/test_shell.py", "tb/soc/test_mbedtls.py", "tb/top/test_erasure.py",
           "tb/aes/test_engine.py", "tb/rsa/test_rsa_core.py", "tb/soc/test_soc.py", "tb/test_dist.py", "tb/test_parameters.py",
           "tb/prim/test_primitives.py", "tb/explore/test_tools.py", "tb/soc/test_board.py", "tb/explore/test_sweep.py",
           "tb/top/test_device.py", "tb/mont/test_mont.py"]


def pytest_collection_modifyitems(items):
    order = {file: place for place, file in enumerate(LONGEST)}
    items.sort(key=lambda item: order.get(item.nodeid.partition("::")[0].removeprefix("hw/"), len(order)))
