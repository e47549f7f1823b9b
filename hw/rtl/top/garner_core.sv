// SPDX-License-Identifier: Apache-2.0
// The core that garner_top is built of: here, and nowhere else, stands which one it is. See docs/integration.md for what
// another core has to keep.
//
//   cycle             0    1    2  ...
//   job_valid_i       J                       one job at a time, taken with job_ready_o
//   in_valid_i             d    d  ...        its operands, in_last_i on the last; none if `has_operands` says so
//   response_valid_o                R         the answer; then, if it is StatusOk and `has_result` says so,
//   out_valid_o                        r r r  the result, out_last_o on the last word
//
// Contract    See `rsa_core`; `rst_ni` is released to it two cycles later. Operands, responses and results go through a
//             `stage` each: with those of `core_link` both ends of their long wires are flip-flops, these among the core's.
//             `busy_o` is a cycle behind.
module garner_core
  import garner_pkg::*;
#(
  parameter int unsigned WordBits = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  job_t        job_i,
  input  logic        in_valid_i,
  output logic        in_ready_o,
  input  logic [31:0] in_data_i,
  input  logic        in_last_i,
  output logic        response_valid_o,
  input  logic        response_ready_i,
  output response_t   response_o,
  output logic        out_valid_o,
  input  logic        out_ready_i,
  output logic [31:0] out_data_o,
  output logic        out_last_o,
  input  logic        zeroise_i,
  output logic        busy_o
);

  logic reset_n;

  reset_buffer u_reset (
    .clk_i,
    .rst_ni,
    .rst_no(reset_n)
  );

  logic        operand_valid, operand_ready, operand_last, response_valid, response_ready, result_valid, result_ready,
               result_last, core_busy;
  logic [31:0] operand_data, result_data;
  response_t   response;

  stage #(
    .Width(33)
  ) u_operand (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i,
    .in_ready_o,
    .in_data_i  ({in_last_i, in_data_i}),
    .out_valid_o(operand_valid),
    .out_ready_i(operand_ready),
    .out_data_o ({operand_last, operand_data})
  );

  stage #(
    .Width($bits(response_t))
  ) u_response (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (response_valid),
    .in_ready_o (response_ready),
    .in_data_i  (response),
    .out_valid_o(response_valid_o),
    .out_ready_i(response_ready_i),
    .out_data_o (response_o)
  );

  stage #(
    .Width(33)
  ) u_result (
    .clk_i,
    .rst_ni     (reset_n),
    .in_valid_i (result_valid),
    .in_ready_o (result_ready),
    .in_data_i  ({result_last, result_data}),
    .out_valid_o,
    .out_ready_i,
    .out_data_o ({out_last_o, out_data_o})
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
    .job_valid_i,
    .job_ready_o,
    .job_i,
    .in_valid_i      (operand_valid),
    .in_ready_o      (operand_ready),
    .in_data_i       (operand_data),
    .in_last_i       (operand_last),
    .response_valid_o(response_valid),
    .response_ready_i(response_ready),
    .response_o      (response),
    .out_valid_o     (result_valid),
    .out_ready_i     (result_ready),
    .out_data_o      (result_data),
    .out_last_o      (result_last),
    .zeroise_i,
    .busy_o          (core_busy)
  );

endmodule
