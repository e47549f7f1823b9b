# SPDX-License-Identifier: Apache-2.0
"""States that proofs below bus and top name by their number: who changes an enumeration changes those proofs, too."""

import pytest

from garner_hw import HW
from garner_hw.sources import states

STATES = {
    ("bus/completion_write", "state_e"): "Idle ResultCommand Result Excess ResultEnd Place Command Completion End",
    ("bus/descriptor_fetch", "ring_state_e"): "RingIdle RingCommand RingRead RingCheck RingFull RingSettle",
    ("bus/descriptor_fetch", "state_e"): "Idle Command Operands Queue Reject",
    ("bus/dma_write", "state_e"): "Idle Page Size Begin Burst Next Answers",
    ("bus/burst_address", "state_e"): "Idle Page Size Offer",
    ("bus/dma_read", "state_e"): "Idle Page Size Offer",
    ("bus/stream_port", "in_state_e"): "First Second Operands Discard Queue Reject",
    ("bus/stream_port", "out_state_e"): "Idle AnswerFirst AnswerSecond Result",
    ("bus/registers", "state_e"): "Idle Access Respond",
    ("top/dispatcher", "job_state_e"): "Take Choose Offer Operands",
    ("top/dispatcher", "answer_state_e"): "Listen Weigh Answer Result",
}


@pytest.mark.parametrize("file, enumeration", STATES)
def test_states_have_the_numbers_that_proofs_use(file, enumeration):
    assert states(HW / "rtl" / f"{file}.sv")[enumeration] == STATES[file, enumeration].split()
