// SPDX-License-Identifier: Apache-2.0
// One row of the chain: t + x * y for a stream of words, low word out, high word into the next.
//
//   cycle     0      1      2      3      4      5      6         Stages = 2, Fold = 1: Hop = Stages + 1 = 3
//   load_i    1                                                   y_i is the row's word while it is taken
//   t_i              t[0]   t[1]   t[2]
//   x_i              x[0]   x[1]   x[2]
//   product                        p[0]   p[1]   p[2]
//   t_o                                   t'[0]  t'[1]  t'[2]     low(p[i]) + high(p[i-1]) + carry
//   x_o                            x[0]   x[1]   x[2]             Hop - Fold cycles later: the next cell has the row
//   load_o                  1                                     below, with x a word ahead of t
//
// With Fold = 2 the words of two rows take turns (lap 0, lap 1); then the cell holds a multiplier word for each.
// The sums fit the words of a pass, so high word and carry are zero after its last: nothing to clear between passes.
//
// Contract    load_i[l] comes Fold cycles before the first word of lap l of a pass; y_i holds still until all stages
//             have it. lap_i is the lap of the word on t_i.
module row_cell #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Fold       = 1,
  parameter  int unsigned Stages     = 1,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  localparam int unsigned Skip       = Stages + 1 - Fold  // what x is delayed by
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,
  input  logic [W-1:0]           x_i,
  input  logic [W-1:0]           t_i,
  input  logic [Fold-1:0]        load_i,
  input  logic                   lap_i,
  input  logic [Fold-1:0][W-1:0] y_i,
  output logic [W-1:0]           x_o,
  output logic [W-1:0]           t_o,
  output logic [Fold-1:0]        load_o
);

  logic [Stages-1:0][W-1:0] y;
  for (genvar s = 0; s < Stages; s++) begin : gen_y
    logic [Fold-1:0] load;
    delay #(.Width(Fold), .Cycles(s)) u_load (.clk_i, .d_i(load_i), .q_o(load));

    logic [Fold-1:0][W-1:0] held_q;
    for (genvar l = 0; l < Fold; l++) begin : gen_lap
      always_ff @(posedge clk_i) if (load[l]) held_q[l] <= y_i[l];
    end

    if (Fold == 1) begin : gen_hold
      assign y[s] = held_q[0];
    end else begin : gen_turn
      logic next_lap;
      assign next_lap = s % 2 == 0 ? !lap_i : lap_i;
      always_ff @(posedge clk_i) y[s] <= next_lap ? held_q[1] : held_q[0];
    end
  end
  if (Fold == 1) begin : gen_no_laps
    logic unused_lap;
    assign unused_lap = lap_i;
  end

  logic [2*W-1:0] product;
  multiply_add #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_mac (.clk_i, .x_i, .t_i, .y_i(y), .p_o(product));

  logic [W-1:0] high_q[Fold];
  logic         carry_q[Fold];
  logic         carry;
  logic [W-1:0] low;
  assign {carry, low} = {1'b0, product[W-1:0]} + {1'b0, high_q[Fold-1]} + (W+1)'(carry_q[Fold-1]);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      high_q  <= '{default: '0};
      carry_q <= '{default: '0};
    end else begin
      high_q[0]  <= product[2*W-1:W];
      carry_q[0] <= carry;
      for (int unsigned l = 1; l < Fold; l++) begin
        high_q[l]  <= high_q[l-1];
        carry_q[l] <= carry_q[l-1];
      end
    end
  end
  always_ff @(posedge clk_i) t_o <= low;

  delay #(.Width(W), .Cycles(Skip)) u_x (.clk_i, .d_i(x_i), .q_o(x_o));
  delay #(.Width(Fold), .Cycles(Skip)) u_load (.clk_i, .d_i(load_i), .q_o(load_o));

endmodule
