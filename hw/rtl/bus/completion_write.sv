// SPDX-License-Identifier: Apache-2.0
// Writes results and completions to host memory: one answer at a time, first its result, then, when all of that is
// known to be there, its completion.
//
//   cycle        0   1   2   3  ..  9   10  11  12  13  ..  16  17  ..  22  23      a result of two words; `dma_write`
//   answer       A                                                                  behind it, a bus that does not wait
//   command          R                      C                                       where to: the result, then its
//   write                r0  r1                 c0  c1      c2  c3                  completion, when the ring has room
//   write_done                      ok                                  ok          the bus has answered
//   written_o                                                           1           the host may be interrupted now
//   tail_o                                                                  +1
//
// A result that is shorter or longer than the descriptor's buffer never leaves the buffer: what is missing is written as
// 0, what is too much is dropped, and the status is StatusBadLength. A failed write is StatusBusFault.
//
// Contract    `tail_o` - `ring_i.head`, the completion under way included, is never more than the ring's size: a full ring
//             holds everything up, as the core's result then waits for the host.
module completion_write
  import garner_pkg::*;
  import ring_pkg::*;
  import bus_pkg::*;
  import ring_control_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  // the ring
  input  logic             restart_i,    // tail to 0; only while nothing is under way
  input  completion_ring_t ring_i,
  output logic [15:0]      tail_o,
  output logic             overrun_o,    // an impossible head
  input  logic [15:0]      submission_head_i,
  output logic             written_o,    // pulse: a completion is in host memory, or lost
  output logic             interrupt_o,  // with written_o: its descriptor was marked interrupt
  output logic             failed_o,     // with written_o: its status is not StatusOk

  // answers of cores
  input  logic             answer_valid_i,
  output logic             answer_ready_o,
  input  answer_t          answer_i,
  input  context_t         context_i,    // of the answer
  input  logic             result_valid_i,
  output logic             result_ready_o,
  input  word_t            result_i,

  // what ended without a core
  input  reject_t          reject_i,
  output logic             reject_ready_o,

  // to the writer
  output command_t         command_o,
  input  logic             command_ready_i,
  output write_word_t      write_o,
  input  logic             write_ready_i,
  input  logic             write_done_i,
  output logic             write_end_o,   // done is taken
  input  logic             write_error_i,

  output logic             result_fault_o,     // pulse
  output logic             completion_fault_o  // pulse
);

  typedef enum logic [3:0] {
    Idle,
    ResultCommand,
    Result,
    Excess,      // words beyond the buffer
    ResultEnd,
    Place,       // until the last tail counts in what is said of the ring
    Command,     // waits for a place in the ring
    Completion,
    End
  } state_e;

  state_e      state_q;
  context_t    context_q;
  status_t     status_q;
  logic [31:0] cycles_q;
  logic [15:0] words_q;        // still to write
  logic        words_one_q;
  logic        ended_q;        // the last result word came
  logic [1:0]  word_q;
  logic [15:0] tail_q, used_q, size_q;
  logic        overrun_q, room_q;
  logic        phase_q;        // 1 in the first pass through the ring, 0 in the second, and so on
  logic [63:0] place;
  logic        from_answer, moves, writing;
  logic        result_here, result_taken;
  word_t       result;

  // A host that polls may see a completion, and say so, before its write is answered and the tail moves on.
  assign writing   = state_q == Completion || state_q == End;
  assign overrun_o = overrun_q;
  assign tail_o    = tail_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      used_q    <= '0;
      size_q    <= '0;
      overrun_q <= 1'b0;
      room_q    <= 1'b0;
      phase_q   <= 1'b0;
    end else begin
      used_q    <= tail_q + 16'(writing) - ring_i.head;
      size_q    <= 16'd1 << ring_i.log2;
      overrun_q <= used_q > size_q;
      room_q    <= used_q < size_q;
      phase_q   <= (tail_q & size_q) == '0;
    end
  end

  ring_address #(
    .PlaceLog2($clog2(4 * CompletionWords))
  ) u_address (
    .clk_i,
    .base_i     (ring_i.base),
    .size_log2_i(ring_i.log2),
    .index_i    (tail_q),
    .address_o  (place)
  );

  stage #(
    .Width($bits(word_t))
  ) u_result (
    .clk_i,
    .rst_ni,
    .in_valid_i (result_valid_i),
    .in_ready_o (result_ready_o),
    .in_data_i  (result_i),
    .out_valid_o(result_here),
    .out_ready_i(result_taken),
    .out_data_o (result)
  );

  assign answer_ready_o = state_q == Idle;
  assign reject_ready_o = state_q == Idle && !answer_valid_i;
  assign from_answer    = answer_valid_i;

  logic unused_answer;  // whose answer it is has been looked at by whoever sent it here
  assign unused_answer = &{answer_i.source, answer_i.tag};

  assign command_o.valid   = state_q == ResultCommand || (state_q == Command && room_q);
  assign command_o.address = state_q == ResultCommand ? {context_q.result_address, AddressZeros'(0)} : place;
  assign command_o.words   = state_q == ResultCommand ? context_q.result_words : 16'(CompletionWords);

  completion_t                      completion;
  logic [CompletionWords-1:0][31:0] completion_words;

  always_comb begin
    completion = '{header: '{tag: context_q.tag, status: status_q, cycles: cycles_q, default: '0},
                   index: context_q.index, head: submission_head_i, phase: phase_q, default: '0};
  end
  assign completion_words = completion;

  // A missing word is 0.
  assign write_o.valid  = (state_q == Result && (result_here || ended_q)) || state_q == Completion;
  assign result_taken   = (state_q == Result && write_ready_i && !ended_q) || state_q == Excess;
  assign moves          = write_o.valid && write_ready_i;
  always_comb begin
    if (state_q == Result) write_o.data = ended_q ? '0 : result.data;
    else begin
      unique case (word_q)
        2'd0: write_o.data = completion_words[0];
        2'd1: write_o.data = completion_words[1];
        2'd2: write_o.data = completion_words[2];
        default: write_o.data = completion_words[3];  // its phase last, so that who sees it sees the others, too
      endcase
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= Idle;
      status_q    <= StatusOk;
      tail_q      <= '0;
      words_q     <= '0;
      words_one_q <= 1'b0;
      ended_q     <= 1'b0;
      word_q      <= '0;
    end else begin
      unique case (state_q)
        Idle: begin
          ended_q <= 1'b0;
          word_q  <= '0;
          if (restart_i) tail_q <= '0;
          status_q <= from_answer ? answer_i.status : reject_i.status;
          if (answer_valid_i) state_q <= answer_i.has_result ? ResultCommand : Place;
          else if (reject_i.valid) state_q <= Place;
        end
        ResultCommand: begin
          words_q     <= context_q.result_words;
          words_one_q <= context_q.result_words == 16'd1;
          if (command_ready_i) state_q <= Result;
        end
        Result: if (moves) begin
          words_q     <= words_q - 1'b1;
          words_one_q <= words_q == 16'd2;
          if (result_here && result.last && !ended_q) ended_q <= 1'b1;
          if (words_one_q) begin
            if (ended_q || result.last) state_q <= ResultEnd;
            else state_q <= Excess;  // SEC_CM: RESULT.BOUNDS
          end else if (result.last && !ended_q) begin
            status_q <= StatusBadLength;
          end
        end
        Excess: if (result_here) begin
          status_q <= StatusBadLength;
          if (result.last) state_q <= ResultEnd;
        end
        ResultEnd: if (write_done_i) begin
          if (write_error_i) status_q <= StatusBusFault;
          state_q <= Place;
        end
        Place: state_q <= Command;
        Command: if (command_o.valid && command_ready_i) state_q <= Completion;
        Completion: if (moves) begin
          word_q <= word_q + 1'b1;
          if (word_q == 2'(CompletionWords - 1)) state_q <= End;
        end
        default: if (write_done_i) begin
          tail_q  <= tail_q + 1'b1;
          state_q <= Idle;
        end
      endcase
    end
  end

  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      context_q <= from_answer ? context_i : reject_i.job_context;
      cycles_q  <= from_answer ? answer_i.cycles : '0;
    end
  end

  assign write_end_o        = state_q == ResultEnd || state_q == End;
  assign written_o          = state_q == End && write_done_i;
  assign interrupt_o        = context_q.marked;
  assign failed_o           = status_q != StatusOk;
  assign result_fault_o       = state_q == ResultEnd && write_done_i && write_error_i;
  assign completion_fault_o = written_o && write_error_i;

endmodule
