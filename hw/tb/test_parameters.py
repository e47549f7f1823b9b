# SPDX-License-Identifier: Apache-2.0
"""Parameters that make no sense are refused when the unit is elaborated, with the reason."""

import subprocess
from pathlib import Path

import pytest

from garner_hw import simulate  # noqa: F401 (puts Verilator on the PATH)
from garner_hw.sources import sources

# garner_top with cores that add: what the shell itself refuses
SHELL = "garner_top, cores that add"
CORE_THAT_ADDS = Path(__file__).parent / "top" / "garner_core.sv"


@pytest.mark.parametrize("top, parameters, reason", [
    ("row", {"Algorithm": 1, "Ports": 2}, "Ports must be 2 (not with Fios)"),
    ("row", {"Algorithm": 0, "Ports": 5}, "Ports must be"),
    ("row", {"Algorithm": 2, "W": 15}, "W must be even"),
    ("row", {"Algorithm": 3, "Unroll": 2}, "RowChain is pipelined and not unrolled"),
    ("row", {"Algorithm": 3, "Ports": 2, "Stages": 2}, "with Fold 2, Stages must be odd"),
    ("row", {"Algorithm": 3, "W": 32, "Rows": 8, "Stages": 5}, "the chain is longer than a pass"),
    ("product_scan", {"Ports": 1}, "Ports must be 0, 2, 3 or 4"),
    ("product_scan", {"Multiplier": 4}, "multiply_add: Multiplier must be 0 to 3"),
    ("product_scan", {"Multiplier": 3, "Stages": 4}, "block_mac: Stages must be 3 + Add"),
    ("product_scan", {"Multiplier": 3, "W": 40, "Stages": 5}, "block_mac: W must be at most 18"),
    ("product_scan", {"Multiplier": 2, "Stages": 16}, "array_mac: Stages must be 1 to W - 1"),
    ("hybrid_scan", {"Ports": 1}, "hybrid_scan: Ports must be 0, 2, 3 or 4"),
    ("operand_cache", {"Cached": 4, "Lanes": 3}, "operand_cache: Ports 2, 3, 4 or 0; Lanes divides"),
    ("operand_cache", {"Cached": 4, "Lanes": 4, "Ports": 2}, "with 2 Ports, an even number of times"),
    ("operand_cache", {"W": 32, "Bits": 64, "Stages": 9}, "operand_cache: a pass would read words"),
    ("fifo_rows", {"Ports": 5}, "fifo_rows: Ports must be 2, 3, 4 or 0"),
    ("fifo_rows", {"Rows": 0}, "fifo_rows: Rows must be 1 or more"),
    ("reset_synchroniser", {"Stages": 1}, "reset_synchroniser: Stages must be at least 2"),
    ("mont", {"W": 1}, "mont: W must be at least 2"),
    ("mont", {"Rows": 0}, "mont: Rows must be at least 1"),
    ("mont", {"HopCycles": 3}, "mont_row: HopCycles must be 4, 5 or 6"),
    ("mont", {"HopCycles": 7}, "mont_row: HopCycles must be 4, 5 or 6"),
    ("mont", {"OperandWords": 2}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", {"OperandWords": 100}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", {"OperandWords": 16384}, "mont: OperandWords must be a power of two, 4 to 8192"),
    ("mont", {"ModulusWords": 1}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("mont", {"ModulusWords": 300}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("mont", {"ModulusWords": 1024}, "mont: ModulusWords must be a power of two, 2 to 512"),
    ("exponentiator", {"W": 5}, "exponentiator: W must be at least 6"),
    ("rsa_core", {"MaxBits": 448}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", {"MaxBits": 1000}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", {"MaxBits": 4160}, "rsa_core: MaxBits must be a multiple of 64, 512 to 4096"),
    ("rsa_core", {"KeySlots": 0}, "rsa_core: KeySlots must be 1 to 256"),
    ("rsa_core", {"KeySlots": 257}, "rsa_core: KeySlots must be 1 to 256"),
    ("rsa_core", {"W": 15}, "rsa_core: W must be 16 to 18"),
    ("rsa_core", {"W": 19}, "rsa_core: W must be 16 to 18"),
    ("rsa_core", {"OperandWords": 2048}, "rsa_core: OperandWords must be a power of two and hold 16 regions"),
    ("rsa_core", {"OperandWords": 6000}, "rsa_core: OperandWords must be a power of two and hold 16 regions"),
    ("rsa_core", {"Rows": 114}, "rsa_core: with these Rows"),           # 4096 bits: digits 342, 8,244 times
    ("rsa_core", {"Rows": 235, "W": 18}, "rsa_core: with these Rows"),  # 256 bits of a prime: digits 235
    ("rsa_core", {"Rows": 300}, "rsa_core: with these Rows"),
    (SHELL, {"KeySlots": 256}, "shell: KeySlots must be 1 to 255"),
    (SHELL, {"Rows": 256}, "shell: Rows must be at most 255"),
    (SHELL, {"OperandWords": 65536}, "shell: OperandWords must be at most 32768"),
    (SHELL, {"Cores": 0}, "garner_top: Cores must be 1 to 32"),
    (SHELL, {"Cores": 33, "InFlight": 64}, "garner_top: Cores must be 1 to 32"),
    (SHELL, {"Cores": 4, "InFlight": 4}, "garner_top: InFlight must be more than Cores"),
    (SHELL, {"InFlight": 12}, "dma: InFlight must be a power of two, 2 to 64"),
    (SHELL, {"InFlight": 128}, "dma: InFlight must be a power of two, 2 to 64"),
    (SHELL, {"OperandWords": 256}, "garner_top: OperandWords must hold a key of MaxBits"),
    (SHELL, {"BusWidth": 128}, "BusWidth must be 32 or 64"),
    (SHELL, {"MaxBeats": 48}, "MaxBeats must be a power of two up to 256"),
    (SHELL, {"MaxBeats": 512}, "MaxBeats must be a power of two up to 256"),
    # What a core refuses, garner_top hands on under the core's names
    ("garner_top", {"KeySlots": 0}, "rsa_core: KeySlots must be 1 to 256"),
    ("garner_top", {"Rows": 0}, "mont: Rows must be at least 1"),
], ids=lambda value: "-".join(f"{k}{v}" for k, v in value.items()) if isinstance(value, dict) else
    value if isinstance(value, str) and " " not in value else "")
def test_parameters_that_make_no_sense_are_refused(top, parameters, reason):
    done = elaborated(top, parameters)
    assert done.returncode != 0
    assert reason in done.stderr


@pytest.mark.parametrize("top, parameters", [
    ("rsa_core", {"Rows": 113}),
    ("rsa_core", {"Rows": 234}),
    (SHELL, {"KeySlots": 255, "Rows": 255, "OperandWords": 32768}),
])
def test_the_largest_parameters_are_taken(top, parameters):
    done = elaborated(top, parameters)
    assert "rror" not in done.stderr, done.stderr


def elaborated(top: str, parameters: dict[str, int]) -> subprocess.CompletedProcess:
    top, instead = ("garner_top", [CORE_THAT_ADDS]) if top == SHELL else (top, [])
    command = ["verilator", "--lint-only", "--top-module", top, *(f"-G{k}={v}" for k, v in parameters.items()),
               *map(str, sources(top, instead=instead))]
    return subprocess.run(command, capture_output=True, text=True)
