# SPDX-License-Identifier: Apache-2.0
"""product_scan: whole Montgomery multiplications, column by column."""

import pytest

from garner_hw.explore.benches.multiplier import BLOCK, OPERATOR
from garner_hw.explore.benches.product_scan import run


@pytest.mark.parametrize("parameters", [
    {"W": 16, "Ports": 4, "Bits": 512},
    pytest.param({"W": 32, "Ports": 2, "Stages": 4}, marks=pytest.mark.soak),
    pytest.param({"W": 18, "Ports": 3, "Multiplier": BLOCK}, marks=pytest.mark.soak),
    pytest.param({"W": 8, "Ports": 0, "Unroll": 4, "Stages": 2, "Bits": 256, "Multiplier": OPERATOR},
                 marks=pytest.mark.soak),
], ids=lambda p: "-".join(f"{k}{v}" for k, v in p.items()))
def test_product_scan(parameters):
    run(parameters)
