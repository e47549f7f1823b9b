# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: with each of them something of a key is left that was to be erased, and test_erasure.py finds it."""

import pytest

from garner_hw import HW
from tb.mutant import mutant, replaced
from tb.top.test_erasure import Story, differences, loaded, refused, slot_zeroised, stopped

# What is broken, the module, the text and what it becomes, and the story in which it is found
MUTATIONS = [
    ("the scale factor kept", "rsa/lowest_word", "first_i || clear_i;", "first_i;", slot_zeroised(loaded)),
    ("registers kept by OpZeroise", "rsa/rsa_wipe", "(running_o || whole_q);", "running_o;", slot_zeroised(refused)),
    ("an operand of a refused job kept", "rsa/unpacker", "else if (taken && !drain_q) in_q", "else if (taken) in_q",
     stopped(100_000, Story.zeroise)),
    ("memories kept by reset", "bus/shell", "zeroise_state_q <= Start;\n      start_q         <= '0;\n      hold_q          <= 1'b1;",
     "zeroise_state_q <= Work;\n      start_q         <= '0;\n      hold_q          <= 1'b0;", stopped(1_000, Story.reset)),
]


@pytest.mark.parametrize("_bug, module, text, becomes, _tell", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_bug_fits_the_source(_bug, module, text, becomes, _tell):
    replaced(HW / "rtl" / f"{module}.sv", text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("bug, module, text, becomes, tell", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_what_is_left_is_found(bug, module, text, becomes, tell):
    assert differences(tell, bug, mutant(HW / "rtl" / f"{module}.sv", text, becomes, bug))
