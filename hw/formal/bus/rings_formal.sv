// SPDX-License-Identifier: Apache-2.0
// descriptor_fetch and completion_write: a host that keeps the rules never sees an index overtake. The submission head
// stays behind the tail, the completion tail at most a ring ahead of the host's head; every descriptor that was read
// becomes exactly one job or one reject, and every answer or reject one completion.
module rings_formal
  import garner_pkg::*;
  import bus_pkg::*;
(
  input logic        clk_i,
  input logic [3:0]  log2_i,            // of both rings, constant
  input logic        hold_i,
  input logic        rung_i,            // the host writes one more descriptor, if there is room
  input logic        took_i,            // the host takes one more completion, if there is one
  input logic        command_ready_i,
  input read_word_t  read_i,
  input logic        read_id_i,
  input logic        operand_ready_i,
  input logic        job_ready_i,
  input logic        context_valid_i,
  input logic        answer_valid_i,
  input answer_t     answer_i,
  input context_t    answer_context_i,
  input logic        result_valid_i,
  input logic        result_last_i,
  input logic        write_command_ready_i,
  input logic        write_ready_i,
  input logic        write_done_i,
  input logic        write_error_i
);

  logic        rst_ni;
  logic [3:0]  log2_q;
  logic [15:0] submission_tail_q, completion_head_q, submission_head, completion_tail, size;
  logic        submission_overrun, completion_overrun, fetched, more, quiet, command_id, read_ready, context_take;
  logic        job_valid, reject_ready, descriptor_fault, operand_fault, written, marked, failed, answer_ready;
  logic        result_ready, write_end, result_fault, completion_fault;
  command_t    command, write_command;
  read_word_t  operand;
  write_word_t write;
  logic [3:0]  context_index;
  context_t    context_fresh;
  job_t        job;
  reject_t     reject;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  descriptor_fetch u_fetch (
    .clk_i,
    .rst_ni,
    .enable_i          (1'b1),
    .hold_i,
    .restart_i         (1'b0),
    .ring_i            ('{base: '0, log2: log2_q, tail: submission_tail_q}),
    .head_o            (submission_head),
    .overrun_o         (submission_overrun),
    .fetched_o         (fetched),
    .more_o            (more),
    .quiet_o           (quiet),
    .command_o         (command),
    .command_ready_i,
    .command_id_o      (command_id),
    .read_i,
    .read_ready_o      (read_ready),
    .read_id_i,
    .operand_o         (operand),
    .operand_ready_i,
    .operand_free_i    (10'd512),
    .context_valid_i,
    .context_index_i   ('0),
    .context_take_o    (context_take),
    .context_index_o   (context_index),
    .context_o         (context_fresh),
    .job_valid_o       (job_valid),
    .job_ready_i,
    .job_o             (job),
    .reject_o          (reject),
    .reject_ready_i    (reject_ready),
    .descriptor_fault_o(descriptor_fault),
    .operand_fault_o   (operand_fault)
  );

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i         (1'b0),
    .ring_i            ('{base: '0, log2: log2_q, head: completion_head_q}),
    .tail_o            (completion_tail),
    .overrun_o         (completion_overrun),
    .submission_head_i (submission_head),
    .written_o         (written),
    .interrupt_o       (marked),
    .failed_o          (failed),
    .answer_valid_i,
    .answer_ready_o    (answer_ready),
    .answer_i,
    .context_i         (answer_context_i),
    .result_valid_i,
    .result_ready_o    (result_ready),
    .result_i          ('{last: result_last_i, data: '0}),
    .reject_i          (reject),
    .reject_ready_o    (reject_ready),
    .command_o         (write_command),
    .command_ready_i   (write_command_ready_i),
    .write_o           (write),
    .write_ready_i,
    .write_done_i,
    .write_end_o       (write_end),
    .write_error_i,
    .result_fault_o    (result_fault),
    .completion_fault_o(completion_fault)
  );

  logic       descriptor_asked_q, operands_asked_q;
  logic [1:0] held_q;       // descriptors read and neither job nor reject yet
  logic       begun_q;      // out of reset for a cycle
  logic [15:0] claimed, unread, untaken;
  logic       completion_command;
  logic       writing_q;    // a completion's write is under way
  logic       completing_q; // an answer or reject was taken and is not yet written
  logic [2:0] ended_q;      // {result, job with operands, reject}: some was written, or came of a descriptor
  logic       command_waits_q, reject_waits_q, job_waits_q, id_q;
  job_t       job_q;
  logic [1:0][15:0] heads_q, tails_q;  // of the last two cycles: as long takes ring_address

  // A completion may be seen, and taken, as soon as its words are under way.
  assign size    = 16'd1 << log2_q;
  assign completion_command = u_complete.state_q == 4'd6;  // Command, not ResultCommand
  assign claimed = completion_tail + 16'(writing_q);
  assign unread  = submission_tail_q - submission_head;
  assign untaken = claimed - completion_head_q;

  always_ff @(posedge clk_i) begin
    begun_q         <= rst_ni;
    log2_q          <= rst_ni ? log2_q : log2_i;
    command_waits_q <= rst_ni && command.valid && !command_ready_i;
    reject_waits_q  <= rst_ni && reject.valid && !reject_ready;
    job_waits_q     <= rst_ni && job_valid && !job_ready_i;
    job_q           <= job;
    id_q            <= command_id;
    heads_q         <= {heads_q[0], submission_head};
    tails_q         <= {tails_q[0], completion_tail};
    if (!rst_ni) begin
      submission_tail_q  <= '0;
      completion_head_q  <= '0;
      descriptor_asked_q <= 1'b0;
      operands_asked_q   <= 1'b0;
      held_q             <= '0;
      completing_q       <= 1'b0;
      ended_q            <= '0;
      writing_q          <= 1'b0;
    end else begin
      if (rung_i && 16'(submission_tail_q - submission_head) != size) submission_tail_q <= submission_tail_q + 1'b1;
      if (took_i && completion_head_q != claimed) completion_head_q <= completion_head_q + 1'b1;
      if (command.valid && command_ready_i && !command_id) descriptor_asked_q <= 1'b1;
      if (command.valid && command_ready_i && command_id) operands_asked_q <= 1'b1;
      if (fetched) descriptor_asked_q <= 1'b0;
      if (operand.valid && operand_ready_i && operand.last) operands_asked_q <= 1'b0;
      ended_q <= ended_q | {u_complete.state_q == 4'd4 && write_done_i,  // ResultEnd
                            job_valid && job_ready_i && has_operands(job.op), reject.valid && reject_ready};
      held_q <= held_q + 2'(fetched) - 2'(job_valid && job_ready_i) - 2'(reject.valid && reject_ready);
      if ((answer_valid_i && answer_ready) || (reject.valid && reject_ready)) completing_q <= 1'b1;
      if (written) completing_q <= 1'b0;
      if (write_command.valid && write_command_ready_i && completion_command) writing_q <= 1'b1;
      if (written) writing_q <= 1'b0;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // the reader gives only what it was asked for
      if (read_i.valid && !read_id_i) assume (descriptor_asked_q);
      if (read_i.valid && read_id_i) assume (operands_asked_q);
      // a result has words: descriptor_fetch rejects what asks for one and has no place for it
      if (answer_valid_i && answer_i.has_result) assume (answer_context_i.result_words != '0);

      // what the modules have noted of the distances, up to two cycles ago: the host's index can only have moved on
      assert (u_fetch.ring_state_q <= 3'd5 && u_complete.state_q <= 4'd8);
      assert (u_fetch.size_q == (begun_q ? size : '0) && u_complete.size_q == u_fetch.size_q);
      assert (u_fetch.pending_q <= size && u_complete.used_q <= size);
      if (u_fetch.ring_state_q != 3'd3) assert (u_fetch.pending_q <= unread);                           // Check
      if (u_fetch.ring_state_q inside {3'd0, 3'd5} && u_fetch.more_q) assert (unread != '0);            // Idle, Settle
      if (u_fetch.ring_state_q inside {3'd1, 3'd2}) assert (unread != '0);                              // Command, Read
      assert (u_fetch.state_q <= 3'd4 && (u_fetch.state_q != 3'd1 || u_fetch.ring_state_q == 3'd4));    // Command, Full
      assert (held_q == 2'(u_fetch.ring_state_q inside {3'd3, 3'd4}) + 2'(u_fetch.state_q inside {[3'd2:3'd4]}));
      assert (operands_asked_q == (u_fetch.state_q == 3'd2));
      assert (completing_q == (u_complete.state_q != 4'd0));
      assert (descriptor_asked_q == (u_fetch.ring_state_q == 3'd2));
      assert (writing_q == u_complete.writing);
      if (u_complete.state_q != 4'd7) assert (u_complete.word_q == '0);
      assert (u_complete.used_q + 16'(u_complete.state_q == 4'd7 && u_complete.word_q == '0) >= untaken ||
              !begun_q);                                                                                // Completion
      if (!(u_complete.state_q == 4'd7 && u_complete.word_q <= 2'd1) && u_complete.room_q) assert (untaken < size);

      assert (!submission_overrun && !completion_overrun);
      assert (unread <= size);
      assert (untaken <= size);
      if (fetched) assert (unread != '0);
      // one job or one reject for each, one completion for each answer or reject
      assert (held_q != 2'd3);
      if (job_valid || reject.valid) assert (held_q != '0);
      assert (!(job_valid && reject.valid));
      if (written) assert (completing_q);
      if (answer_ready) assert (!completing_q);
      if (command_waits_q) assert (command.valid && command_id == id_q);
      // the address on offer is that of the index
      if (command.valid && !command_id) assert (heads_q == {2{submission_head}});
      if (write_command.valid && completion_command) assert (tails_q == {2{completion_tail}});
      if (reject_waits_q) assert (reject.valid);
      if (job_waits_q) assert (job_valid && job == job_q);

      // both rings have been gone through twice, with operands read, a reject, and a result written
      cover (log2_q == 4'd0 && submission_head == 16'd2 && completion_tail == 16'd2 && ended_q == 3'b111);
    end
  end

endmodule
