# SPDX-License-Identifier: Apache-2.0
"""Parameters that make no sense are refused when the unit is elaborated, with the reason."""

import subprocess
import sys

import pytest

from harness import CORE, EXP, FIFO_ROWS, HW, HYBRID_SCAN, MONT, OPERAND_CACHE, PRODUCT_SCAN, ROW, RSA, rtl

sys.path.insert(0, str(HW / "tb" / "top"))
from test_shell import sources as with_core  # noqa: E402

SHELL = [HW / "tb" / "top" / "garner_core.sv"]  # garner_top with cores that add: what the shell itself refuses


@pytest.mark.parametrize("top, names, parameters, reason", [
    ("row", ROW, {"Algorithm": 1, "Ports": 2}, "Ports must be 2 (not with Fios)"),
    ("row", ROW, {"Algorithm": 0, "Ports": 5}, "Ports must be"),
    ("row", ROW, {"Algorithm": 2, "W": 15}, "W must be even"),
    ("row", ROW, {"Algorithm": 3, "Unroll": 2}, "RowChain is pipelined and not unrolled"),
    ("row", ROW, {"Algorithm": 3, "Ports": 2, "Stages": 2}, "with Fold 2, Stages must be odd"),
    ("row", ROW, {"Algorithm": 3, "W": 32, "Rows": 8, "Stages": 5}, "the chain is longer than a pass"),
    ("product_scan", PRODUCT_SCAN, {"Ports": 1}, "Ports must be 0, 2, 3 or 4"),
    ("product_scan", PRODUCT_SCAN, {"Booth": 4}, "multiply_add: Booth must be 0 to 3"),
    ("product_scan", PRODUCT_SCAN, {"Booth": 3, "Stages": 4}, "block_mac: Stages must be 3 + Add"),
    ("product_scan", PRODUCT_SCAN, {"Booth": 3, "W": 40, "Stages": 5}, "block_mac: W must be at most 18"),
    ("product_scan", PRODUCT_SCAN, {"Booth": 2, "Stages": 16}, "array_mac: Stages must be 1 to W - 1"),
    ("hybrid_scan", HYBRID_SCAN, {"Ports": 1}, "hybrid_scan: Ports must be 0, 2, 3 or 4"),
    ("operand_cache", OPERAND_CACHE, {"Cached": 4, "Lanes": 3}, "operand_cache: Ports 2, 3, 4 or 0; Lanes divides"),
    ("operand_cache", OPERAND_CACHE, {"Cached": 4, "Lanes": 4, "Ports": 2}, "with 2 Ports, an even number of times"),
    ("operand_cache", OPERAND_CACHE, {"W": 32, "Bits": 64, "Stages": 9}, "operand_cache: a pass would read words"),
    ("fifo_rows", FIFO_ROWS, {"Ports": 5}, "fifo_rows: Ports must be 2, 3, 4 or 0"),
    ("fifo_rows", FIFO_ROWS, {"Rows": 0}, "fifo_rows: Rows must be 1 or more"),
    ("reset_synchroniser", ("prim/reset_synchroniser",), {"Stages": 1}, "reset_synchroniser: Stages must be at least 2"),
    ("mont", MONT, {"W": 1}, "mont: W must be at least 2"),
    ("mont", MONT, {"Rows": 0}, "mont: Rows must be at least 1"),
    ("mont", MONT, {"HopCycles": 3}, "mont_row: HopCycles must be 4, 5 or 6"),
    ("mont", MONT, {"HopCycles": 7}, "mont_row: HopCycles must be 4, 5 or 6"),
    ("mont", MONT, {"OperandWords": 2}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", MONT, {"OperandWords": 100}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", MONT, {"OperandWords": 16384}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", MONT, {"ModulusWords": 1}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("mont", MONT, {"ModulusWords": 300}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("mont", MONT, {"ModulusWords": 1024}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("exponentiator", EXP, {"W": 5}, "exponentiator: W must be at least 6"),
    ("rsa_core", RSA, {"MaxBits": 448}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", RSA, {"MaxBits": 1000}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", RSA, {"MaxBits": 4160}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", RSA, {"KeySlots": 0}, "rsa_core: KeySlots must be 1 to 256"),
    ("rsa_core", RSA, {"KeySlots": 257}, "rsa_core: KeySlots must be 1 to 256"),
    ("rsa_core", RSA, {"W": 15}, "rsa_core: W must be 16 to 18"),
    ("rsa_core", RSA, {"W": 19}, "rsa_core: W must be 16 to 18"),
    ("rsa_core", RSA, {"OperandWords": 2048}, "rsa_core: OperandWords must be a power of two and hold 16 regions"),
    ("rsa_core", RSA, {"OperandWords": 6000}, "rsa_core: OperandWords must be a power of two and hold 16 regions"),
    ("rsa_core", RSA, {"Rows": 114}, "rsa_core: with these Rows"),           # 4096 bits: digits 342, 8,244 times
    ("rsa_core", RSA, {"Rows": 235, "W": 18}, "rsa_core: with these Rows"),  # 256 bits of a prime: digits 235
    ("rsa_core", RSA, {"Rows": 300}, "rsa_core: with these Rows"),
    ("garner_top", SHELL, {"KeySlots": 256}, "shell: KeySlots must be 1 to 255"),
    ("garner_top", SHELL, {"Rows": 256}, "shell: Rows must be at most 255"),
    ("garner_top", SHELL, {"OperandWords": 65536}, "shell: OperandWords must be at most 32768"),
    ("garner_top", SHELL, {"Cores": 0}, "garner_top: Cores must be 1 to 32"),
    ("garner_top", SHELL, {"Cores": 33, "InFlight": 64}, "garner_top: Cores must be 1 to 32"),
    ("garner_top", SHELL, {"Cores": 4, "InFlight": 4}, "garner_top: InFlight must be more than Cores"),
    ("garner_top", SHELL, {"InFlight": 12}, "dma: InFlight must be a power of two, 2 to 64"),
    ("garner_top", SHELL, {"InFlight": 128}, "dma: InFlight must be a power of two, 2 to 64"),
    ("garner_top", SHELL, {"OperandWords": 256}, "garner_top: OperandWords must hold a key of MaxBits"),
    ("garner_top", SHELL, {"BusWidth": 128}, "BusWidth must be 32 or 64"),
    ("garner_top", SHELL, {"MaxBeats": 48}, "MaxBeats must be a power of two up to 256"),
    ("garner_top", SHELL, {"MaxBeats": 512}, "MaxBeats must be a power of two up to 256"),
    # What a core refuses, garner_top hands on under the core's names
    ("garner_top", CORE, {"KeySlots": 0}, "rsa_core: KeySlots must be 1 to 256"),
    ("garner_top", CORE, {"Rows": 0}, "mont: Rows must be at least 1"),
], ids=lambda value: "-".join(f"{k}{v}" for k, v in value.items()) if isinstance(value, dict) else
    value if isinstance(value, str) and " " not in value else "")
def test_parameters_that_make_no_sense_are_refused(top, names, parameters, reason):
    done = elaborated(top, names, parameters)
    assert done.returncode != 0
    assert reason in done.stderr


@pytest.mark.parametrize("top, names, parameters", [
    ("rsa_core", RSA, {"Rows": 113}),
    ("rsa_core", RSA, {"Rows": 234}),
    ("garner_top", SHELL, {"KeySlots": 255, "Rows": 255, "OperandWords": 32768}),
])
def test_the_largest_parameters_are_taken(top, names, parameters):
    done = elaborated(top, names, parameters)
    assert "rror" not in done.stderr, done.stderr


def elaborated(top, names, parameters) -> subprocess.CompletedProcess:
    core = names if names is SHELL else rtl(*names)
    sources = with_core(core) if top == "garner_top" else core
    command = ["verilator", "--lint-only", "--top-module", top, *(f"-G{k}={v}" for k, v in parameters.items()),
               *map(str, sources)]
    return subprocess.run(command, capture_output=True, text=True)
