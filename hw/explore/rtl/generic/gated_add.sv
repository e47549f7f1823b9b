// SPDX-License-Identifier: Apache-2.0
// sum = (a where enabled) + (b where enabled) + carry, combinational. For any simulator, and for families whose synthesiser
// puts the gates into the carry chain by itself, as Xilinx 7's with its LUT6.
//
// Contract    sum_o[Width] is the carry out.
module gated_add #(
  parameter int unsigned Width   = 16,
  parameter bit          CarryIn = 1'b1  // 0: carry_i is not looked at
) (
  input  logic [Width-1:0] a_i,
  input  logic             a_enable_i,
  input  logic [Width-1:0] b_i,
  input  logic             b_enable_i,
  input  logic             carry_i,
  output logic [Width:0]   sum_o
);

  logic [Width-1:0] a, b;
  assign a = a_enable_i ? a_i : '0;
  assign b = b_enable_i ? b_i : '0;

  if (CarryIn) begin : gen_carry
    logic [Width+1:0] sum;
    logic             unused_lowest;
    assign sum = {1'b0, a, 1'b1} + {1'b0, b, carry_i};  // one chain: the lowest bit generates the carry
    assign sum_o = sum[Width+1:1];
    assign unused_lowest = sum[0];
  end else begin : gen_plain
    logic unused_carry;
    assign unused_carry = carry_i;
    assign sum_o = {1'b0, a} + {1'b0, b};
  end

endmodule
