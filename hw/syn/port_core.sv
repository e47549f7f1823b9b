// SPDX-License-Identifier: Apache-2.0
// A core of nothing but flip-flops at its ports, to place the shell and the dispatcher without the cores' own paths: see
// garner_hw/measure/full.py. Everything that comes in goes, mixed, into everything that goes out.
module garner_core
  import garner_pkg::*;
#(
  /* verilator lint_off UNUSEDPARAM */ // those of any core
  parameter int unsigned WordBits = 18,
  parameter int unsigned Rows     = 15,
  parameter int unsigned MaxBits  = 4096,
  parameter int unsigned KeySlots = 4
  /* verilator lint_on UNUSEDPARAM */
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

  logic [$bits(job_t)-1:0]      job_q;
  logic [33:0]                  in_q;
  logic [3:0]                   control_q;
  logic [$bits(response_t)-1:0] response_q;
  logic [39:0]                  out_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      job_q      <= '0;
      in_q       <= '0;
      control_q  <= '0;
      response_q <= '0;
      out_q      <= '0;
    end else begin
      job_q      <= job_i;
      in_q       <= {in_valid_i, in_last_i, in_data_i};
      control_q  <= {job_valid_i, response_ready_i, out_ready_i, zeroise_i};
      response_q <= job_q[$bits(response_t)-1:0] ^ {job_q[$bits(job_t)-1:$bits(response_t)]};
      out_q      <= {in_q, 6'd0} ^ 40'(job_q) ^ {36'd0, control_q};
    end
  end

  assign response_o = response_q;
  assign {job_ready_o, in_ready_o, response_valid_o, out_valid_o, busy_o, out_last_o, out_data_o} = 38'(out_q[37:0]);

endmodule
