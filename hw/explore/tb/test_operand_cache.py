# SPDX-License-Identifier: Apache-2.0
"""operand_cache: whole Montgomery multiplications. To the processor it is a chain of as many rows as it keeps words, so
the cocotb tests are those of `row`: with a processor that is prompt, with one that hesitates, and cut off by reset."""

import pytest

# They run here:
from explore.tb.test_row import a_pass_cut_off_by_reset_leaves_nothing_behind  # noqa: F401
from explore.tb.test_row_stalls import products_are_right_however_long_the_processor_takes  # noqa: F401
from garner_hw.explore.benches.multiplier import ARRAY, BLOCK, BOOTH, OPERATOR
from garner_hw.explore.benches.operand_cache import run
from garner_hw.explore.benches.row import products_equal_big_integers  # noqa: F401


@pytest.mark.parametrize("parameters", [
    pytest.param({"W": 16, "Cached": 8, "Lanes": 4, "Stages": 8, "Multiplier": ARRAY}, marks=pytest.mark.soak),
    pytest.param({"W": 32, "Ports": 3, "Cached": 4, "Lanes": 4, "Stages": 5, "Multiplier": BLOCK, "Bits": 512},
                 marks=pytest.mark.soak),
    pytest.param({"W": 8, "Cached": 16, "Lanes": 1, "Stages": 2, "Multiplier": OPERATOR, "Bits": 256},
                 marks=pytest.mark.soak),
    {"W": 18, "Ports": 4, "Cached": 2, "Lanes": 1, "Stages": 3, "Multiplier": BLOCK, "Bits": 512},
    pytest.param({"W": 8, "Ports": 0, "Cached": 12, "Lanes": 4, "Stages": 4, "Multiplier": BOOTH, "Bits": 512},
                 marks=pytest.mark.soak),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_operand_cache(parameters):
    run(parameters, module=__name__)
