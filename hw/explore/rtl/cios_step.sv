// SPDX-License-Identifier: Apache-2.0
// CIOS: a group of words of one row, t += x * y. Products in the first cycle, sums in the second.
//
//   cycle        0    1    2    3    4    5    6
//   valid_i      1    1    0    0    1                   A and B next to each other, C later
//   x, t, y_i    A    B              C
//   x * y             A    B              C
//   carry_q           0    cA   cB   cB   cB   cC        of the group before, when the next is added
//   t_o                    A    B    B    B    C
//
// Contract    groups come lowest first, at any distance; the carry out of the last group of a pass is zero, so nothing
//             is cleared between passes. Two words a group are the thesis's two multipliers, more are unrolled.
// Source      Koç, Acar, Kaliski 1996; Ramesh 2020, section 3.6.
module cios_step #(
  parameter int unsigned W          = 16,
  parameter int unsigned Group      = 2,
  parameter int unsigned Multiplier = multiply_pkg::Operator
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    valid_i,
  input  logic [W-1:0]            y_i,
  input  logic [Group-1:0][W-1:0] x_i,
  input  logic [Group-1:0][W-1:0] t_i,
  output logic [Group-1:0][W-1:0] t_o      // two cycles later, then held
);

  logic                      valid_q;
  logic [Group-1:0][2*W-1:0] product;
  logic [Group-1:0][W-1:0]   t_q, t_d;
  logic [W-1:0]              carry_q, carry_d;

  for (genvar g = 0; g < Group; g++) begin : gen_product
    multiply_add #(.W(W), .Stages(1), .Multiplier(Multiplier), .Add(1'b0)) u_product (
      .clk_i, .x_i(x_i[g]), .t_i('0), .y_i(y_i), .p_o(product[g])
    );
  end

  always_comb begin
    carry_d = carry_q;
    for (int unsigned g = 0; g < Group; g++) begin
      {carry_d, t_d[g]} = product[g] + (2*W)'(t_q[g]) + (2*W)'(carry_d);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      carry_q <= '0;
    end else begin
      valid_q <= valid_i;
      if (valid_q) carry_q <= carry_d;
    end
  end
  always_ff @(posedge clk_i) begin
    t_q <= t_i;
    if (valid_q) t_o <= t_d;
  end

endmodule
