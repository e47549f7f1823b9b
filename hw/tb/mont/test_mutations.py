# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: each of these changes to the multiplier's source must make its tests fail."""

from pathlib import Path

import pytest

from garner_hw import BUILD
from garner_hw.simulate import check, simulate
from garner_hw.sources import sources
from tb.mutant import mutant, replaced

# What is broken, the file, the text and what it becomes
MUTATIONS = [
    ("a carry of t + a*b dropped", "mont_row", "y_carry_q     <= y_sum[W] & ~last_y", "y_carry_q     <= 1'b0"),
    ("the carry into the next pass kept", "mont_row", "z_carry_q     <= z_sum[W] & ~last_z", "z_carry_q     <= z_sum[W]"),
    ("the carry into the top word dropped", "mont_row", "y_top_q + W'(z_carry_top_q)", "y_top_q"),
    ("a carry of the reduction dropped", "mont_row", "{o_carry_q, o_o} <= o_sum", "{o_carry_q, o_o} <= {1'b0, o_sum[W-1:0]}"),
    ("the top word of the sum lost", "mont_row", "top_z ? z_top_q : z_q", "z_q"),
    ("one pass too many", "mont_sequencer", "count_t'(config_i.passes) - count_t'(1)", "count_t'(config_i.passes)"),
    ("a digit too few", "mont_sequencer", "count_t'(config_i.digits) - count_t'(1)", "count_t'(config_i.digits) - count_t'(2)"),
    ("digits beyond the operand read", "mont", "a_valid_4 ? a_word : '0", "a_word"),
    ("the next pass a cycle too early", "mont_sequencer", "TimeWidth'(PassCycles - 4)", "TimeWidth'(PassCycles - 5)"),
    ("the partial sum not cleared", "mont", "t_valid_late ? t_word : '0", "t_word"),
    ("the contexts' moduli confused", "mont", "here_q      <= {slot_1.ctx,", "here_q      <= {1'b0,"),
    ("both contexts' results in one place", "mont", "d_address[slot_early.ctx]", "d_address[0]"),
]


def source_of(file: str) -> Path:
    return next(source for source in sources("mont") if source.stem == file)


@pytest.mark.parametrize("_bug,file,text,becomes", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_bug_fits_the_source(_bug, file, text, becomes):
    replaced(source_of(file), text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("bug,file,text,becomes", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_tests_catch(bug, file, text, becomes):
    number = [name for name, *_ in MUTATIONS].index(bug)
    changed = mutant(source_of(file), text, becomes, bug)
    variant = f"mutation{number}"
    with pytest.raises(SystemExit):  # so does cocotb's runner end when tests fail; a model that does not build raises else
        simulate("mont", sources("mont", instead=[changed]), "tb.mont.test_mont", {"Rows": 2, "W": 16, "HopCycles": 4},
                 {"ROWS": "2", "W": "16", "HOP": "4", "BITS": "62,126"}, variant=variant)
    (results,) = BUILD.glob(f"mont-{variant}-*/*.xml")
    with pytest.raises(AssertionError, match="cocotb tests failed"):
        check(results)
