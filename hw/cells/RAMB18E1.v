// SPDX-License-Identifier: Apache-2.0
// Model of the RAMB18E1 of the Xilinx 7 series, as far as `prim/xilinx7` uses it: true dual port, port A reads through its
// output register, port B writes, both with the same width, no resets. A word read while it is written comes out wrong on
// purpose. After Xilinx UG473 (addresses: bit 0 of a word of 18 bits is address bit 4; bits 8 and 17 of the word of 18
// travel as parity).
/* verilator lint_off UNUSED */ // pins and parameters beyond this model
/* verilator lint_off WIDTH */
module RAMB18E1 #(
  parameter RAM_MODE = "TDP", READ_WIDTH_A = 0, WRITE_WIDTH_A = 0, READ_WIDTH_B = 0, WRITE_WIDTH_B = 0,
  parameter DOA_REG = 0, DOB_REG = 0, WRITE_MODE_A = "WRITE_FIRST", WRITE_MODE_B = "WRITE_FIRST", SIM_DEVICE = "7SERIES"
) (
  input CLKARDCLK, ENARDEN, REGCEAREGCE, RSTRAMARSTRAM, RSTREGARSTREG,
  input [13:0] ADDRARDADDR,
  input [1:0] WEA,
  input [15:0] DIADI,
  input [1:0] DIPADIP,
  output [15:0] DOADO,
  output [1:0] DOPADOP,
  input CLKBWRCLK, ENBWREN, REGCEB, RSTRAMB, RSTREGB,
  input [13:0] ADDRBWRADDR,
  input [3:0] WEBWE,
  input [15:0] DIBDI,
  input [1:0] DIPBDIP,
  output [15:0] DOBDO,
  output [1:0] DOPBDOP
);

  wire [2:0] shift = READ_WIDTH_A == 18 ? 4 : READ_WIDTH_A == 9 ? 3 : READ_WIDTH_A == 4 ? 2 : READ_WIDTH_A == 2 ? 1 : 0;
  wire [17:0] mask = READ_WIDTH_A == 18 ? 18'h3ffff : READ_WIDTH_A == 9 ? 18'h100ff : (18'd1 << READ_WIDTH_A) - 18'd1;
  reg [17:0] memory [0:16383];  // {parity, data}
  reg [17:0] word_q, out_q;
  wire [13:0] ra = ADDRARDADDR >> shift;
  wire [13:0] wa = ADDRBWRADDR >> shift;
  assign {DOPADOP, DOADO} = DOA_REG == 1 ? out_q : word_q;
  assign {DOPBDOP, DOBDO} = 18'd0;

  always @(posedge CLKBWRCLK) begin
    if (ENBWREN && WEBWE != 0) memory[wa] <= {DIPBDIP, DIBDI} & mask;
    if (READ_WIDTH_A != WRITE_WIDTH_B || RAM_MODE != "TDP" || (WEBWE != 0 && WEBWE != 4'b1111) || WEA != 0 || RSTRAMARSTRAM
        || RSTREGARSTREG) $error("RAMB18E1: beyond this model");
  end
  always @(posedge CLKARDCLK) begin
    if (ENARDEN) word_q <= (ENBWREN && WEBWE != 0 && wa == ra ? ~memory[ra] : memory[ra]) & mask;
    if (REGCEAREGCE) out_q <= word_q;
  end

endmodule
