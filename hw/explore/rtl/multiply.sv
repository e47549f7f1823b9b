// SPDX-License-Identifier: Apache-2.0
// p = x * y, both operands together, `Stages` cycles later; the kind of multiplier as in multiply_add.
//
//   cycle      0    1    2    3       Stages = 2
//   x, y_i     A    B
//   p_o                  A    B
module multiply #(
  parameter int unsigned W          = 16,
  parameter int unsigned Stages     = 1,
  parameter int unsigned Multiplier = multiply_pkg::Booth
) (
  input  logic           clk_i,
  input  logic [W-1:0]   x_i,
  input  logic [W-1:0]   y_i,
  output logic [2*W-1:0] p_o
);

  logic [Stages-1:0][W-1:0] y;
  assign y[0] = y_i;
  for (genvar s = 1; s < Stages; s++) begin : gen_y
    always_ff @(posedge clk_i) y[s] <= y[s-1];
  end
  multiply_add #(.W(W), .Stages(Stages), .Multiplier(Multiplier), .Add(1'b0)) u_product (
    .clk_i, .x_i, .t_i('0), .y_i(y), .p_o
  );

endmodule
