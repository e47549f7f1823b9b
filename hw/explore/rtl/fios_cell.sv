// SPDX-License-Identifier: Apache-2.0
// One row of FIOS for a stream of words, which finds its own quotient digit: t' = (t + a * b + n * m) / 2^W.
//
//   cycle        0    1    2    3    4    5    6    7    8    9   10   11          Stages = 1: Hop = 2 * Stages + 5 = 7
//   load_i       1                                                                  b_i is the row's word
//   a_i               a[0] a[1]
//   a * b                  p[0] p[1]
//   s1_q                        s[0] s[1]                                           low(p[j]) + high(p[j-1]) + carry
//   t_i                         t[0] t[1]                                           Stages + 2 cycles after load_i
//   u_q                              u[0] u[1]                                      s[j] + t[j] + carry
//   n_i                              n'   ..   n[0] n[1]                            n' = -1 / n mod 2^W: with u[0] it
//   n * y                                 m         q[0] q[1]                       gives m, by the multiplier of n
//   s2_q                                                 r[0] r[1]
//   t_o                                                       0    t'[0] t'[1]      r[j] + u[j] + carry, the next row's
//   a_o, n_o                                         a[0] a[1]                      t_i Hop later than this one's
//   load_o                                      1
//
// A cell has two multipliers and four adders of W bits. Each adder keeps one bit of carry; the masks take the product
// that gives m out of the sum.
//
// Parameters  W word bits; Stages of a multiplier.
// Contract    a and n: zero but for words 0 .. s-1; t words 0 .. s, t < 2 n. load_i comes at least s + Stages + 1
//             cycles after the one before. No reset: two words of zero end every sum.
module fios_cell #(
  parameter  int unsigned W          = 16,
  parameter  int unsigned Stages     = 1,
  parameter  int unsigned Multiplier = multiply_pkg::Booth,
  localparam int unsigned Hop        = 2 * Stages + 5
) (
  input  logic         clk_i,
  input  logic         load_i,
  input  logic [W-1:0] b_i,
  input  logic [W-1:0] a_i,
  input  logic [W-1:0] n_i,
  input  logic [W-1:0] t_i,
  input  logic         t_valid_i,  // zero is taken otherwise
  output logic         load_o,
  output logic [W-1:0] a_o,
  output logic [W-1:0] n_o,
  output logic [W-1:0] t_o
);

  // ---- The product row
  logic [W-1:0]   b_q, s1_q, high_a_q, u_q;
  logic [2*W-1:0] product_a;
  logic [W:0]     s1, u;
  logic           carry_s1_q, carry_u_q;

  always_ff @(posedge clk_i) if (load_i) b_q <= b_i;

  multiply #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_product (.clk_i, .x_i(a_i), .y_i(b_q), .p_o(product_a));
  gated_add #(.Width(W)) u_s1 (
    .a_i(product_a[W-1:0]), .a_enable_i(1'b1), .b_i(high_a_q), .b_enable_i(1'b1), .carry_i(carry_s1_q), .sum_o(s1)
  );
  gated_add #(.Width(W)) u_u (
    .a_i(s1_q), .a_enable_i(1'b1), .b_i(t_i), .b_enable_i(t_valid_i), .carry_i(carry_u_q), .sum_o(u)
  );

  // ---- The reduction row: first the digit, then the words of n
  logic           find, masked_low_q, masked_high_q;
  logic [W-1:0]   m_q, s2_q, high_n_q, u_late;
  logic [2*W-1:0] product_n;
  logic [W:0]     s2, t;
  logic           carry_s2_q, carry_t_q;

  delay #(.Width(1), .Cycles(Stages + 3)) u_find (.clk_i, .d_i(load_i), .q_o(find));
  delay #(.Width(1), .Cycles(Stages)) u_masked (.clk_i, .d_i(find), .q_o(masked_low_q));
  always_ff @(posedge clk_i) begin
    masked_high_q <= masked_low_q;
    if (masked_low_q) m_q <= product_n[W-1:0];
  end

  multiply #(.W(W), .Stages(Stages), .Multiplier(Multiplier)) u_reduction (
    .clk_i, .x_i(n_i), .y_i(find ? u_q : m_q), .p_o(product_n)
  );
  delay #(.Width(W), .Cycles(2 * Stages + 2)) u_late_u (.clk_i, .d_i(u_q), .q_o(u_late));
  gated_add #(.Width(W)) u_s2 (
    .a_i(product_n[W-1:0]), .a_enable_i(!masked_low_q), .b_i(high_n_q), .b_enable_i(!masked_high_q),
    .carry_i(carry_s2_q), .sum_o(s2)
  );
  gated_add #(.Width(W)) u_t (
    .a_i(s2_q), .a_enable_i(1'b1), .b_i(u_late), .b_enable_i(1'b1), .carry_i(carry_t_q), .sum_o(t)
  );

  always_ff @(posedge clk_i) begin
    high_a_q <= product_a[2*W-1:W];
    s1_q     <= s1[W-1:0];
    u_q      <= u[W-1:0];
    high_n_q <= product_n[2*W-1:W];
    s2_q     <= s2[W-1:0];
    t_o      <= t[W-1:0];
  end
  always_ff @(posedge clk_i) {carry_s1_q, carry_u_q, carry_s2_q, carry_t_q} <= {s1[W], u[W], s2[W], t[W]};

  // ---- To the next row
  delay #(.Width(1), .Cycles(Hop)) u_load (.clk_i, .d_i(load_i), .q_o(load_o));
  delay #(.Width(W), .Cycles(Hop)) u_a (.clk_i, .d_i(a_i), .q_o(a_o));
  delay #(.Width(W), .Cycles(Hop)) u_n (.clk_i, .d_i(n_i), .q_o(n_o));

endmodule
