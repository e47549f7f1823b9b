# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: each of these changes to the core's source must make a test of its folder or of hw/tb/exp fail."""

import pytest

from garner_hw import BUILD, HW
from garner_hw.simulate import check, simulate
from garner_hw.sources import sources
from tb.mutant import mutant, replaced

UNPACKER = ("unpacker", "tb.rsa.test_streams", {"W": 18}, r"\.unpacker_")
EXPONENTIATOR = ("exponentiator", "tb.exp.test_exponentiator", {"W": 18}, "nothing_of_an_exponent")
CORE = ("rsa_core", "tb.rsa.test_rsa_core", {"Rows": 8, "W": 18, "MaxBits": 1024, "KeySlots": 2, "OperandWords": 4096},
        "time_depends")

# What is broken, the module, the text and what it becomes, and what finds it
MUTATIONS = [
    ("the last word of an operand kept", "rsa/unpacker", "else if (step && upper_q) in_q <= '0;", "", UNPACKER),
    ("a word kept when all are wiped", "rsa/unpacker", "if (restart_q) in_q <= '0;\n    else if", "if", UNPACKER),
    ("a word kept that was thrown away", "rsa/unpacker", "else if (taken && !drain_q) in_q", "else if (taken) in_q", UNPACKER),
    ("the digit of a stopped power kept", "exp/exponentiator", "b_q         <= '{default: RegionTable};", "", EXPONENTIATOR),
    ("OpPrivate obeys the scheme of its job", "rsa/rsa_exponent", "instruction_i.dual ? SchemeFixedWindow",
     "instruction_i.dual ? job_i.scheme", CORE),
]


@pytest.mark.parametrize("_bug, module, text, becomes, _found_by", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_bug_fits_the_source(_bug, module, text, becomes, _found_by):
    replaced(HW / "rtl" / f"{module}.sv", text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("bug, module, text, becomes, found_by", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_tests_catch(bug, module, text, becomes, found_by):
    top, test_module, parameters, test_filter = found_by
    changed = mutant(HW / "rtl" / f"{module}.sv", text, becomes, bug)
    variant = bug.replace(" ", "_")
    with pytest.raises(SystemExit):  # so does cocotb's runner end when tests fail
        simulate(top, sources(top, instead=[changed]), test_module, parameters,
                 {"W": "18", "ROWS": "8", "COCOTB_TEST_FILTER": test_filter}, variant=variant, inside=("ram", "fifo"))
    (results,) = BUILD.glob(f"{top}-{variant}-*/*.xml")
    with pytest.raises(AssertionError, match="cocotb tests failed"):
        check(results)
