// SPDX-License-Identifier: Apache-2.0
// One row of the array: takes a partial sum t, word by word, and hands on
//
//   x = t + a * b,   m = x mod 2^W,   o = floor(x / 2^W) + m * Nb        Nb = (N~ + 1) / 2^W
//
// which is (x + m * N~) / 2^W, because N~ = -1 mod 2^W: the low word of x is the quotient digit itself (Orup). The
// digits `a` and `m` stand still in flip-flops in front of the multipliers (see prim/ecp5/multiplier for why not in
// those of the cells), while b and Nb stream by. Sums are in carry-save form with one register and one carry an adder:
// four adders of W bits, none longer.
//
// Word 0 of each stream, in cycles after `first_i` (L = ProductCycles, C = HopCycles); word j comes j cycles later:
//
//   0          a, first_i               a takes its place
//   1          b[0]                     into multiplier 1
//   L+1        a*b[0] out of it         y = low half + high half of the word before
//   L+2        t[0], y[0]               z = y + t
//   L+3        Nb[0], z[0] = m          into multiplier 2; z[1], z[2] ... are waiting for its products
//   C+L+1      m*Nb[0] out of it        u = z[1] + high half of the word before
//   C+L+2      o[0]                     the t[0] of the next row, which is C cycles behind: the loop is z -> m -> o
//
// The sum x has words+1 words: its top word, made in cycles L+2 .. L+4 beside the next pass, takes its place behind
// z[words-1].
//
// Contract    A pass is `words` long, from first_i to last_i, at least 2; the next may follow at once. Inputs outside a
//             pass are zero (b, t, n): then all carries are zero when the next pass comes. There is no reset: after
//             power-up, too, zeros clear them. t, a*b/2^W < 2^(W*words) - m*Nb, so that o has no carry out of its top
//             word: operands below 2*N~ see to that (R > 4*N~).
module mont_row #(
  parameter  int unsigned W             = 18,
  parameter  int unsigned HopCycles     = 5,  // 4: no pipeline register in multiplier 2; 5: one; 6: and a register behind
  localparam int unsigned ProductCycles = 4   // of multiplier 1: its three registers and one behind
) (
  input  logic         clk_i,
  input  logic         first_i,  // cycle 0
  input  logic         last_i,   // cycle words-1
  input  logic [W-1:0] a_i,      // with first_i
  input  logic [W-1:0] b_i,      // word 0 in cycle 1
  input  logic [W-1:0] t_i,      // ProductCycles + 1 after b_i
  input  logic [W-1:0] n_i,      // ProductCycles + 2 after b_i
  output logic [W-1:0] o_o       // HopCycles after t_i
);

  if (HopCycles < 4 || HopCycles > 6) begin : gen_bad_hop
    $fatal(1, "mont_row: HopCycles must be 4, 5 or 6");
  end

  logic [ProductCycles+1:0] first_q;          // [k]: first_i of k+1 cycles ago
  logic [ProductCycles+3:0] last_q;
  always_ff @(posedge clk_i) begin
    first_q <= {first_q[ProductCycles:0], first_i};
    last_q  <= {last_q[ProductCycles+2:0], last_i};
  end

  // x = t + a*b
  logic [W-1:0] a_q;
  always_ff @(posedge clk_i) begin
    if (first_i) a_q <= a_i;
  end
  logic [2*W-1:0] ab, ab_q;
  multiplier #(.Width(W), .PipelineRegister(1'b1)) u_product (.clk_i, .a_i(a_q), .b_i, .product_o(ab));

  logic [W-1:0] high_q, high_top_q, y_q, y_top_q, z_q, z_top_q;
  logic y_carry_q, y_carry_top_q, z_carry_q, z_carry_top_q;
  logic [W:0] y_sum, z_sum;
  logic last_y, last_z;
  assign last_y = last_q[ProductCycles];
  assign last_z = last_q[ProductCycles+1];
  assign y_sum = {1'b0, ab_q[W-1:0]} + {1'b0, high_q} + (W+1)'(y_carry_q);
  assign z_sum = {1'b0, y_q} + {1'b0, t_i} + (W+1)'(z_carry_q);
  always_ff @(posedge clk_i) begin
    ab_q          <= ab;
    high_top_q    <= ab_q[2*W-1:W];
    high_q        <= last_y ? '0 : ab_q[2*W-1:W];
    y_q           <= y_sum[W-1:0];
    y_carry_top_q <= y_sum[W];
    y_carry_q     <= y_sum[W] & ~last_y;
    y_top_q       <= high_top_q + W'(y_carry_top_q);
    z_q           <= z_sum[W-1:0];
    z_carry_top_q <= z_sum[W];
    z_carry_q     <= z_sum[W] & ~last_z;
    z_top_q       <= y_top_q + W'(z_carry_top_q);
  end

  // o = floor(x / 2^W) + m*Nb
  logic [2*W-1:0] mn, mn_q;
  logic [W-1:0] m_q;
  logic top_z;
  assign top_z = last_q[ProductCycles+3];
  always_ff @(posedge clk_i) begin
    if (first_q[ProductCycles+1]) m_q <= z_sum[W-1:0];
  end
  multiplier #(.Width(W), .PipelineRegister(HopCycles >= 5)) u_reduction (
    .clk_i, .a_i(m_q), .b_i(n_i), .product_o(mn)
  );

  logic [W-1:0] z_late;
  delay #(.Width(W), .Cycles(HopCycles - 4)) u_z (.clk_i, .d_i(top_z ? z_top_q : z_q), .q_o(z_late));
  delay #(.Width(2*W), .Cycles(HopCycles == 6 ? 1 : 0)) u_mn (.clk_i, .d_i(mn), .q_o(mn_q));

  logic [W-1:0] u_q;
  logic u_carry_q, o_carry_q;
  logic [W:0] u_sum, o_sum;
  assign u_sum = {1'b0, z_late} + {1'b0, mn_q[2*W-1:W]} + (W+1)'(u_carry_q);
  assign o_sum = {1'b0, u_q} + {1'b0, mn_q[W-1:0]} + (W+1)'(o_carry_q);
  always_ff @(posedge clk_i) begin
    {u_carry_q, u_q} <= u_sum;
    {o_carry_q, o_o} <= o_sum;
  end

endmodule
