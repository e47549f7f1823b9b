// SPDX-License-Identifier: Apache-2.0
// completion_write: what it writes is of one answer, or one reject, and of no other. The result goes to where the context
// says, in that length, its words in order, zeros for what is missing; the completion has the tag, index, status and cycles
// of that answer, at the next place of the ring, with the phase of that pass, for rings of every size, 1 to 2^15 places.
module completions_formal
  import garner_pkg::*;
  import ring_pkg::*;
  import bus_pkg::*;
(
  input logic        clk_i,
  input logic [3:0]  log2_i,            // constant
  input logic [63:0] base_i,            // constant
  input logic        restart_i,
  input logic [15:0] head_i,
  input logic [15:0] submission_head_i,
  input logic        answer_valid_i,
  input answer_t     answer_i,
  input context_t    context_i,
  input logic        result_valid_i,
  input word_t       result_i,
  input reject_t     reject_i,
  input logic        command_ready_i,
  input logic        write_ready_i,
  input logic        write_done_i,
  input logic        write_error_i
);

  logic        rst_ni;
  logic [15:0] tail;
  logic        overrun, written, marked, failed, answer_ready, result_ready, reject_ready, write_end, result_fault;
  logic        completion_fault;
  command_t    command;
  write_word_t write;
  logic [3:0]  log2_q;
  logic [63:0] base_q;
  logic        restart;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;
  always_ff @(posedge clk_i) begin
    log2_q <= rst_ni ? log2_q : log2_i;
    base_q <= rst_ni ? base_q : base_i;
  end

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i         (restart),
    .ring_i            ('{base: base_q, log2: log2_q, head: head_i}),
    .tail_o            (tail),
    .overrun_o         (overrun),
    .submission_head_i,
    .written_o         (written),
    .interrupt_o       (marked),
    .failed_o          (failed),
    .answer_valid_i,
    .answer_ready_o    (answer_ready),
    .answer_i,
    .context_i,
    .result_valid_i,
    .result_ready_o    (result_ready),
    .result_i,
    .reject_i,
    .reject_ready_o    (reject_ready),
    .command_o         (command),
    .command_ready_i,
    .write_o           (write),
    .write_ready_i,
    .write_done_i,
    .write_end_o       (write_end),
    .write_error_i,
    .result_fault_o    (result_fault),
    .completion_fault_o(completion_fault)
  );

  // The next place of the ring, counted as a host does, and the pass through it
  logic [14:0] place_q;
  logic        odd_pass_q;
  logic [15:0] last_place;

  // The answer that was taken last
  logic        busy_q;                  // its completion is not yet written
  context_t    context_q;
  status_t     status_q;
  logic [31:0] cycles_q;
  logic        has_result_q;
  logic        asked_q;                 // the command for its result, or behind that of its completion, was taken
  logic        completing_q;            // what is written is the completion
  logic        over_q;                  // the result has ended, or has none
  logic [15:0] left_q;                  // words of its buffer not yet written
  logic [1:0]  word_q;                  // of the completion
  logic        here_q;                  // a result word was taken and not yet passed on
  logic [32:0] here_word_q;
  logic        moves, result_command;
  logic [2:0]  age_q;                   // cycles since reset
  logic [1:0]  ended_q;                 // results there were: too short, too long

  // The completion that is due.
  completion_t                      due;
  logic [CompletionWords-1:0][31:0] due_words;

  always_comb begin
    due = '{header: '{tag: context_q.tag, status: status_q, cycles: cycles_q, default: '0}, index: context_q.index,
            head: submission_head_i, phase: !odd_pass_q, default: '0};
  end
  assign due_words = due;

  assign last_place     = (16'd1 << log2_q) - 16'd1;
  assign moves          = write.valid && write_ready_i;
  assign result_command = busy_q && has_result_q && !asked_q;

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      place_q      <= '0;
      odd_pass_q   <= 1'b0;
      busy_q       <= 1'b0;
      asked_q      <= 1'b0;
      completing_q <= 1'b0;
      over_q       <= 1'b1;
      left_q       <= '0;
      word_q       <= '0;
      here_q       <= 1'b0;
      age_q        <= '0;
      ended_q      <= '0;
    end else begin
      if (age_q != '1) age_q <= age_q + 1'b1;
      if (restart) {odd_pass_q, place_q} <= '0;
      if (answer_valid_i && answer_ready) begin
        busy_q       <= 1'b1;
        context_q    <= context_i;
        status_q     <= answer_i.status;
        cycles_q     <= answer_i.cycles;
        has_result_q <= answer_i.has_result;
        over_q       <= !answer_i.has_result;
      end else if (reject_i.valid && reject_ready) begin
        busy_q       <= 1'b1;
        context_q    <= reject_i.job_context;
        status_q     <= reject_i.status;
        cycles_q     <= '0;
        has_result_q <= 1'b0;
        over_q       <= 1'b1;
      end
      if (command.valid && command_ready_i) begin
        if (result_command) begin
          asked_q <= 1'b1;
          left_q  <= context_q.result_words;
        end else begin
          completing_q <= 1'b1;
        end
      end
      // a result word leaves: into its place, or nowhere when the buffer is full
      if (result_valid_i && result_ready) begin
        here_q      <= 1'b1;
        here_word_q <= result_i;
      end else if (here_q && ((moves && !completing_q) || (asked_q && left_q == '0))) begin
        here_q <= 1'b0;
      end
      if (asked_q && !completing_q) begin
        if (moves) left_q <= left_q - 1'b1;
        if (here_q && !over_q && moves && here_word_q[32] && left_q != 16'd1) ended_q[0] <= 1'b1;
        if (here_q && left_q == '0 && here_word_q[32]) ended_q[1] <= 1'b1;
        if (here_q && !over_q && (moves || left_q == '0)) begin
          if (here_word_q[32]) over_q <= 1'b1;
          if (left_q == '0 || (here_word_q[32] && left_q != 16'd1)) status_q <= StatusBadLength;  // longer, shorter
        end
        if (write_end && write_done_i && write_error_i) status_q <= StatusBusFault;
      end
      if (completing_q && moves) word_q <= word_q + 1'b1;
      if (written) begin
        busy_q       <= 1'b0;
        asked_q      <= 1'b0;
        completing_q <= 1'b0;
        if (16'(place_q) == last_place) begin
          place_q    <= '0;
          odd_pass_q <= !odd_pass_q;
        end else begin
          place_q <= place_q + 1'b1;
        end
      end
    end
  end

  assign restart = restart_i && !busy_q && !answer_valid_i && !reject_i.valid;

  always_comb begin
    if (rst_ni) begin
      // a result has words, and comes behind its answer alone
      if (answer_valid_i && answer_i.has_result) assume (context_i.result_words != '0);
      if (answer_valid_i && answer_ready && answer_i.has_result) assume (!result_valid_i);
      if (result_valid_i) assume (busy_q && has_result_q && !over_q && !(here_q && here_word_q[32]));

      // where to
      assert (answer_ready == !busy_q);
      if (command.valid) begin
        assert (busy_q && !completing_q);
        if (result_command) begin
          assert (command.address == {context_q.result_address, AddressZeros'(0)} && command.words == context_q.result_words);
        end else begin
          assert (command.address == base_q + (64'(place_q) << 4) && command.words == 16'(CompletionWords));
          assert (over_q && !here_q && left_q == '0);
        end
      end

      // what
      if (write.valid && !completing_q) begin
        assert (asked_q && left_q != '0);
        assert (over_q ? write.data == '0 : here_q && write.data == here_word_q[31:0]);
      end
      if (write.valid && completing_q) begin
        assert (write.data == due_words[word_q]);
      end
      if (written) assert (completing_q && marked == context_q.marked && failed == (status_q != StatusOk));

      // How the counts here go with the module's own, which makes the rest inductive
      assert (u_complete.state_q <= 4'd8 && place_q <= last_place[14:0]);
      assert (16'(place_q) == (tail & last_place) && odd_pass_q == tail[log2_q]);
      assert (busy_q == (u_complete.state_q != 4'd0));
      assert (completing_q == (u_complete.state_q inside {4'd7, 4'd8}));
      assert (asked_q == (busy_q && has_result_q && u_complete.state_q != 4'd1));
      if (u_complete.state_q inside {4'd1, 4'd2, 4'd3, 4'd4}) assert (has_result_q && context_q.result_words != '0);
      unique case (u_complete.state_q)
        4'd0: assert (!here_q && left_q == '0 && over_q);
        4'd1: assert (!over_q && left_q == '0 && !u_complete.ended_q);                        // ResultCommand
        4'd2: begin                                                                           // Result
          assert (left_q == u_complete.words_q && left_q != '0 && over_q == u_complete.ended_q);
          assert (u_complete.words_one_q == (left_q == 16'd1));
        end
        4'd3: assert (!over_q && left_q == '0);                                               // Excess
        default: assert (over_q && !here_q && left_q == '0);
      endcase
      assert (u_complete.result_here == here_q && (!here_q || !result_ready));
      if (here_q) assert (!over_q && u_complete.result == here_word_q);
      assert (word_q == (u_complete.state_q == 4'd7 ? u_complete.word_q : 2'd0));
      if (u_complete.state_q != 4'd7 && busy_q && u_complete.state_q != 4'd8) assert (u_complete.word_q == '0);
      if (busy_q) begin
        assert (u_complete.context_q == context_q && u_complete.cycles_q == cycles_q);
        assert (u_complete.status_q == status_q);
      end

      // what it and ring_address have of the tail, and of base and size, which do not change
      if (age_q != '0) begin
        assert (u_complete.size_q == 16'd1 << log2_q && u_complete.u_address.mask_q == last_place);
      end else begin
        assert (tail == '0 && u_complete.state_q == 4'd0);
      end
      if (age_q == 3'd1) assert (tail == '0 && u_complete.state_q inside {4'd0, 4'd1, 4'd5});
      if (busy_q) assert (u_complete.phase_q == !odd_pass_q);
      if (u_complete.state_q inside {[4'd1:4'd8]}) begin
        assert (u_complete.u_address.low_q == 33'(base_q[31:0]) + (33'(place_q) << 4));
      end
      if (u_complete.state_q inside {4'd6, 4'd7, 4'd8}) begin
        assert (u_complete.u_address.address_o == base_q + (64'(place_q) << 4));
      end

      // that they happen: the second pass through a ring, begun with a result too long, and with one too short
      cover (log2_q == '0 && odd_pass_q && write.valid && word_q == 2'd3 && ended_q[0]);
      cover (log2_q == '0 && odd_pass_q && write.valid && word_q == 2'd3 && ended_q[1]);
    end
  end

endmodule
