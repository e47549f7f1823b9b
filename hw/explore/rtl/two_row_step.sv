// SPDX-License-Identifier: Apache-2.0
// The two-row design: the same word of two rows a step, t += x * (y1, y0), with three carries.
//
//   word j+2:  S2 = t[j+2]          + high(x[j] * y1) + C2
//   word j+1:  S1 + low(x[j] * y1)  + high(x[j] * y0) + C1        becomes S0 of the next step
//   word j:    S0                   + low(x[j] * y0)  + C0        is done
//
//   cycle      0      1      2      3      4      5           the first steps of a pass
//   valid_i    1      1      1      1
//   t_i        t[0]   t[1]   t[2]   t[3]
//   x_i        0      0      x[0]   x[1]
//   x * y             0      0      x[0]   x[1]
//   s1_q                     t[0]   t[1]   S1'    S1"         word j+1 of the step that is added
//   s0_q                            t[0]   S0'    S0"         word j
//   t_o                      0      0      t'[0]  t'[1]
//
// Contract    as cios_step, and t_i is two words ahead of x_i and t_o: with x = 0 a step only moves words on.
// Source      Ramesh 2020, section 3.8 and appendix A.3.
module two_row_step #(
  parameter int unsigned W          = 16,
  parameter int unsigned Group      = 1,
  parameter int unsigned Multiplier = multiply_pkg::Operator
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    valid_i,
  input  logic [1:0][W-1:0]       y_i,
  input  logic [Group-1:0][W-1:0] x_i,
  input  logic [Group-1:0][W-1:0] t_i,
  output logic [Group-1:0][W-1:0] t_o      // two cycles later, then held
);

  logic                      valid_q;
  logic [Group-1:0][2*W-1:0] product0, product1;
  logic [Group-1:0][W-1:0]   t_q, t_d;
  logic [W-1:0]              s0_q, s0_d, s1_q, s1_d;
  logic                      c0_q, c0_d, c2_q, c2_d;
  logic [1:0]                c1_q, c1_d;

  for (genvar g = 0; g < Group; g++) begin : gen_product
    multiply_add #(.W(W), .Stages(1), .Multiplier(Multiplier), .Add(1'b0)) u_product0 (
      .clk_i, .x_i(x_i[g]), .t_i('0), .y_i(y_i[0]), .p_o(product0[g])
    );
    multiply_add #(.W(W), .Stages(1), .Multiplier(Multiplier), .Add(1'b0)) u_product1 (
      .clk_i, .x_i(x_i[g]), .t_i('0), .y_i(y_i[1]), .p_o(product1[g])
    );
  end

  always_comb begin
    {s0_d, s1_d} = {s0_q, s1_q};
    {c0_d, c1_d, c2_d} = {c0_q, c1_q, c2_q};
    for (int unsigned g = 0; g < Group; g++) begin
      {c0_d, t_d[g]} = (W+1)'(product0[g][W-1:0]) + (W+1)'(s0_d) + (W+1)'(c0_d);
      {c1_d, s0_d} = (W+2)'(product0[g][2*W-1:W]) + (W+2)'(s1_d) + (W+2)'(c1_d) + (W+2)'(product1[g][W-1:0]);
      {c2_d, s1_d} = (W+1)'(product1[g][2*W-1:W]) + (W+1)'(t_q[g]) + (W+1)'(c2_d);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      valid_q <= 1'b0;
      {s0_q, s1_q} <= '0;
      {c0_q, c1_q, c2_q} <= '0;
    end else begin
      valid_q <= valid_i;
      if (valid_q) begin
        {s0_q, s1_q} <= {s0_d, s1_d};
        {c0_q, c1_q, c2_q} <= {c0_d, c1_d, c2_d};
      end
    end
  end
  always_ff @(posedge clk_i) begin
    t_q <= t_i;
    if (valid_q) t_o <= t_d;
  end

endmodule
