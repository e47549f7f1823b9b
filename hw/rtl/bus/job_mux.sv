// SPDX-License-Identifier: Apache-2.0
// Two sources of jobs become one: a job and its operands, then the next job, in turn when both have one.
//
//   cycle        0    1    2    3    4    5    6    7    8         everything is taken at once
//   source 0     J    J    J    J    J    J    j0   j1             waits; j1 is the last operand
//   source 1     K    K    k0   k1
//   job_o             K                   J
//   operand_o              k0   k1             j0   j1
//   source_o          1    1    1         0    0    0
//
// Contract    Operands of a job follow it, and none come between. An offered job stays the same until it is taken.
module job_mux
  import garner_pkg::*;
(
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [1:0]       job_valid_i,
  output logic [1:0]       job_ready_o,
  input  job_t [1:0]       job_i,
  input  logic [1:0]       operand_valid_i,
  output logic [1:0]       operand_ready_o,
  input  logic [1:0][31:0] operand_data_i,
  input  logic [1:0]       operand_last_i,

  output logic             job_valid_o,
  input  logic             job_ready_i,
  output job_t             job_o,
  output logic             source_o,         // of the job on offer, or of the operands
  output logic             operand_valid_o,
  input  logic             operand_ready_i,
  output logic [31:0]      operand_data_o,
  output logic             operand_last_o
);

  typedef enum logic [1:0] {
    Choose,
    Offer,
    Operands
  } state_e;

  state_e state_q;
  logic   source_q;

  assign source_o        = source_q;
  assign job_valid_o     = state_q == Offer;
  assign job_o           = job_i[source_q];
  assign operand_valid_o = state_q == Operands && operand_valid_i[source_q];
  assign operand_data_o  = operand_data_i[source_q];
  assign operand_last_o  = operand_last_i[source_q];

  always_comb begin
    job_ready_o     = '0;
    operand_ready_o = '0;
    job_ready_o[source_q]     = state_q == Offer && job_ready_i;
    operand_ready_o[source_q] = state_q == Operands && operand_ready_i;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q  <= Choose;
      source_q <= 1'b0;
    end else begin
      unique case (state_q)
        Choose: if (job_valid_i != '0) begin
          source_q <= job_valid_i[!source_q] ? !source_q : source_q;
          state_q  <= Offer;
        end
        Offer: if (job_ready_i) state_q <= has_operands(job_o.op) ? Operands : Choose;
        default: if (operand_valid_o && operand_ready_i && operand_last_o) state_q <= Choose;
      endcase
    end
  end

endmodule
