# SPDX-License-Identifier: Apache-2.0
"""The system with words of 17 bits on the device of Sharif 2016: its pins, its record, and that it computes the same."""

import json
from statistics import median

import pytest

from garner_hw.soc import build, check, zynq
from garner_hw.soc.system import System
from tb.soc.ports import ports


def test_every_port_has_a_pad_of_its_own():
    named = ports(build.SOC / "fpga" / f"{zynq.TOP}.sv")
    assert len(named) == 14 and sorted(named) == sorted(zynq.PINS) and len(set(zynq.PINS.values())) == len(named)


def test_committed_record_is_of_checked_answers():
    record = json.loads(zynq.RECORD.read_text())
    assert [run["seed"] for run in record["placements"]] == list(zynq.SEEDS)
    assert record["fmax_mhz"] == median(run["fmax"] for run in record["placements"])
    assert [row["level"] for row in record["rows"]] == list(zynq.LEVELS)
    for row in record["rows"]:
        assert row["checked"] and row["bits"] == zynq.BITS and row["multipliers"] <= 17
        assert row["time_ms"] == pytest.approx(row["cycles"] / record["fmax_mhz"] / 1e3, abs=1e-3)


@pytest.mark.soak  # another simulator to build
@pytest.mark.parametrize("level, bits", [("mul", 96), ("mul", 512), ("exp", 512)])
def test_words_of_17_bits_give_the_same_answers(level, bits):
    with System(rows=4, word=zynq.WORD) as system:
        for scheme in ("sliding", "r2l"):
            assert check.exp(system, level, scheme, bits).fallback == 0
        check.twin(system, bits, 10)
