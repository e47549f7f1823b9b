// SPDX-License-Identifier: Apache-2.0
// p = t + x * y, `Stages` cycles later, by the kind of multiplier that `Multiplier` names (multiply_pkg).
//
//   cycle      0      1      2      3       Stages = 2
//   x, t_i     A      B
//   y_i[0]     for A  for B
//   y_i[1]            for A  for B
//   p_o                      A      B
//
// Parameters  Add: 0 where t is zero.
// Contract    as booth_mac: y_i[s] is the multiplier of what entered s cycles ago.
module multiply_add #(
  parameter int unsigned W          = 16,
  parameter int unsigned Stages     = 1,
  parameter int unsigned Multiplier = multiply_pkg::Booth,
  parameter bit          Add        = 1'b1
) (
  input  logic                     clk_i,
  input  logic [W-1:0]             x_i,
  input  logic [W-1:0]             t_i,
  input  logic [Stages-1:0][W-1:0] y_i,
  output logic [2*W-1:0]           p_o
);

  if (Multiplier > multiply_pkg::Block) begin : gen_bad_kind
    $error("multiply_add: Multiplier must be 0 to 3");
  end

  if (Multiplier == multiply_pkg::Booth) begin : gen_booth
    booth_mac #(.W(W), .Stages(Stages)) u_mac (.clk_i, .x_i, .t_i, .y_i, .p_o);
  end else if (Multiplier == multiply_pkg::Array) begin : gen_array
    array_mac #(.W(W), .Stages(Stages), .Add(Add)) u_mac (.clk_i, .x_i, .t_i, .y_i, .p_o);
  end else begin : gen_together  // the product is made at once
    if (Multiplier == multiply_pkg::Block) begin : gen_block
      block_mac #(.W(W), .Stages(Stages), .Add(Add)) u_mac (.clk_i, .x_i, .y_i(y_i[0]), .t_i, .p_o);
      if (Stages > 1) begin : gen_late_y
        logic unused_y;
        assign unused_y = ^y_i[Stages-1:1];
      end
    end else begin : gen_operator
      logic [W-1:0] x, t;
      delay #(.Width(2 * W), .Cycles(Stages - 1)) u_operands (.clk_i, .d_i({x_i, t_i}), .q_o({x, t}));
      always_ff @(posedge clk_i) p_o <= (2*W)'(t) + (2*W)'(x) * (2*W)'(y_i[Stages-1]);

      if (Stages > 1) begin : gen_early_y
        logic unused_y;
        assign unused_y = ^y_i[Stages-2:0];
      end
    end
  end

endmodule
