// SPDX-License-Identifier: Apache-2.0
// The way between the dispatcher and one core: flip-flops at either end of every wire, as a core may lie anywhere.
//
//   cycle               0    1    2    3
//   jobs_i.job          J
//   core_jobs_o.job          J             the same for operands, responses and results, a word every other cycle
//   zeroise_i           1
//   core_zeroise_o           1
//   core_busy_i         1
//   busy_o                   1
//
// Contract    Each handshake is kept, each in its own time: an operand may be offered to a core before its job.
//             `ready_o`: the core would take a job, and none is on its way.
module core_link
  import garner_pkg::*;
  import bus_pkg::*;
(
  input  logic        clk_i,
  input  logic        rst_ni,

  input  to_core_t    jobs_i,         // the dispatcher's side
  output from_core_t  jobs_o,
  input  logic        zeroise_i,
  output logic        busy_o,
  output logic        ready_o,

  output to_core_t    core_jobs_o,    // the core's
  input  from_core_t  core_jobs_i,
  output logic        core_zeroise_o,
  input  logic        core_busy_i
);

  stage #(
    .Width($bits(job_t))
  ) u_job (
    .clk_i,
    .rst_ni,
    .in_valid_i (jobs_i.job_valid),
    .in_ready_o (jobs_o.job_ready),
    .in_data_i  (jobs_i.job),
    .out_valid_o(core_jobs_o.job_valid),
    .out_ready_i(core_jobs_i.job_ready),
    .out_data_o (core_jobs_o.job)
  );

  stage #(
    .Width($bits(word_t))
  ) u_operand (
    .clk_i,
    .rst_ni,
    .in_valid_i (jobs_i.operand_valid),
    .in_ready_o (jobs_o.operand_ready),
    .in_data_i  (jobs_i.operand),
    .out_valid_o(core_jobs_o.operand_valid),
    .out_ready_i(core_jobs_i.operand_ready),
    .out_data_o (core_jobs_o.operand)
  );

  stage #(
    .Width($bits(response_t))
  ) u_response (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_jobs_i.response_valid),
    .in_ready_o (core_jobs_o.response_ready),
    .in_data_i  (core_jobs_i.response),
    .out_valid_o(jobs_o.response_valid),
    .out_ready_i(jobs_i.response_ready),
    .out_data_o (jobs_o.response)
  );

  stage #(
    .Width($bits(word_t))
  ) u_result (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_jobs_i.result_valid),
    .in_ready_o (core_jobs_o.result_ready),
    .in_data_i  (core_jobs_i.result),
    .out_valid_o(jobs_o.result_valid),
    .out_ready_i(jobs_i.result_ready),
    .out_data_o (jobs_o.result)
  );

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      core_zeroise_o <= 1'b0;
      busy_o         <= 1'b0;
      ready_o        <= 1'b0;
    end else begin
      core_zeroise_o <= zeroise_i;
      busy_o         <= core_busy_i;
      ready_o        <= core_jobs_i.job_ready && !core_jobs_o.job_valid;
    end
  end

endmodule
