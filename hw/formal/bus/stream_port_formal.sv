// SPDX-License-Identifier: Apache-2.0
// stream_port: a packet that keeps to the rules becomes one job and its operands, one that does not is answered once,
// with its tag and what was wrong, and leaves no job and no operand. An answer leaves whole: tag, status, cycles, then
// its result to the last word. Order is kept, what is offered stays, and whatever can move does. A packet of which a
// part is here when the port is held is one that does not keep to the rules, and nothing of it is inside from then on.
module stream_port_formal
  import garner_pkg::*;
  import ring_pkg::*;
  import descriptor_pkg::*;
  import bus_pkg::*;
(
  input logic             clk_i,
  input logic             hold_i,
  input logic             wipe_i,
  input axis_t            in_i,
  input logic             tready_i,
  input from_dispatcher_t jobs_i,
  input logic [3:0]       watched_i       // which job, refusal and operand are followed: any
);

  localparam int unsigned OperandWords = 4;
  localparam int unsigned Ahead = 2;        // words of the buffer beyond its memory

  logic           rst_ni;
  logic           wiping, quiet, answered, failed, tready;
  axis_t          out;
  to_dispatcher_t jobs;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  stream_port #(
    .OperandWords(OperandWords)
  ) u_port (
    .clk_i,
    .rst_ni,
    .hold_i,
    .wipe_i,
    .wiping_o       (wiping),
    .quiet_o        (quiet),
    .answered_o     (answered),
    .failed_o       (failed),
    .s_axis_i       (in_i),
    .s_axis_tready_o(tready),
    .m_axis_o       (out),
    .m_axis_tready_i(tready_i),
    .jobs_o         (jobs),
    .jobs_i
  );

  // The packet that comes in, as its words alone have it.
  logic [2:0]  place_q;             // of the next word; stays at OperandWords + 2
  logic [31:0] first_q, second_q, first, second;
  logic        word, ends;
  job_t        asked;
  status_e     status;              // of the packet, if this word is its last
  completion_header_t answer;      // its first word
  logic        good;
  logic        over, drops, dropped_q;  // is to be refused anyway; dropped for `hold_i` now; was

  assign word   = in_i.tvalid && tready;
  assign ends   = word && in_i.tlast;
  assign first  = place_q == 3'd0 ? in_i.tdata : first_q;
  assign second = place_q == 3'd1 ? in_i.tdata : second_q;
  assign asked  = unpack_job(first, second);
  assign answer = completion_header_t'({32'd0, out.tdata});
  assign good   = status == StatusOk;
  assign over   = place_q >= 3'd2 && (reserved_job_bits(first_q, second_q) || !has_operands(asked.op) ||
                                      place_q == 3'(OperandWords + 2));
  assign drops  = hold_i && place_q != 3'd0 && !over && !dropped_q && (place_q == 3'd1 || u_port.buffer_ready);

  always_comb begin
    status = StatusOk;
    if (dropped_q) status = StatusEmptySlot;
    else if (place_q == 3'd0) status = StatusBadLength;
    else if (reserved_job_bits(first, second)) status = StatusBadDescriptor;
    else if (has_operands(asked.op) ? place_q == 3'd1 || place_q == 3'(OperandWords + 2) : place_q != 3'd1) begin
      status = StatusBadLength;
    end
  end

  in_order #(
    .Width ($bits(job_t)),
    .Places(5),
    .Eager (1'b0),
    .Reach (1'b0)
  ) u_jobs (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_i.tvalid && in_i.tlast && good),
    .in_ready_i (tready),
    .in_data_i  (asked),
    .out_valid_i(jobs.job_valid),
    .out_ready_i(jobs_i.job_ready),
    .out_data_i (jobs.job),
    .watched_i
  );

  // The answer that goes out.
  logic [1:0] part_q;               // of its next word: tag and status, cycles, result
  logic       ours_q;               // it is that of the dispatcher; else a refusal
  answer_t    ours;

  in_order #(
    .Width ($bits(response_t)),
    .Places(2),
    .Eager (1'b0),
    .Reach (1'b0)
  ) u_refusals (
    .clk_i,
    .rst_ni,
    .in_valid_i (in_i.tvalid && in_i.tlast && !good),
    .in_ready_i (tready),
    .in_data_i  ({status, asked.tag}),
    .out_valid_i(out.tvalid && !ours_q && part_q == 2'd0),
    .out_ready_i(tready_i),
    .out_data_i ({answer.status, answer.tag}),
    .watched_i
  );

  // Operands: those of good packets, in order.
  logic [3:0]  committed_q, given_q, held, watched_q;
  logic [2:0]  dry_q;               // cycles in which there are some and none is on offer
  logic [32:0] followed_q;          // {last, data}

  assign held = committed_q - given_q;

  // Where the followed ones are while they are inside.
  logic [3:0]  job_before, refusal_before, words_before;  // those ahead of it
  job_t        job_inside;
  response_t   refusal_inside;
  logic [32:0] word_inside;

  assign job_before     = u_jobs.watched_q - u_jobs.read_q;
  assign refusal_before = u_refusals.watched_q - u_refusals.read_q;
  assign words_before   = watched_q - given_q;
  assign job_inside     = job_before < 4'(u_port.u_jobs.count_q) ?
                          u_port.u_jobs.words_q[2'(u_port.u_jobs.read_q + 2'(job_before))] : u_port.job;
  assign refusal_inside = (refusal_before == '0 && u_port.out_state_q == 2'd1 && !ours_q) ?
                          {u_port.out_status_q, u_port.out_tag_q} : {u_port.status_q, u_port.job.tag};

  always_comb begin
    if (words_before == '0 && jobs.operand_valid) word_inside = jobs.operand;
    else if (words_before == 4'd1 && !u_port.u_operands.u_ahead.ready_q) begin
      word_inside = u_port.u_operands.u_ahead.spare_q;
    end else if (words_before < 4'(u_port.u_operands.ahead_q)) begin
      word_inside = u_port.u_operands.fetch_q[1] ? u_port.u_operands.u_memory.read_data_o :
                                                   u_port.u_operands.u_memory.word_q;
    end else begin
      word_inside = u_port.u_operands.u_memory.memory[watched_q[1:0]];
    end
  end

  // Of the cycle before: what was offered and not taken, and what has to follow from it.
  logic        in_waits_q, out_waits_q, operand_waits_q, answer_waits_q, result_waits_q;
  logic [32:0] in_q, out_q, operand_q, result_q;  // {last, data}
  answer_t     answer_q;
  logic        job_due_q, refusal_due_q, ended_q, failed_q;
  logic        settled_q;  // it was held and quiet, without operands, or in reset

  always_ff @(posedge clk_i) begin
    watched_q       <= rst_ni ? watched_q : watched_i;
    in_waits_q      <= rst_ni && in_i.tvalid && !tready;
    out_waits_q     <= rst_ni && out.tvalid && !tready_i;
    operand_waits_q <= rst_ni && jobs.operand_valid && !jobs_i.operand_ready;
    answer_waits_q  <= rst_ni && jobs_i.answer_valid && !jobs.answer_ready;
    result_waits_q  <= rst_ni && jobs_i.result_valid && !jobs.result_ready;
    in_q            <= {in_i.tlast, in_i.tdata};
    out_q           <= {out.tlast, out.tdata};
    operand_q       <= jobs.operand;
    answer_q        <= jobs_i.answer;
    result_q        <= jobs_i.result;
    job_due_q       <= rst_ni && u_jobs.held != 4'(jobs.job_valid && jobs_i.job_ready);
    refusal_due_q   <= rst_ni && u_refusals.held != '0 && !ours_q && !out.tvalid;
    ended_q         <= rst_ni && out.tvalid && tready_i && out.tlast;
    failed_q        <= !ours_q || ours.status != StatusOk;
    settled_q       <= !rst_ni || (hold_i && quiet && held == '0);
    if (!rst_ni) begin
      dropped_q   <= 1'b0;
      place_q     <= '0;
      part_q      <= '0;
      ours_q      <= 1'b0;
      committed_q <= '0;
      given_q     <= '0;
      dry_q       <= '0;
    end else begin
      dropped_q <= !ends && (dropped_q || drops);
      if (word) begin
        if (place_q == 3'd0) first_q <= in_i.tdata;
        if (place_q == 3'd1) second_q <= in_i.tdata;
        if (in_i.tlast) place_q <= '0;
        else if (place_q != 3'(OperandWords + 2)) place_q <= place_q + 1'b1;
        if (place_q inside {[3'd2:3'(OperandWords + 1)]} && 4'(committed_q + 4'(place_q) - 4'd2) == watched_q) begin
          followed_q <= {in_i.tlast, in_i.tdata};
        end
      end
      if (ends && good && has_operands(asked.op)) committed_q <= committed_q + 4'(place_q) - 4'd1;
      if (jobs.operand_valid && jobs_i.operand_ready) given_q <= given_q + 1'b1;
      dry_q <= (held == '0 || jobs.operand_valid) ? '0 : dry_q + 1'b1;

      if (jobs_i.answer_valid && jobs.answer_ready) begin
        ours_q <= 1'b1;
        ours   <= jobs_i.answer;
      end else if (out.tvalid && tready_i && out.tlast) begin
        ours_q <= 1'b0;
      end
      if (out.tvalid && tready_i) part_q <= out.tlast ? 2'd0 : part_q == 2'd2 ? 2'd2 : part_q + 1'b1;
    end
  end

  always_comb begin
    if (rst_ni) begin
      // the sender, the dispatcher and the shell keep their contracts
      if (in_waits_q) assume (in_i.tvalid && {in_i.tlast, in_i.tdata} == in_q);
      if (answer_waits_q) assume (jobs_i.answer_valid && jobs_i.answer == answer_q);
      if (result_waits_q) assume (jobs_i.result_valid && jobs_i.result == result_q);
      if (wipe_i) assume (settled_q);
      if (wipe_i || wiping) assume (hold_i);

      // how the counts here go with the module's own, which makes the rest inductive
      assert (place_q <= 3'(OperandWords + 2));
      unique case (u_port.in_state_q)
        3'd0: assert (place_q == 3'd0 && !dropped_q);                                               // First
        3'd1: assert (place_q == 3'd1 && !dropped_q && u_port.status_q == StatusBadLength && u_port.words_q == '0);  // Second
        3'd2: assert (place_q inside {[3'd2:3'(OperandWords + 1)]} && !dropped_q && has_operands(asked.op) &&
                      !reserved_job_bits(first_q, second_q) && u_port.words_q == place_q - 3'd2);  // Operands
        3'd3: assert (over || (dropped_q && place_q != '0));                          // Discard
        default: assert (place_q == 3'd0 && !dropped_q && u_port.in_state_q <= 3'd5);               // Queue, Reject
      endcase
      if (u_port.in_state_q != 3'd0) assert (u_port.first_q == first_q);
      if (u_port.in_state_q inside {3'd1, 3'd2}) assert (u_port.at_limit_q == (u_port.words_q == 3'(OperandWords - 1)));
      if (dropped_q) assert (u_port.status_q == StatusEmptySlot);
      else if (u_port.in_state_q inside {3'd2, 3'd3}) begin
        assert (u_port.second_q == second_q);
        assert (u_port.status_q == (reserved_job_bits(first_q, second_q) ? StatusBadDescriptor : StatusBadLength));
      end
      assert (u_port.u_operands.partial_q == (u_port.in_state_q == 3'd2 ? place_q - 3'd2 : 3'd0));
      if (wiping) assert ((place_q == 3'd0 || over || dropped_q) && held == '0);
      assert (held == 4'(3'(u_port.u_operands.commit_q - u_port.u_operands.read_q)) + 4'(u_port.u_operands.ahead_q));
      if (held != '0 && !jobs.operand_valid) begin
        assert (dry_q <= (u_port.u_operands.fetch_q[1] ? 3'd3 : u_port.u_operands.fetch_q[0] ? 3'd2 :
                          3'(u_port.u_operands.waiting_q)));
      end
      assert (u_jobs.held == 4'(u_port.u_jobs.count_q) + 4'(u_port.in_state_q == 3'd4));
      assert (u_port.u_jobs.count_q <= 3'd4 && u_port.u_jobs.out_valid_o == (u_port.u_jobs.count_q != '0));
      assert (2'(u_port.u_jobs.write_q - u_port.u_jobs.read_q) == u_port.u_jobs.count_q[1:0]);
      if (place_q != '0 || u_jobs.held != '0) assert (u_port.u_jobs.in_ready_o == (u_port.u_jobs.count_q != 3'd4));
      assert (u_refusals.held == 4'(u_port.in_state_q == 3'd5) + 4'(u_port.out_state_q == 2'd1 && !ours_q));
      unique case (u_port.out_state_q)
        2'd0, 2'd1: assert (part_q == 2'd0);                                          // Idle, AnswerFirst
        2'd2: assert (part_q == 2'd1 && u_port.has_result_q == (ours_q && ours.has_result));  // AnswerSecond
        default: assert (part_q == 2'd2 && ours_q && ours.has_result);                // Result
      endcase
      if (u_port.out_state_q == 2'd0) assert (!ours_q);
      else begin
        assert (u_port.out_cycles_q == (ours_q ? ours.cycles : '0));
        assert (u_port.has_result_q == (ours_q && ours.has_result));
      end
      assert (committed_q[2:0] == u_port.u_operands.commit_q);
      if (job_before < u_jobs.held) assert (job_inside == u_jobs.followed_q);
      if (refusal_before < u_refusals.held) assert (refusal_inside == u_refusals.followed_q);
      if (words_before < held + 4'(u_port.u_operands.partial_q)) assert (word_inside == followed_q);
      assert (u_jobs.watched_q == watched_q && u_refusals.watched_q == watched_q);
      if (ours_q) assert (u_port.out_status_q == ours.status && u_port.out_tag_q == ours.tag);
      else if (u_port.out_state_q != 2'd0) assert (u_port.out_status_q != StatusOk);
      if (u_port.in_state_q == 3'd5) assert (u_port.status_q != StatusOk);

      // in: deaf for a reason only, among them words that left or were dropped and are being overwritten. A job that is whole is on its way at once, and its operands soon.
      if (!hold_i || over || dropped_q) begin
        assert (tready || u_jobs.held != '0 || u_refusals.held != '0 ||
                4'(held + 4'(place_q)) >= 4'(OperandWords + 2) || u_port.u_operands.fetch_q[0] ||
                u_port.u_operands.undo_q);
      end
      if (job_due_q) assert (jobs.job_valid);
      assert (held <= 4'(OperandWords + Ahead) && dry_q <= 3'd4);
      if (jobs.operand_valid) assert (held != '0);
      if (operand_waits_q) assert (jobs.operand_valid && jobs.operand == operand_q);
      if (jobs.operand_valid && given_q == watched_q) assert (jobs.operand == followed_q);

      // out
      if (out_waits_q) assert (out.tvalid && {out.tlast, out.tdata} == out_q);
      if (jobs_i.answer_valid && jobs.answer_ready) assert (!ours_q && part_q == 2'd0 && !out.tvalid);
      if (refusal_due_q) assert (out.tvalid);
      if (ours_q) assert (out.tvalid == (part_q != 2'd2 || jobs_i.result_valid));
      if (out.tvalid) begin
        unique case (part_q)
          2'd0: begin
            assert (answer == completion_header_t'('{tag: answer.tag, status: answer.status, default: '0}) && !out.tlast);
            if (ours_q) assert ({answer.status, answer.tag} == {ours.status, ours.tag});
          end
          2'd1: assert (out.tdata == (ours_q ? ours.cycles : '0) && out.tlast == !(ours_q && ours.has_result));
          default: assert (ours_q && {out.tlast, out.tdata} == jobs_i.result);
        endcase
      end
      assert (jobs.result_ready == (part_q == 2'd2 && tready_i));
      assert (answered == ended_q);
      if (answered) assert (failed == failed_q);

      if (quiet) assert ((place_q == '0 || over || dropped_q) && u_jobs.held == '0 && u_refusals.held == '0 && !ours_q && part_q == 2'd0);
      if ((place_q == '0 || over || dropped_q) && u_jobs.held == '0 && u_refusals.held == '0 && !ours_q &&
          part_q == 2'd0 && held == '0) begin
        assert (quiet);
      end
      if (quiet) assert (u_port.u_operands.partial_q == '0);

      // three packets in one run: a refusal on its way, an answer with its result gone, the longest operands on offer
      cover (u_refusals.held != '0 && ended_q && !failed_q && ours.has_result && held == 4'(OperandWords) &&
             jobs.operand_valid);
      // a packet that is refused ends as the shell says to wipe
      cover (wipe_i && !quiet);
    end
  end

endmodule
