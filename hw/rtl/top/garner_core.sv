// SPDX-License-Identifier: Apache-2.0
// The core that garner_top is built of: here, and nowhere else, stands which one it is. See docs/integration.md for what
// another core has to keep.
//
//   cycle                  0    1    2  ...
//   jobs_i.job_valid       J                       one job at a time, taken with jobs_o.job_ready
//   jobs_i.operand_valid        d    d  ...        its operands, `last` on the last; none if `has_operands` says so
//   jobs_o.response_valid                R         the answer; then, if it is StatusOk and `has_result` says so,
//   jobs_o.result_valid                     r r r  the result, `last` on the last word
//
// Contract    See `rsa_core`; `rst_ni` is released to it two cycles later. Operands, responses and results go through a
//             `stage` each: with those of `core_link` both ends of their long wires are flip-flops, these among the core's.
//             `busy_o` is a cycle behind.
module garner_core
  import garner_pkg::*;
  import bus_pkg::*;
#(
  parameter int unsigned WordBits = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  to_core_t    jobs_i,
  output from_core_t  jobs_o,
  input  logic        zeroise_i,
  output logic        busy_o
);

  logic reset_n;

  reset_buffer u_reset (
    .clk_i,
    .rst_ni,
    .rst_no(reset_n)
  );

  logic      operand_valid, operand_ready, response_valid, response_ready, result_valid, result_ready, core_busy;
  word_t     operand, result;
  response_t response;

  stage #(
    .Width($bits(word_t))
  ) u_operand (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (jobs_i.operand_valid),
    .in_ready_o (jobs_o.operand_ready),
    .in_data_i  (jobs_i.operand),
    .out_valid_o(operand_valid),
    .out_ready_i(operand_ready),
    .out_data_o (operand)
  );

  stage #(
    .Width($bits(response_t))
  ) u_response (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (response_valid),
    .in_ready_o (response_ready),
    .in_data_i  (response),
    .out_valid_o(jobs_o.response_valid),
    .out_ready_i(jobs_i.response_ready),
    .out_data_o (jobs_o.response)
  );

  stage #(
    .Width($bits(word_t))
  ) u_result (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (result_valid),
    .in_ready_o (result_ready),
    .in_data_i  (result),
    .out_valid_o(jobs_o.result_valid),
    .out_ready_i(jobs_i.result_ready),
    .out_data_o (jobs_o.result)
  );

  always_ff @(posedge clk_i or negedge reset_n) begin
    if (!reset_n) busy_o <= 1'b0;
    else busy_o <= core_busy;
  end

  rsa_core #(
    .W       (WordBits),
    .Rows    (Rows),
    .MaxBits (MaxBits),
    .KeySlots(KeySlots)
  ) u_core (
    .clk_i,
    .rst_ni          (reset_n),
    .job_valid_i     (jobs_i.job_valid),
    .job_ready_o     (jobs_o.job_ready),
    .job_i           (jobs_i.job),
    .in_valid_i      (operand_valid),
    .in_ready_o      (operand_ready),
    .in_data_i       (operand.data),
    .in_last_i       (operand.last),
    .response_valid_o(response_valid),
    .response_ready_i(response_ready),
    .response_o      (response),
    .out_valid_o     (result_valid),
    .out_ready_i     (result_ready),
    .out_data_o      (result.data),
    .out_last_o      (result.last),
    .zeroise_i,
    .busy_o          (core_busy)
  );

endmodule
