# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs between bus and dispatcher that no proof sees: each must make the shell's tests fail."""

from pathlib import Path

import pytest

from garner_hw import BUILD
from garner_hw.simulate import check, simulate
from garner_hw.sources import sources
from tb.mutant import mutant, replaced
from tb.top.test_shell import CORE, SEEN

# What is broken, the file, the text and what it becomes; the tests that must find it, StreamPort, and which of them
MUTATIONS = [
    ("zeroise waits for a stream that is not there", "shell", "assign stream_quiet    = 1'b1;", "assign stream_quiet    = 1'b0;",
     ("tb.top.no_stream_tests", 0, "zeroise_ends")),
    ("packets taken with nobody to answer them", "shell", "assign s_axis_tready_o = 1'b0;", "assign s_axis_tready_o = 1'b1;",
     ("tb.top.no_stream_tests", 0, "ports_that_are_not_there")),
    ("completions of disabled rings not counted", "ring_control", ".clear_i  (restart_o)",
     ".clear_i  (!is.CONTROL.enable.value)", ("tb.top.interrupt_tests", 1, "completions_are_counted_until")),
    ("completions forgotten that are enough", "interrupt_coalescer", "      enough_q <=", "      enough_q <= !clear_i &&",
     ("tb.top.interrupt_tests", 1, "completions_are_counted_until")),
    ("what was counted kept by rings that begin anew", "ring_control", ".clear_i  (restart_o)", ".clear_i  (1'b0)",
     ("tb.top.interrupt_tests", 1, "completions_are_counted_until")),
    ("one overrun during the other untold", "ring_control", "|(overrun & ~overrun_q)", "overrun != '0 && overrun_q == '0",
     ("tb.top.ring_tests", 1, "overrun_of_a_ring")),
]


def source_of(file: str) -> Path:
    return next(source for source in sources("garner_top") if source.stem == file)


@pytest.mark.parametrize("_bug,file,text,becomes,_tests", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_bug_fits_the_source(_bug, file, text, becomes, _tests):
    replaced(source_of(file), text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("bug,file,text,becomes,tests", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_tests_catch(bug, file, text, becomes, tests):
    module, stream, which = tests
    changed = mutant(source_of(file), text, becomes, bug)
    variant = bug.replace(" ", "-")  # by its name, so that no result of another one is taken for its own
    with pytest.raises(SystemExit):  # so does cocotb's runner end when tests fail; a model that does not build raises else
        simulate("garner_top", sources("garner_top", instead=[CORE, changed]), module, {"Cores": 2, "InFlight": 4, "StreamPort": stream},
                 {"CORES": "2", "BUS_WIDTH": "64", "IN_FLIGHT": "4", "COCOTB_TEST_FILTER": which, "HOST_LIMIT": "20000"},
                 variant=variant, inside=SEEN)
    (results,) = BUILD.glob(f"garner_top-{variant}-*/*.xml")
    with pytest.raises(AssertionError, match="cocotb tests failed"):
        check(results)
