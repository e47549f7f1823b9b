# SPDX-License-Identifier: Apache-2.0
"""States of the core whose codes are used where the enumerations cannot be seen: the harness in C++ and the core's proof."""

import re

import pytest

from garner_hw import HW
from garner_hw.sources import states

RTL = HW / "rtl" / "rsa"
PROOF = (HW / "formal" / "rsa" / "rsa_core_formal.sv").read_text()
COPIES = dict(re.findall(r"localparam logic \[3:0\] (St\w+)\s*= 4'd(\d+);", PROOF))
OF_THE_SEQUENCER = ("StNext", "StExecute")


@pytest.mark.parametrize("state", COPIES)
def test_code_of_a_state_in_the_proof_is_the_one_in_the_enumeration(state):
    file = "rsa_sequencer.sv" if state in OF_THE_SEQUENCER else "rsa_intake.sv"
    assert int(COPIES[state]) == states(RTL / file)["state_e"].index(state)


def test_code_of_the_state_in_the_harness_is_the_one_in_the_enumeration():
    (code,) = re.findall(r"kStopped = (\d+);", (HW / "sim" / "device.cpp").read_text())
    assert int(code) == states(RTL / "rsa_intake.sv")["state_e"].index("StDecode")
