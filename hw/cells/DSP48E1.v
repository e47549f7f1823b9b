// SPDX-License-Identifier: Apache-2.0
// Model of the DSP48E1 of the Xilinx 7 series, as far as `prim/xilinx7` uses it: P = A[24:0] * B, signed, with registers
// A2, B2, M (if MREG), P. Anything else set is an error. After Xilinx UG479.
/* verilator lint_off UNUSED */ // pins and parameters beyond this model
/* verilator lint_off WIDTH */
module DSP48E1 #(
  parameter AREG = 1, ACASCREG = 1, BREG = 1, BCASCREG = 1, CREG = 1, DREG = 1, ADREG = 1, MREG = 1, PREG = 1,
  parameter INMODEREG = 1, OPMODEREG = 1, ALUMODEREG = 1, CARRYINREG = 1, CARRYINSELREG = 1,
  parameter USE_MULT = "MULTIPLY", USE_SIMD = "ONE48", USE_DPORT = "FALSE"
) (
  input CLK,
  input [29:0] A, ACIN,
  input [17:0] B, BCIN,
  input [47:0] C, PCIN,
  input [24:0] D,
  input CARRYIN, CARRYCASCIN, MULTSIGNIN,
  input [6:0] OPMODE,
  input [3:0] ALUMODE,
  input [4:0] INMODE,
  input [2:0] CARRYINSEL,
  input CEA1, CEA2, CEB1, CEB2, CEC, CED, CEAD, CEM, CEP, CEINMODE, CECTRL, CEALUMODE, CECARRYIN,
  input RSTA, RSTB, RSTC, RSTD, RSTM, RSTP, RSTINMODE, RSTCTRL, RSTALUMODE, RSTALLCARRYIN,
  output [47:0] P
);

  reg signed [29:0] a_q;
  reg signed [17:0] b_q;
  reg signed [42:0] m_q;
  reg signed [47:0] p_q;
  wire signed [24:0] a_used = a_q[24:0];
  wire signed [42:0] m = a_used * b_q;
  wire signed [42:0] m_used = MREG == 1 ? m_q : m;
  assign P = p_q;

  always @(posedge CLK) begin
    if (CEA2) a_q <= A;
    if (CEB2) b_q <= B;
    if (CEM) m_q <= m;
    if (CEP) p_q <= m_used;
    if (AREG != 1 || BREG != 1 || PREG != 1 || OPMODE != 7'b0000101 || ALUMODE != 0 || INMODE != 0 || CARRYIN ||
        CARRYINSEL != 0 || RSTA || RSTB || RSTM || RSTP) $error("DSP48E1: beyond this model");
  end

endmodule
