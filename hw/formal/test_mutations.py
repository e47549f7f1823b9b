# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: each of these changes to a module must make its proof fail."""

from pathlib import Path

import pytest

from formal.prove import prove
from harness import BUILD, HW

# The proof of a module, where it is not the task `prove` of its own name
PROOFS = {
    "bus/dma_read": ("bus/dma_read", "wide_prove"),
    "bus/dma_write": ("bus/dma_write", "wide_prove"),
    "bus/descriptor_fetch": ("bus/rings", "prove"),
    "bus/completion_write": ("bus/rings", "prove"),
}

# What is broken, the module, the text and what it becomes
MUTATIONS = [
    ("a word over another", "prim/stage", "out_valid_o ? out_ready_i : !(in_valid_i && ready_q)", "1'b1"),
    ("a word kept", "prim/stage", "if (ready_q) out_data_o", "if (ready_q && in_valid_i) out_data_o"),
    ("a word over the spare one", "prim/skid_buffer", "moves || (ready_q && !in_valid_i)", "1'b1"),
    ("the spare word forgotten", "prim/skid_buffer", "ready_q ? in_data_i : spare_q", "in_data_i"),
    ("the mark of the last operand lost", "top/core_link", "({operand_last_i, operand_data_i})", "({1'b0, operand_data_i})"),
    ("ready with a job on its way", "top/core_link", "core_job_ready_i && !core_job_valid_o", "core_job_ready_i"),
    ("a job for all beside another", "top/dispatcher", "for_all_q ? idle_q : free_q != '0", "for_all_q || free_q != '0"),
    ("operands of the other source", "bus/job_mux", "= operand_data_i[source_q]", "= operand_data_i[0]"),
    ("one source always first", "bus/job_mux", "job_valid_i[!source_q] ? !source_q : source_q", "!job_valid_i[0]"),
    ("a refusal lost beside an answer", "bus/stream_port", "== Idle && !answer_valid_i", "== Idle"),
    ("operands of a packet too long", "bus/stream_port", ".in_drop_i  (too_long || hold_i)", ".in_drop_i  (hold_i)"),
    ("half a packet kept", "bus/stream_port", ".in_drop_i  (too_long || hold_i)", ".in_drop_i  (too_long)"),
    ("an answer without the end of its result", "bus/stream_port", "= result_last_i;", "= 1'b0;"),
    ("no carry into the upper address", "bus/ring_address", "32'(low_q[32])", "32'd0"),
    ("a ring twice as long", "bus/ring_address", "(17'd1 << size_log2_i)", "(17'd2 << size_log2_i)"),
    ("a modulus taken for a key", "rsa/rsa_slots", "holds_q[index] != HoldsKey", "holds_q[index] == HoldsNothing"),
    ("a slot that is being filled still full", "rsa/rsa_slots", "accept_i && (load_q || zeroise_q)", "accept_i && zeroise_q"),
    ("a slot marked while all are cleared", "rsa/rsa_slots", "if (clear_i)", "if (clear_i && !mark_i)"),
    ("a key let in while all are to go", "rsa/rsa_slots", "if (refuse_i) refusal_o", "if (refuse_i && !load_q) refusal_o"),
    ("an exponent of no bits", "rsa/rsa_slots", "upper_none_q || upper_over_q", "upper_over_q"),
    ("an operation over another", "rsa/rsa_dispatch", "if (!valid_q) op_q", "op_q"),
    ("shared regions in both halves", "rsa/rsa_dispatch", "ctx && !is_shared(region)", "ctx"),
    ("the other context's queue asked", "rsa/rsa_dispatch", "op_ready_i[op_o.ctx]", "op_ready_i[0]"),
    ("a word more than there are places", "prim/fifo", "count_q != (PointerWidth+1)'(Depth - 1)", "1'b1"),
    ("a packet let out before its end", "bus/packet_buffer", "read_q != commit_q", "read_q != write_q"),
    ("a dropped packet left where it was", "bus/packet_buffer", "drop ? commit_q : write_q + 1'b1", "write_q + 1'b1"),
    ("a word that has left kept", "bus/packet_buffer", "write || fetch_q[0] || undo_q", "write || undo_q"),
    ("a dropped packet kept", "bus/packet_buffer", "write || fetch_q[0] || undo_q", "write || fetch_q[0]"),
    ("a place that no wipe reaches", "bus/packet_buffer", "CountWidth'(Depth + 3)", "CountWidth'(Depth - 2)"),
    ("a read that is never answered", "bus/registers", "read_ack || write_ack", "write_ack"),
    ("a write that waits for all reads", "bus/registers", "!(read_waits && is_write_q)", "!read_waits"),
    ("a read burst over the end of its page", "bus/dma_read", "(page_beats < 13'(MaxBeats))", "(page_beats == '0)"),
    ("a command that ends with its first burst", "bus/dma_read", "current.last && m_axi_rlast_i && (upper_q",
     "m_axi_rlast_i && (upper_q"),
    ("a word beyond an odd count", "bus/dma_read", "here && !dropped", "here"),
    ("an earlier beat's error lost", "bus/dma_read", "error_q || m_axi_rresp_i", "m_axi_rresp_i"),
    ("a write burst over the end of its page", "bus/dma_write", "(page_beats < 13'(MaxBeats))", "(page_beats == '0)"),
    ("done with an answer missing", "bus/dma_write", "state_q == Answers && answers_q == '0", "state_q == Answers"),
    ("a word strobed that nobody wrote", "bus/dma_write", "upper_q ? 8'hFF : 8'h0F", "8'hFF"),
    ("a descriptor read that is not yet written", "bus/descriptor_fetch", "pending_q != '0", "1'b1"),
    ("a job that does not wait", "bus/descriptor_fetch", "Queue: if (job_ready_i) state_q", "Queue: state_q"),
    ("a completion over one not yet taken", "bus/completion_write", "used_q < size_q", "used_q <= size_q"),
    ("an answer before the last is written", "bus/completion_write", "answer_ready_o = state_q == Idle;",
     "answer_ready_o = state_q == Idle || state_q == Place;"),
]


@pytest.mark.parametrize("bug,module,text,becomes", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_proof_catches(bug, module, text, becomes):
    proof, task = PROOFS.get(module, (module, "prove"))
    source = (HW / "rtl" / f"{module}.sv").read_text()
    assert source.count(text) == 1, f"{text} is not in {module}, or more than once"
    mutant = BUILD / "mutations" / f"{Path(module).name}.sv"
    mutant.parent.mkdir(parents=True, exist_ok=True)
    mutant.write_text(source.replace(text, becomes))
    with pytest.raises(AssertionError, match=r"DONE \(FAIL"):
        prove(HW / "formal" / f"{proof}.sby", task, mutant)
