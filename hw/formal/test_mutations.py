# SPDX-License-Identifier: Apache-2.0
"""Seeded bugs: each of these changes to a module must make its proof fail."""

import pytest

from garner_hw import HW
from garner_hw.formal.prove import prove
from tb.mutant import mutant, replaced

# The proof of a module, where it is not the task `prove` of its own name
PROOFS = {
    "bus/dma_read": ("bus/dma_read", "wide_prove"),
    "bus/dma_write": ("bus/dma_write", "wide_prove"),
    "bus/descriptor_fetch": ("bus/rings", "prove"),
    "bus/completion_write": ("bus/rings", "prove"),
}

# What is broken, the module, the text and what it becomes; the proof, if it is another one, and how it ends. A bug that no
# short run from reset shows ends as UNKNOWN: the proof no longer holds, and there is no trace from reset.
COMPLETIONS = ("bus/completions", "prove")
CONTEXTS = ("bus/contexts", "prove")
DESCRIPTORS = ("bus/descriptors", "prove")
ROUTING = ("top/dispatcher_routing", "start")
CORE = ("rsa/rsa_core", "prove")
ROUND = ("aes/aes_round", "prove")
INVERSE_ROUND = ("aes/aes_inverse_round", "prove")
MUTATIONS = [
    ("a gate of the S-box", "aes/aes_sbox", "t[25] & t[27]", "t[25] | t[27]"),
    ("another constant of the affine map", "aes/aes_inverse_sbox", "= aes_pkg::unaffine(inner)", "= aes_pkg::unaffine(~inner)",
     ("aes/aes_sbox", "prove")),
    ("columns mixed upwards", "aes/aes_pkg", "mixed[c+r] = xtime(a[c+r] ^ a[c+(r+1)%4]) ^ a[c+(r+1)%4]",
     "mixed[c+r] = xtime(a[c+r] ^ a[c+(r+3)%4]) ^ a[c+(r+1)%4]", ROUND),
    ("a key added in the last round twice", "aes/generic/aes_round", "shifted ^ key_i", "shifted ^ add_i ^ key_i", ROUND),
    ("a bit of twice a byte from the wrong table", "aes/ecp5/aes_round", "8'b0001_1010", "8'b0001_1000",
     ("aes/aes_round_cells", "table")),
    ("a column prepared once too little", "aes/aes_pkg", "xtime(xtime(a[c+r] ^ a[c+(r+2)%4]))", "xtime(a[c+r] ^ a[c+(r+2)%4])",
     INVERSE_ROUND, "UNKNOWN"),
    ("the round key of the next block", "aes/aes_inverse_round", "keys_q[boxed_place_q]", "keys_q[place_i]", INVERSE_ROUND, "UNKNOWN"),
    ("a word of a longer key's schedule from the key before", "aes/aes_long_key_step",
     "in_third ? prior[8-Back+1] ^ prior[8-Back] ^ prior[7] : prior[7]", "prior[7]", ("aes/aes_long_key_step", "bits192")),
    ("a round constant left out", "aes/aes_key_step", "(words[1] ^ base[2] ^ constant)", "(words[1] ^ base[2])"),
    ("a word over another", "prim/stage", "out_valid_o ? out_ready_i : !(in_valid_i && ready_q)", "1'b1"),
    ("a word kept", "prim/stage", "if (ready_q) out_data_o", "if (ready_q && in_valid_i) out_data_o"),
    ("a word over the spare one", "prim/skid_buffer", "moves || (ready_q && !in_valid_i)", "1'b1"),
    ("the spare word forgotten", "prim/skid_buffer", "ready_q ? in_data_i : spare_q", "in_data_i"),
    ("the mark of the last operand lost", "top/core_link", "(jobs_i.operand)", "({1'b0, jobs_i.operand.data})"),
    ("ready with a job on its way", "top/core_link", "core_jobs_i.job_ready && !core_jobs_o.job_valid",
     "core_jobs_i.job_ready"),
    ("a job for all beside another", "top/dispatcher", "for_all_q ? idle_q : free_q != '0", "for_all_q || free_q != '0"),
    ("the cycles of another core for a job for all", "top/dispatcher", "start_q[all_q ? '0 : core_q]", "start_q[core_q]", ROUTING),
    ("the source of another core's job", "top/dispatcher", "|(source_q & core_bit_q)", "source_q[0]", ROUTING),
    ("the source of the job on its way", "top/dispatcher", "|(source_q & core_bit_q)", "job_source_q", ROUTING),
    ("the tag of the job on its way", "top/dispatcher", "<= response_q.tag", "<= job_q.tag", ROUTING),
    ("the result of another core", "top/dispatcher", "cores_i[core_q].result", "cores_i[0].result", ROUTING),
    ("a result announced for another core's job", "top/dispatcher", "|(has_result_q & core_bit_q)", "|has_result_q", ROUTING),
    ("operands to cores that have another job", "top/dispatcher", "? target_q & ~taken_q :", "? ~taken_q :", ROUTING),
    ("an operand word twice", "top/dispatcher", "taken_q | (target_q & core_operand_ready)", "taken_q", ROUTING),
    ("a job to a core that has one", "top/dispatcher", "~busy_q & core_job_ready", "core_job_ready", ROUTING),
    ("a status that is not the worst", "top/dispatcher", "if (response_q.status > answer_q.status)", "if (1'b1)", ROUTING),
    ("a job of the other source", "bus/job_mux", "= sources_i[source_q];", "= sources_i[0];"),
    ("results of packets to the rings", "bus/job_mux", "result_source_q <= jobs_i.answer.source;", "result_source_q <= 1'b0;"),
    ("answers of the rings as packets", "bus/job_mux", "jobs_i.answer_valid && 1'(i) == jobs_i.answer.source",
     "jobs_i.answer_valid"),
    ("the answer of the next job for the result", "bus/job_mux", "if (jobs_i.answer_valid && jobs_o.answer_ready)", "if (jobs_i.answer_valid)"),
    ("one source always first", "bus/job_mux", "waits[!source_q] ? !source_q : source_q", "!waits[0]"),
    ("a refusal lost beside an answer", "bus/stream_port", "== Idle && !jobs_i.answer_valid", "== Idle"),
    ("operands of a packet too long", "bus/stream_port", ".in_drop_i  (too_long || hold_i)", ".in_drop_i  (hold_i)"),
    ("the limit of a packet seen a word late", "bus/stream_port", "FreeWidth'(OperandWords - 2)", "FreeWidth'(OperandWords - 1)"),
    ("half a packet kept", "bus/stream_port", ".in_drop_i  (too_long || hold_i)", ".in_drop_i  (too_long)"),
    ("an answer without the end of its result", "bus/stream_port", "= jobs_i.result.last;", "= 1'b0;"),
    ("no carry into the upper address", "bus/ring_address", "32'(low_q[32])", "32'd0"),
    ("a ring twice as long", "bus/ring_address", "(17'd1 << size_log2_i)", "(17'd2 << size_log2_i)"),
    ("a modulus taken for a key", "rsa/rsa_slots", "holds_q[index] != HoldsKey", "holds_q[index] == HoldsNothing"),
    ("a slot that is being filled still full", "rsa/rsa_slots", "accept_i && (load_q || zeroise_q)", "accept_i && zeroise_q"),
    ("a slot marked while all are cleared", "rsa/rsa_slots", "if (clear_i)", "if (clear_i && !mark_i)"),
    ("a key let in while all are to go", "rsa/rsa_slots", "if (refuse_i) refusal_o", "if (refuse_i && !load_q) refusal_o"),
    ("an exponent of no bits", "rsa/rsa_slots", "upper_none_q || upper_over_q", "upper_over_q"),
    ("the key of the slot below", "rsa/rsa_decode", "slot_address_t'({slot_number, offset[SlotWidth-1:0]})",
     "slot_address_t'({slot_number, offset[SlotWidth-1:0]} - SlotAddressWidth'(1))"),
    ("a field beyond its slot", "rsa/rsa_decode", "FieldE:        offset = 1 + 5 * FullWords + 6 * HalfWords;",
     "FieldE:        offset = (1 << SlotWidth) - 1;"),
    ("a result in the slot of its key", "rsa/rsa_decode", "FieldResult:   begin work = 1'b1;", "FieldResult:   begin work = 1'b0;"),
    ("the key of the job that waits", "rsa/rsa_intake", "      unique case (state_q)\n",
     "      if (job_valid_i) job_q <= job_i;\n      unique case (state_q)\n", CORE),
    ("the key of slot 0 for every job", "rsa/rsa_core", ".slot_i(wiping ? '0 : job.slot",
     ".slot_i(1'b1 ? '0 : job.slot"),
    ("a job taken while all is erased", "rsa/rsa_intake", "assign job_ready_o = state_q == StOpen;",
     "assign job_ready_o = state_q == StOpen || state_q == StWipe;", CORE),
    ("a job that was stopped never answered", "rsa/rsa_intake", "default: if (done_i) state_q <= StDrain;",
     "default: if (done_i) state_q <= StClosed;", CORE),
    ("a job stopped whose result is announced", "rsa/rsa_wipe", "state_q == Asked && !announced_i",
     "state_q == Asked", CORE),
    ("a job lost that comes with a wipe", "rsa/rsa_intake",
     "          if (job_valid_i) state_q <= StDecode;\n          else if (wipe_asked_i) state_q <= StWipe;",
     "          if (wipe_asked_i) state_q <= StWipe;\n          else if (job_valid_i) state_q <= StDecode;", CORE),
    ("a stopped job answered as if it had ended", "rsa/rsa_intake",
     "          if (stopped_i) begin\n            status_q <= StatusEmptySlot;\n            state_q  <= StStopped;\n          end\n"
     "          if (respond_i) state_q <= StAnnounce;  // status_q is StatusOk",
     "          if (stopped_i) state_q <= StStopped;\n"
     "          if (respond_i) state_q <= StAnnounce;  // status_q is StatusOk", CORE),
    ("a wipe asked for during another forgotten", "rsa/rsa_wipe", "default: if (done_i) state_q <= Asked;",
     "default: if (done_i) state_q <= Clean;", CORE),
    ("a wipe asked for when another begins forgotten", "rsa/rsa_wipe",
     "Asked:   if (begin_i) state_q <= rises ? RunningAsked : Running;", "Asked:   if (begin_i) state_q <= Running;", CORE),
    ("a pass beside multiplications", "rsa/rsa_sequencer", "assign may_start = !uses_mont_q || quiet_i;",
     "assign may_start = 1'b1;", CORE),
    ("an exponentiation left before its end", "rsa/rsa_sequencer", "if (exponent_done_q) state_q",
     "if (exponent_o) state_q", CORE),
    ("words of a wipe sent as a result", "rsa/rsa_sequencer", "to_stream_q && !wiping_i", "to_stream_q", CORE),
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
    ("a command that ends with its first burst", "bus/dma_read", "current.last && m_axi_i.rlast && (upper_q",
     "m_axi_i.rlast && (upper_q"),
    ("a word beyond an odd count", "bus/dma_read", "here && !dropped", "here"),
    ("an earlier beat's error lost", "bus/dma_read", "error_q || m_axi_i.rresp", "m_axi_i.rresp"),
    ("a write burst over the end of its page", "bus/dma_write", "(page_beats < 13'(MaxBeats))", "(page_beats == '0)"),
    ("done with an answer missing", "bus/dma_write", "state_q == Answers && answers_q == '0", "state_q == Answers"),
    ("a word strobed that nobody wrote", "bus/dma_write", "upper_q ? 8'hFF : 8'h0F", "8'hFF"),
    ("the data of a read to every master", "bus/axi_mux", "m_axi_i.rvalid && 32'(m_axi_rid_i) == m", "m_axi_i.rvalid"),
    ("the data of a write before its address", "bus/axi_mux", "m_axi_i.wready && owner_valid && owner[m]",
     "m_axi_i.wready && owner[m]"),
    ("the data of a write of the next master", "bus/axi_mux", "m_axi_i.wready && m_axi_o.wlast", "m_axi_i.wready"),
    ("an address that goes while it is shown", "bus/axi_mux", "      if (!ar_shown_q) begin", "      begin"),
    ("the length of a read of another master", "bus/axi_mux", "= masters_i[m].arlen;", "= masters_i[0].arlen;"),
    ("the address of a write of another master", "bus/axi_mux", "= masters_i[m].awaddr;", "= masters_i[0].awaddr;"),
    ("a master that waits for ever", "bus/axi_turn", "if (taken_i) last_q", "if (!rst_ni) last_q", ("bus/axi_mux", "prove")),
    ("a burst of blocks over the end of its page", "bus/burst_address", "page_beats < 13'(MaxBeats)", "page_beats == '0"),
    ("a group of blocks left at a page's end", "bus/burst_address", "last_q           <= ends;", "last_q           <= 1'b1;"),
    ("an address without its carry", "bus/burst_address", "+ 26'(far_carry_q)", ""),
    ("a descriptor read that is not yet written", "bus/descriptor_fetch", "pending_q != '0", "1'b1"),
    ("a job that does not wait", "bus/descriptor_fetch", "Queue: if (job_ready_i) state_q", "Queue: state_q"),
    ("a context for two jobs", "bus/context_table", "if (answered_q) taken_q[answered_index_q]", "if (take_i) taken_q[answered_index_q]",
     CONTEXTS, "UNKNOWN"),
    ("a context overwritten before its answer", "bus/context_table", "if (take_i) table_q", "if (rst_ni) table_q",
     CONTEXTS, "UNKNOWN"),
    ("the context of the answer before", "bus/context_table", "= table_q[answer_index_i]", "= table_q[answered_index_q]",
     CONTEXTS, "UNKNOWN"),
    ("the slot of the next descriptor", "bus/descriptor_fetch", "job_q     <= job;",
     "job_q     <= job;\n      job_q.slot <= descriptor_q[0][7:0];", DESCRIPTORS, "UNKNOWN"),
    ("a job with the operands of the one before", "bus/descriptor_fetch", "state_q         <= read_i.error ? Reject : Queue",
     "state_q         <= read_i.error ? Idle : Queue", DESCRIPTORS, "UNKNOWN"),
    ("the context of the next descriptor", "bus/descriptor_fetch", "context_o       = context_q", "context_o       = fresh",
     DESCRIPTORS, "UNKNOWN"),
    ("operands of the ring's address", "bus/descriptor_fetch", "command_id_o ? descriptor.operand_address",
     "pass_on ? descriptor.operand_address", DESCRIPTORS, "UNKNOWN"),
    ("a completion over one not yet taken", "bus/completion_write", "used_q < size_q", "used_q <= size_q"),
    ("the phase of a ring of 2^15", "bus/completion_write", "(tail_q & size_q) == '0", "(tail_q[14:0] & size_q[14:0]) == '0",
     COMPLETIONS, "UNKNOWN"),
    ("the phase of a ring of 2^8 and more", "bus/completion_write", "16'd1 << ring_i.log2", "16'd1 << ring_i.log2[2:0]",
     COMPLETIONS),
    ("the context of a reject for an answer", "bus/completion_write", "from_answer ? context_i : reject_i.job_context",
     "reject_i.valid ? reject_i.job_context : context_i", COMPLETIONS),
    ("another descriptor's index", "bus/completion_write", "index: context_q.index", "index: tail_q", COMPLETIONS, "UNKNOWN"),
    ("a word of the result too many", "bus/completion_write", "words_q == 16'd2", "words_q == 16'd1", COMPLETIONS, "UNKNOWN"),
    ("an answer before the last is written", "bus/completion_write", "answer_ready_o = state_q == Idle;",
     "answer_ready_o = state_q == Idle || state_q == Place;"),
]


@pytest.mark.parametrize("_bug, module, text, becomes", [entry[:4] for entry in MUTATIONS],
                         ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_bug_fits_the_source(_bug, module, text, becomes):
    replaced(HW / "rtl" / f"{module}.sv", text, becomes)


@pytest.mark.mutation
@pytest.mark.parametrize("mutation", MUTATIONS, ids=[bug.replace(" ", "-") for bug, *_ in MUTATIONS])
def test_proof_catches(mutation):
    bug, module, text, becomes, *other = mutation
    proof, task = other[0] if other else PROOFS.get(module, (module, "prove"))
    with pytest.raises(AssertionError, match=rf"DONE \({other[1] if other[1:] else 'FAIL'}"):
        prove(HW / "formal" / f"{proof}.sby", task, mutant(HW / "rtl" / f"{module}.sv", text, becomes, bug))
