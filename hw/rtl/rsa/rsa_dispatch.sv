// SPDX-License-Identifier: Apache-2.0
// Operations on their way to `mont`, from the exponentiator or from the microprogram: regions become addresses.
//
//   cycle            0    1    2    3
//   program_valid_i  1                   taken if program_ready_o, which is a register: at most every other cycle
//   op_valid_o                 1         until op_ready_i of its context
//   waiting_o             1    1         something is here
//
// Contract    exponent_valid_i comes only while exponent_i, program_valid_i only while not. Every operation that is
//             taken is given once, in order; op_valid_o and op_o hold until op_ready_i of their context. stride_i is
//             static while waiting_o. Reset: nothing is here.
module rsa_dispatch
  import rsa_pkg::*;
  import exp_pkg::region_op_t;
  import exp_pkg::region_t;
#(
  parameter int unsigned OperandWords = 8192
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  stride_t       stride_i,
  input  logic          exponent_i,         // the exponentiator has the way
  input  logic          exponent_valid_i,
  output logic          exponent_ready_o,
  input  region_op_t    exponent_op_i,
  input  logic          program_valid_i,
  output logic          program_ready_o,
  input  region_op_t    program_op_i,
  output logic          op_valid_o,
  input  logic [1:0]    op_ready_i,
  output mont_pkg::op_t op_o,
  output logic          waiting_o
);

  typedef logic [mont_pkg::AddressWidth-1:0] address_t;
  function automatic address_t address(logic ctx, region_t region, stride_t stride);
    return (ctx && !is_shared(region) ? address_t'(OperandWords / 2) : '0) | address_t'(region_offset(region, stride));
  endfunction

  region_op_t op_q;
  logic valid_q;
  assign exponent_ready_o = !valid_q;
  assign program_ready_o = !valid_q;
  assign waiting_o = valid_q || op_valid_o;

  always_ff @(posedge clk_i) begin
    if (!valid_q) op_q <= exponent_i ? exponent_op_i : program_op_i;
    if (!op_valid_o) begin
      op_o <= '{ctx: op_q.ctx, a: address(op_q.ctx, op_q.a, stride_i), b: address(op_q.ctx, op_q.b, stride_i),
                d: address(op_q.ctx, op_q.d, stride_i)};
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      valid_q    <= 1'b0;
      op_valid_o <= 1'b0;
    end else begin
      valid_q    <= valid_q ? op_valid_o : exponent_valid_i || program_valid_i;
      op_valid_o <= op_valid_o ? !op_ready_i[op_o.ctx] : valid_q;
    end
  end

endmodule
