// SPDX-License-Identifier: Apache-2.0
// Multiply-add without a multiplier block: p = t + x * y, one gated adder for each bit of y.
//
// On a family whose carry chain takes the AND gate of a bit in (ECP5: prim/gated_add), this is a LUT for each pair of
// bits; Booth digits (booth_mac) need three there for two, and are the better ones where a LUT has six inputs.
//
//   cycle     0      1      2     ...   Stages
//   x,t_i     A      B
//   y_i[0]    for A  for B                        bits 0 .. of the first stage
//   y_i[1]           for A  for B                 bits of the second stage
//   p_o                                   A
//
// Parameters  Stages: the registers the adders are spread over; Add: 0 where t is not looked at, an adder less.
// Contract    y_i[s] is the multiplier of what entered s cycles ago. p < 2^(2W) always.
module array_mac #(
  parameter int unsigned W      = 16,
  parameter int unsigned Stages = 1,
  parameter bit          Add    = 1'b1
) (
  input  logic                     clk_i,
  input  logic [W-1:0]             x_i,
  input  logic [W-1:0]             t_i,
  input  logic [Stages-1:0][W-1:0] y_i,
  output logic [2*W-1:0]           p_o
);

  localparam int unsigned Adders = Add ? W : W - 1;  // without t, the first adds the lowest two rows

  if (Stages < 1 || Stages > Adders) begin : gen_bad_stages
    $error("array_mac: Stages must be 1 to W - 1, or W where Add");
  end

  function automatic int unsigned stage_of(int unsigned adder);
    return adder * Stages / Adders;
  endfunction

  logic [W-1:0] x[Stages];
  assign x[0] = x_i;
  for (genvar s = 1; s < Stages; s++) begin : gen_x
    always_ff @(posedge clk_i) x[s] <= x[s-1];
  end

  for (genvar i = 0; i < Adders; i++) begin : gen_adder
    localparam int unsigned Stage = stage_of(i);
    localparam int unsigned Bit   = Add ? i : i + 1;  // of y, and of the result

    logic [W-1:0] sum_in;   // what the bits below have left, in units of 2^Bit
    logic [W:0]   sum_out;
    logic         sum_in_enable;
    if (i == 0) begin : gen_first
      assign sum_in = Add ? t_i : {1'b0, x_i[W-1:1]};
      assign sum_in_enable = Add ? 1'b1 : y_i[0][0];
    end else begin : gen_higher
      assign sum_in_enable = 1'b1;
      if (Stage != stage_of(i - 1)) begin : gen_register
        always_ff @(posedge clk_i) sum_in <= gen_adder[i-1].sum_out[W:1];
      end else begin : gen_wire
        assign sum_in = gen_adder[i-1].sum_out[W:1];
      end
    end

    gated_add #(.Width(W), .CarryIn(1'b0)) u_add (
      .a_i(sum_in), .a_enable_i(sum_in_enable), .b_i(x[Stage]), .b_enable_i(y_i[Stage][Bit]), .carry_i(1'b0),
      .sum_o(sum_out)
    );

    delay #(.Width(1), .Cycles(Stages - Stage)) u_low (.clk_i, .d_i(sum_out[0]), .q_o(p_o[Bit]));
    if (i == Adders - 1) begin : gen_last
      always_ff @(posedge clk_i) p_o[2*W-1:W] <= sum_out[W:1];
    end
  end

  if (!Add) begin : gen_lowest
    delay #(.Width(1), .Cycles(Stages)) u_low (.clk_i, .d_i(x_i[0] & y_i[0][0]), .q_o(p_o[0]));
    logic unused_t;
    assign unused_t = ^t_i;
  end
  logic unused_y;
  assign unused_y = ^y_i;

endmodule
