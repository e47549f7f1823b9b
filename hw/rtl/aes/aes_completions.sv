// SPDX-License-Identifier: Apache-2.0
// The end of an AES engine's descriptors: each one completion, from its message. Between aes_messages, aes_descriptor_fetch
// and completion_write.
//
//   cycle         0    1   ..   n    n+1
//   fetched_i     1                       a descriptor was read
//   in_flight_o   0    1   ..   1    0
//   written_o                   1         its completion is in memory
//   quiet_o       1    0   ..   0    1    drained_o as well, if nothing is left to read
//
// Contract    Lower messages first, as the others wait without losing anything.
module aes_completions
  import bus_pkg::*;
  import aes_engine_pkg::*;
  import ring_control_pkg::*;
#(
  parameter int unsigned Messages = 4
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  completion_ring_t       ring_i,
  input  logic                   restart_i,
  input  logic [15:0]            submission_head_i,
  output logic [15:0]            tail_o,
  output logic                   overrun_o,

  // what is under way
  input  logic                   fetched_i,
  input  logic                   fetch_quiet_i,
  input  logic                   more_i,            // there are descriptors to read, and they are to be
  output logic [7:0]             in_flight_o,
  output logic                   quiet_o,
  output logic                   drained_o,         // pulse

  input  ended_t [Messages-1:0]  ended_i,
  output logic [Messages-1:0]    ended_ready_o,

  output command_t               command_o,
  input  logic                   command_ready_i,
  output write_word_t            word_o,
  input  logic                   word_ready_i,
  input  logic                   done_i,
  output logic                   end_o,             // done is taken
  input  logic                   error_i,

  output logic                   written_o,         // as of completion_write
  output logic                   interrupt_o,
  output logic                   failed_o,
  output logic                   fault_o
);

  answer_t             answer;
  context_t            answered;
  ended_t              chosen, ended;
  logic                chosen_ready, ended_valid, answer_ready;
  logic [Messages-1:0] first, chosen_q;  // one bit, or none

  always_comb begin
    first = '0;
    for (int m = Messages - 1; m >= 0; m--) begin
      if (ended_i[m].valid) begin
        first    = '0;
        first[m] = 1'b1;
      end
    end
    chosen = '0;
    for (int unsigned m = 0; m < Messages; m++) if (chosen_q[m]) chosen |= ended_i[m];  // SEC_CM: JOB.OWN_ANSWER
    answer   = '{status: ended.status, cycles: ended.cycles, default: '0};
    answered = '{index: ended.index, tag: ended.tag, marked: ended.marked, default: '0};
  end

  assign ended_ready_o = chosen_ready ? chosen_q : '0;

  // The choice has a cycle of its own, and so has what was chosen
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) chosen_q <= '0;
    else if (chosen_q == '0) chosen_q <= first;
    else if (chosen_ready) chosen_q <= '0;
  end

  stage #(
    .Width($bits(ended_t))
  ) u_stage (
    .clk_i,
    .rst_ni,
    .in_valid_i (chosen.valid),
    .in_ready_o (chosen_ready),
    .in_data_i  (chosen),
    .out_valid_o(ended_valid),
    .out_ready_i(answer_ready),
    .out_data_o (ended)
  );

  logic unused, result_ready, result_fault, reject_ready;
  assign unused = &{result_ready, result_fault, reject_ready, ended.valid};

  completion_write u_complete (
    .clk_i,
    .rst_ni,
    .restart_i,
    .ring_i,
    .tail_o,
    .overrun_o,
    .submission_head_i,
    .written_o,
    .interrupt_o,
    .failed_o,
    .answer_valid_i    (ended_valid),
    .answer_ready_o    (answer_ready),
    .answer_i          (answer),
    .context_i         (answered),
    .result_valid_i    (1'b0),
    .result_ready_o    (result_ready),
    .result_i          ('0),
    .reject_i          ('0),
    .reject_ready_o    (reject_ready),
    .command_o,
    .command_ready_i,
    .write_o           (word_o),
    .write_ready_i     (word_ready_i),
    .write_done_i      (done_i),
    .write_end_o       (end_o),
    .write_error_i     (error_i),
    .result_fault_o    (result_fault),
    .completion_fault_o(fault_o)
  );

  logic [7:0] in_flight_q;
  logic       none_q;      // in flight
  logic       quiet_q;

  assign in_flight_o = in_flight_q;
  assign quiet_o     = fetch_quiet_i && none_q;
  assign drained_o   = quiet_o && !quiet_q && !more_i;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_flight_q <= '0;
      none_q      <= 1'b1;
      quiet_q     <= 1'b1;
    end else begin
      in_flight_q <= in_flight_q + 8'(fetched_i) - 8'(written_o);
      if (fetched_i != written_o) none_q <= written_o && in_flight_q == 8'd1;
      quiet_q     <= quiet_o;
    end
  end

endmodule
