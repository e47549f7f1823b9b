# SPDX-License-Identifier: Apache-2.0
"""operand_cache: whole Montgomery multiplications in simulation. To the processor it is a chain of as many rows as it
keeps words, so the processor and the test are those of row.py. hw/explore/tb runs it as a test.
"""

import json
from pathlib import Path

from garner_hw.explore.benches import row
from garner_hw.explore.benches.multiplier import BOOTH
from garner_hw.simulate import simulate
from garner_hw.sources import sources

DEFAULTS = {"W": 16, "Ports": 2, "Cached": 4, "Lanes": 2, "Stages": 3, "Multiplier": BOOTH, "Bits": 1024}


def predicted(parameters: dict) -> int:
    """Cycles, as in the header of operand_cache."""
    cached, lanes, words = parameters["Cached"], parameters["Lanes"], -(-parameters["Bits"] // parameters["W"])
    fold = cached // lanes
    return 2 * -(-words // cached) * fold * (words + cached + 1) + 2 + parameters["Stages"] + lanes + fold


def run(parameters: dict, numbers: int = 6, record: Path | None = None, module: str = row.__name__,
        observers: tuple[Path, ...] = ()) -> None:
    """Simulates one design with the tests of `module`; `record` receives what was measured, as JSON;
    `observers` are sources with modules that are bound to the unit."""
    complete = DEFAULTS | parameters
    as_row = complete | {"Algorithm": row.CHAIN, "Rows": complete["Cached"], "Unroll": 1,
                         "Predicted": predicted(complete)}
    environment = {"ROW": json.dumps(as_row), "NUMBERS": str(numbers), "RECORD": str(record or "")}
    simulate("operand_cache_bench", [*sources("operand_cache_bench"), *observers], module, complete, environment,
             inside=("port_memory",))
