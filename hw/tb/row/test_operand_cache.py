# SPDX-License-Identifier: Apache-2.0
"""operand_cache: whole Montgomery multiplications. To the processor it is a chain of as many rows as it keeps words, so
the cocotb tests are those of `row`: with a processor that is prompt, with one that hesitates, and cut off by reset."""

import json
import sys
from pathlib import Path

import pytest

from harness import OPERAND_CACHE, rtl, simulate

sys.path.insert(0, str(Path(__file__).parent))
from test_row import CHAIN  # noqa: E402
# They run here:
from test_row import a_pass_cut_off_by_reset_leaves_nothing_behind, products_equal_big_integers  # noqa: E402, F401
from test_row_stalls import products_are_right_however_long_the_processor_takes  # noqa: E402, F401

FOLDER = Path(__file__).parent
DEFAULTS = {"W": 16, "Ports": 2, "Cached": 4, "Lanes": 2, "Stages": 3, "Booth": 1, "Bits": 1024}


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of operand_cache."""
    cached, lanes, words = parameters["Cached"], parameters["Lanes"], -(-parameters["Bits"] // parameters["W"])
    fold = cached // lanes
    return 2 * -(-words // cached) * fold * (words + cached + 1) + 2 + parameters["Stages"] + lanes + fold


def run(parameters: dict, numbers: int = 6, record: Path | None = None) -> None:
    """Simulates one design; `record` receives what was measured, as JSON."""
    complete = DEFAULTS | parameters
    as_row = complete | {"Algorithm": CHAIN, "Rows": complete["Cached"], "Unroll": 1, "Predicted": predicted(complete)}
    environment = {"ROW": json.dumps(as_row), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("operand_cache_bench",
             rtl(*OPERAND_CACHE) + [FOLDER / "port_memory.sv", FOLDER / "operand_cache_bench.sv"],
             "test_operand_cache", FOLDER, complete, environment, inside=("port_memory",))


@pytest.mark.parametrize("parameters", [
    {"W": 16, "Cached": 8, "Lanes": 4, "Stages": 8, "Booth": 2},
    {"W": 32, "Ports": 3, "Cached": 4, "Lanes": 4, "Stages": 5, "Booth": 3, "Bits": 512},
    {"W": 8, "Cached": 16, "Lanes": 1, "Stages": 2, "Booth": 0, "Bits": 256},
    {"W": 18, "Ports": 4, "Cached": 2, "Lanes": 1, "Stages": 3, "Booth": 3, "Bits": 512},
    {"W": 8, "Ports": 0, "Cached": 12, "Lanes": 4, "Stages": 4, "Booth": 1, "Bits": 512},
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_operand_cache(parameters):
    run(parameters)
