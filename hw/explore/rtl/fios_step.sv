// SPDX-License-Identifier: Apache-2.0
// FIOS: a group of words of a product row and of a reduction row, t += x * y + n * m. Products, sum of the first row,
// sum of the second: three cycles.
//
//   cycle              0    1    2    3    4    5
//   valid_i            1    1    0
//   x, n, t, y, m_i    A    B
//   x * y, n * m            A    B
//   carry_xy_q              0    cA   cB   cB             carried out of the first row
//   sum_q                        A    B                   t + x * y
//   carry_mn_q                   0    dA   dB             and out of the second
//   t_o                               A    B    B
//
// Contract    as cios_step. m makes the lowest word of the result zero; the caller moves on by a word.
// Source      Koç, Acar, Kaliski 1996; Ramesh 2020, section 3.7.
module fios_step #(
  parameter int unsigned W          = 16,
  parameter int unsigned Group      = 1,
  parameter int unsigned Multiplier = multiply_pkg::Operator
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  input  logic                    valid_i,
  input  logic [W-1:0]            y_i,
  input  logic [W-1:0]            m_i,
  input  logic [Group-1:0][W-1:0] x_i,
  input  logic [Group-1:0][W-1:0] n_i,
  input  logic [Group-1:0][W-1:0] t_i,
  output logic [Group-1:0][W-1:0] t_o      // three cycles later, then held
);

  logic                      valid_q, valid_q2;
  logic [Group-1:0][2*W-1:0] product, reduction, reduction_q;
  logic [Group-1:0][W-1:0]   t_q, sum_q, sum_d, t_d;
  logic [W-1:0]              carry_xy_q, carry_xy_d, carry_mn_q, carry_mn_d;

  for (genvar g = 0; g < Group; g++) begin : gen_product
    multiply_add #(.W(W), .Stages(1), .Multiplier(Multiplier), .Add(1'b0)) u_product (
      .clk_i, .x_i(x_i[g]), .t_i('0), .y_i(y_i), .p_o(product[g])
    );
    multiply_add #(.W(W), .Stages(1), .Multiplier(Multiplier), .Add(1'b0)) u_reduction (
      .clk_i, .x_i(n_i[g]), .t_i('0), .y_i(m_i), .p_o(reduction[g])
    );
  end

  always_comb begin
    carry_xy_d = carry_xy_q;
    carry_mn_d = carry_mn_q;
    for (int unsigned g = 0; g < Group; g++) begin
      {carry_xy_d, sum_d[g]} = product[g] + (2*W)'(t_q[g]) + (2*W)'(carry_xy_d);
      {carry_mn_d, t_d[g]} = reduction_q[g] + (2*W)'(sum_q[g]) + (2*W)'(carry_mn_d);
    end
  end

  always_ff @(posedge clk_i) begin
    if (!rst_ni) begin
      {valid_q, valid_q2} <= '0;
      carry_xy_q <= '0;
      carry_mn_q <= '0;
    end else begin
      valid_q  <= valid_i;
      valid_q2 <= valid_q;
      if (valid_q) carry_xy_q <= carry_xy_d;
      if (valid_q2) carry_mn_q <= carry_mn_d;
    end
  end
  always_ff @(posedge clk_i) begin
    t_q         <= t_i;
    sum_q       <= sum_d;
    reduction_q <= reduction;
    if (valid_q2) t_o <= t_d;
  end

endmodule
