# SPDX-License-Identifier: Apache-2.0
"""States of the core whose codes are used where the enumeration cannot be seen: the harness in C++ and the core's proof."""

import re

import pytest

from garner_hw import HW

INTAKE = (HW / "rtl" / "rsa" / "rsa_intake.sv").read_text()
COPIES = {HW / "sim" / "device.cpp": r"kStopped = (\d+);",
          HW / "formal" / "rsa" / "rsa_core_formal.sv": r"StDecode\s*= 4'd(\d+);"}


@pytest.mark.parametrize("file", COPIES, ids=lambda file: file.name)
def test_code_of_a_state_is_the_one_in_the_enumeration(file):
    states = re.findall(r"^    (St\w+)", re.search(r"typedef enum logic.*?\{(.*?)\} \w+;", INTAKE, re.DOTALL)[1], re.MULTILINE)
    (code,) = re.findall(COPIES[file], file.read_text())
    assert int(code) == states.index("StDecode")
