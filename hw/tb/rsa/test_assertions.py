# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs that an assertion in the RTL finds: each stops the simulation in the wipe behind reset, by that name."""

import pytest

from garner_hw import BUILD, HW
from garner_hw.simulate import simulate
from garner_hw.sources import sources

PARAMETERS = {"Rows": 2, "MaxBits": 512, "KeySlots": 1, "OperandWords": 1024}

# What is broken, the module, the text and what it becomes, and the assertion
MUTATIONS = [
    ("a wipe that leaves half of the keys", "rsa/rsa_program_pkg", "pass(LengthMemory, XZero", "pass(LengthHalf, XZero",
     "wipe_ends_when_all_is_zero"),
    ("a job taken while all is erased", "rsa/rsa_intake", "assign job_ready_o = state_q == StOpen;",
     "assign job_ready_o = state_q == StOpen || state_q == StWipe;", "a_wipe_takes_no_job"),
]


@pytest.mark.parametrize("bug, module, text, becomes, assertion", MUTATIONS,
                         ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_assertion_stops_the_simulation(bug, module, text, becomes, assertion, capfd):
    original = HW / "rtl" / f"{module}.sv"
    assert original.read_text().count(text) == 1, f"{text} is not in {module}, or more than once"
    variant = bug.replace(" ", "_")
    mutant = BUILD / "mutations" / variant / original.name
    mutant.parent.mkdir(parents=True, exist_ok=True)
    mutant.write_text(original.read_text().replace(text, becomes))
    with pytest.raises((SystemExit, RuntimeError)):
        simulate("rsa_core", sources("rsa_core", instead=[mutant]), "tb.rsa.test_netlist", PARAMETERS, variant=variant)
    said = capfd.readouterr()
    assert "Assertion failed" in said.out + said.err and assertion in said.out + said.err
