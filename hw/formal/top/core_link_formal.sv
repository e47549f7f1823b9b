// SPDX-License-Identifier: Apache-2.0
// core_link: jobs and operands to the core, responses and results from it: each see in_order, whatever the other three do;
// zeroise, busy and ready are those of the cycle before.
module core_link_formal
  import garner_pkg::*;
  import bus_pkg::*;
(
  input logic        clk_i,
  input logic        job_valid_i,
  input job_t        job_i,
  input logic        operand_valid_i,
  input logic [31:0] operand_data_i,
  input logic        operand_last_i,
  input logic        response_ready_i,
  input logic        result_ready_i,
  input logic        zeroise_i,
  input logic        core_job_ready_i,
  input logic        core_operand_ready_i,
  input logic        core_response_valid_i,
  input response_t   core_response_i,
  input logic        core_result_valid_i,
  input logic [31:0] core_result_data_i,
  input logic        core_result_last_i,
  input logic        core_busy_i,
  input logic [3:0]  watched_i
);

  logic        rst_ni;
  logic        job_ready, operand_ready, response_valid, result_valid, result_last, busy, ready;
  logic        core_job_valid, core_operand_valid, core_operand_last, core_response_ready, core_result_ready, core_zeroise;
  job_t        core_job;
  response_t   response;
  logic [31:0] result_data, core_operand_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  to_core_t   jobs_in, core_jobs_out;
  from_core_t jobs_out, core_jobs_in;
  assign jobs_in = '{job_valid: job_valid_i, job: job_i, operand_valid: operand_valid_i,
                     operand: '{last: operand_last_i, data: operand_data_i}, response_ready: response_ready_i,
                     result_ready: result_ready_i};
  assign {job_ready, operand_ready, response_valid, response, result_valid, result_last, result_data} = jobs_out;
  assign {core_job_valid, core_job, core_operand_valid, core_operand_last, core_operand_data, core_response_ready,
          core_result_ready} = core_jobs_out;
  assign core_jobs_in = '{job_ready: core_job_ready_i, operand_ready: core_operand_ready_i,
                          response_valid: core_response_valid_i, response: core_response_i,
                          result_valid: core_result_valid_i,
                          result: '{last: core_result_last_i, data: core_result_data_i}};

  core_link u_link (
    .clk_i,
    .rst_ni,
    .jobs_i        (jobs_in),
    .jobs_o        (jobs_out),
    .zeroise_i,
    .busy_o        (busy),
    .ready_o       (ready),
    .core_jobs_o   (core_jobs_out),
    .core_jobs_i   (core_jobs_in),
    .core_zeroise_o(core_zeroise),
    .core_busy_i
  );

  in_order #(
    .Width ($bits(job_t)),
    .Places(1)
  ) u_job (
    .clk_i,
    .rst_ni,
    .in_valid_i (job_valid_i),
    .in_ready_i (job_ready),
    .in_data_i  (job_i),
    .out_valid_i(core_job_valid),
    .out_ready_i(core_job_ready_i),
    .out_data_i (core_job),
    .watched_i
  );

  in_order #(
    .Width (33),
    .Places(1)
  ) u_operand (
    .clk_i,
    .rst_ni,
    .in_valid_i (operand_valid_i),
    .in_ready_i (operand_ready),
    .in_data_i  ({operand_last_i, operand_data_i}),
    .out_valid_i(core_operand_valid),
    .out_ready_i(core_operand_ready_i),
    .out_data_i ({core_operand_last, core_operand_data}),
    .watched_i
  );

  in_order #(
    .Width ($bits(response_t)),
    .Places(1)
  ) u_response (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_response_valid_i),
    .in_ready_i (core_response_ready),
    .in_data_i  (core_response_i),
    .out_valid_i(response_valid),
    .out_ready_i(response_ready_i),
    .out_data_i (response),
    .watched_i
  );

  in_order #(
    .Width (33),
    .Places(1)
  ) u_result (
    .clk_i,
    .rst_ni,
    .in_valid_i (core_result_valid_i),
    .in_ready_i (core_result_ready),
    .in_data_i  ({core_result_last_i, core_result_data_i}),
    .out_valid_i(result_valid),
    .out_ready_i(result_ready_i),
    .out_data_i ({result_last, result_data}),
    .watched_i
  );

  logic zeroise_q, busy_q, ready_q;
  always_ff @(posedge clk_i) begin
    zeroise_q <= rst_ni && zeroise_i;
    busy_q    <= rst_ni && core_busy_i;
    ready_q   <= rst_ni && core_job_ready_i && !core_job_valid;
  end

  always_comb begin
    if (rst_ni) assert ({core_zeroise, busy, ready} == {zeroise_q, busy_q, ready_q});
  end

endmodule
