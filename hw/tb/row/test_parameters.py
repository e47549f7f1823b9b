"""Parameters that make no sense are refused when the unit is elaborated, with the reason."""

import subprocess

import pytest

from harness import PRODUCT_SCAN, ROW, rtl


@pytest.mark.parametrize("top, sources, parameters, reason", [
    ("row", ROW, {"Algorithm": 1, "Ports": 2}, "Ports must be 2 (not with Fios)"),
    ("row", ROW, {"Algorithm": 0, "Ports": 5}, "Ports must be"),
    ("row", ROW, {"Algorithm": 2, "W": 12}, "W must be even and divide Bits"),
    ("row", ROW, {"Algorithm": 3, "Unroll": 2}, "RowChain is pipelined, not unrolled"),
    ("row", ROW, {"Algorithm": 3, "Ports": 2, "Stages": 2}, "with Fold 2, Stages must be odd"),
    ("row", ROW, {"Algorithm": 3, "W": 32, "Rows": 8, "Stages": 5}, "the chain is longer than a pass"),
    ("product_scan", PRODUCT_SCAN, {"Ports": 1}, "Ports must be 0, 2, 3 or 4"),
], ids=lambda value: "-".join(f"{k}{v}" for k, v in value.items()) if isinstance(value, dict) else "")
def test_parameters(top, sources, parameters, reason):
    command = ["verilator", "--lint-only", "--top-module", top, *(f"-G{k}={v}" for k, v in parameters.items()),
               *map(str, rtl(*sources))]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode != 0
    assert reason in done.stderr
