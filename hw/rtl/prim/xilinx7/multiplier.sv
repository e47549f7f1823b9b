// SPDX-License-Identifier: Apache-2.0
// Multiplier in one DSP48E1 of the Xilinx 7 series, with the registers of the cell.
//
//   cycle              0    1    2    3         PipelineRegister = 1; one cycle less without
//   a_i, b_i           A
//   A2, B2                  A
//   M                            A*B
//   product_o                         A*B       P: the cell's adder passes M on
//
// Contract    See the generic twin.
//
// The cell multiplies 25 x 18 bits signed: 17 bits of unsigned factors. `a` is in A2, `b` in B2; M is the pipeline
// register, P the output register.
// Source      Xilinx UG479 (7 series DSP48E1 slice).
module multiplier #(
  parameter int unsigned Width            = 17,
  parameter bit          PipelineRegister = 1'b1
) (
  input  logic               clk_i,
  input  logic [Width-1:0]   a_i,
  input  logic [Width-1:0]   b_i,
  output logic [2*Width-1:0] product_o
);

  if (Width > 17) begin : gen_bad_width
    $fatal(1, "multiplier: a DSP48E1 has 17 bits of unsigned factors");
  end

  /* verilator lint_off UNUSEDSIGNAL */ // the top of the product
  logic [47:0] p;
  /* verilator lint_on UNUSEDSIGNAL */
  assign product_o = p[2*Width-1:0];

  DSP48E1 #(
    .AREG(1), .ACASCREG(1), .BREG(1), .BCASCREG(1), .CREG(0), .DREG(0), .ADREG(0),
    .MREG(PipelineRegister ? 1 : 0), .PREG(1), .INMODEREG(0), .OPMODEREG(0), .ALUMODEREG(0), .CARRYINREG(0),
    .CARRYINSELREG(0), .USE_MULT("MULTIPLY"), .USE_SIMD("ONE48"), .USE_DPORT("FALSE")
  ) u_cell (
    .CLK(clk_i),
    .A(30'(a_i)), .B(18'(b_i)), .C(48'd0), .D(25'd0), .CARRYIN(1'b0),
    .ACIN(30'd0), .BCIN(18'd0), .PCIN(48'd0), .CARRYCASCIN(1'b0), .MULTSIGNIN(1'b0),
    .OPMODE(7'b0000101), .ALUMODE(4'b0000), .INMODE(5'b00000), .CARRYINSEL(3'b000),  // P = M
    .CEA1(1'b0), .CEA2(1'b1), .CEB1(1'b0), .CEB2(1'b1), .CEC(1'b0), .CED(1'b0), .CEAD(1'b0),
    .CEM(1'b1), .CEP(1'b1), .CEINMODE(1'b0), .CECTRL(1'b0), .CEALUMODE(1'b0), .CECARRYIN(1'b0),
    .RSTA(1'b0), .RSTB(1'b0), .RSTC(1'b0), .RSTD(1'b0), .RSTM(1'b0), .RSTP(1'b0),
    .RSTINMODE(1'b0), .RSTCTRL(1'b0), .RSTALUMODE(1'b0), .RSTALLCARRYIN(1'b0),
    .P(p)
  );

endmodule
