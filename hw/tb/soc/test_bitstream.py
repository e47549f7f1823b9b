# SPDX-License-Identifier: Apache-2.0
"""The system for a ULX3S board: its pins, its clocks, and that it fits."""

import re
from collections import Counter

import pytest

from garner_hw.soc import build
from garner_hw.soc.bitstream import PINS, TOP, made
from garner_hw.soc.ulx3s import CLOCKS, Build
from tb.soc.ports import ports

LUT, DSP, EBR = 83_640, 156, 208  # of an LFE5U-85F


def test_every_port_of_the_board_has_one_pin_and_its_voltage():
    named = ports(build.SOC / "fpga" / f"{TOP}.sv")
    located = re.findall(r'^LOCATE COMP "(\S+)" SITE "(\w+)";', PINS.read_text(), re.MULTILINE)
    assert len(named) == 13 and sorted(port for port, _ in located) == sorted(named)
    assert set(Counter(pin for _, pin in located).values()) == {1}
    assert sorted(re.findall(r'^IOBUF PORT "(\S+)" .*IO_TYPE=LVCMOS33', PINS.read_text(), re.MULTILINE)) == sorted(named)


@pytest.mark.parametrize("clock", CLOCKS)
def test_pll_makes_the_clock_within_its_limits(clock):
    divide, multiply = CLOCKS[clock]
    assert 25 / divide * multiply == clock and 25 / divide >= 10  # of its phase detector, FPGA-DS-02012
    output = round(600 / clock)  # as soc_ulx3s computes it
    assert 400 <= clock * output <= 800
    assert Build(clock=clock).parameters()["Feedback"] == multiply


@pytest.mark.soak  # minutes: synthesis, placement and routing
def test_bitstream_is_made_fits_and_reaches_its_clock():
    record = made(Build(), 1)
    assert record["fmax"] >= record["board"]["clock"] and record["hardware"] == "not run on hardware"
    assert 0 < record["LUT"] <= LUT and 0 < record["DSP"] <= DSP and 0 < record["EBR"] <= EBR
    assert record["EBR"] * 2048 >= record["board"]["memory"] * 1024 and record["bitstream_bytes"] > 100_000
