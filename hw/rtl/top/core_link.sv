// SPDX-License-Identifier: Apache-2.0
// The way between the dispatcher and one core: flip-flops at either end of every wire, as a core may lie anywhere.
//
//   cycle        0    1    2    3
//   job_i        J
//   core_job_o        J                the same for operands, responses and results, a word every other cycle
//   zeroise_i    1
//   core_zeroise_o    1
//   core_busy_i  1
//   busy_o            1
//
// Contract    Each handshake is kept, each in its own time: an operand may be offered to a core before its job.
//             `ready_o`: the core would take a job, and none is on its way.
module core_link
  import garner_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic        job_valid_i,
  output logic        job_ready_o,
  input  job_t        job_i,
  input  logic        operand_valid_i,
  output logic        operand_ready_o,
  input  logic [31:0] operand_data_i,
  input  logic        operand_last_i,
  output logic        response_valid_o,
  input  logic        response_ready_i,
  output response_t   response_o,
  output logic        result_valid_o,
  input  logic        result_ready_i,
  output logic [31:0] result_data_o,
  output logic        result_last_o,
  input  logic        zeroise_i,
  output logic        busy_o,
  output logic        ready_o,

  output logic        core_job_valid_o,
  input  logic        core_job_ready_i,
  output job_t        core_job_o,
  output logic        core_operand_valid_o,
  input  logic        core_operand_ready_i,
  output logic [31:0] core_operand_data_o,
  output logic        core_operand_last_o,
  input  logic        core_response_valid_i,
  output logic        core_response_ready_o,
  input  response_t   core_response_i,
  input  logic        core_result_valid_i,
  output logic        core_result_ready_o,
  input  logic [31:0] core_result_data_i,
  input  logic        core_result_last_i,
  output logic        core_zeroise_o,
  input  logic        core_busy_i
);

  stage #(
    .Width($bits(job_t))
  ) u_job (
    .clk_i,
    .rst_ni,
    .in_valid_i (job_valid_i),
    .in_ready_o (job_ready_o),
    .in_data_i  (job_i),
    .out_valid_o(core_job_valid_o),
    .out_ready_i(core_job_ready_i),
    .out_data_o (core_job_o)
  );

  stage #(
    .Width(33)
  ) u_operand (
    .clk_i,
    .rst_ni,
    .in_valid_i (operand_valid_i),
    .in_ready_o (operand_ready_o),
    .in_data_i  ({operand_last_i, operand_data_i}),
    .out_valid_o(core_operand_valid_o),
    .out_ready_i(core_operand_ready_i),
    .out_data_o ({core_operand_last_o, core_operand_data_o})
  );

  stage #(
    .Width($bits(response_t))
  ) u_response (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_response_valid_i),
    .in_ready_o (core_response_ready_o),
    .in_data_i  (core_response_i),
    .out_valid_o(response_valid_o),
    .out_ready_i(response_ready_i),
    .out_data_o (response_o)
  );

  stage #(
    .Width(33)
  ) u_result (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_result_valid_i),
    .in_ready_o (core_result_ready_o),
    .in_data_i  ({core_result_last_i, core_result_data_i}),
    .out_valid_o(result_valid_o),
    .out_ready_i(result_ready_i),
    .out_data_o ({result_last_o, result_data_o})
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_zeroise_o <= 1'b0;
      busy_o         <= 1'b0;
      ready_o        <= 1'b0;
    end else begin
      core_zeroise_o <= zeroise_i;
      busy_o         <= core_busy_i;
      ready_o        <= core_job_ready_i && !core_job_valid_o;
    end
  end

endmodule
