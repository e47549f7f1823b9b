// SPDX-License-Identifier: Apache-2.0
// Model of the DP16KD of the Lattice ECP5, as far as `prim/ecp5` uses it: port A writes, port B reads, both with the
// same width, output register at port B, no resets, chip selects 0. A word read while it is written comes out wrong on
// purpose: the cell leaves open what it is. After Lattice FPGA-TN-02204 (addresses: bit 0 of a word of 18 bits is address
// bit 4; its address bits 0 and 1 enable its halves for writing).
/* verilator lint_off UNUSED */ // pins and parameters beyond this model
/* verilator lint_off WIDTH */
module DP16KD #(
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG",
  parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", CSDECODE_A = "0b000", CSDECODE_B = "0b000",
  parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB", RESETMODE = "SYNC", GSR = "ENABLED"
) (
  input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16,
    DIA17,
  input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16,
    DIB17,
  input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
  input CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
  output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16,
    DOB17
);

  wire [2:0] shift = DATA_WIDTH_A == 18 ? 4 : DATA_WIDTH_A == 9 ? 3 : DATA_WIDTH_A == 4 ? 2 : DATA_WIDTH_A == 2 ? 1 : 0;
  reg [DATA_WIDTH_A-1:0] memory [0:16383];

  wire [13:0] ada = {
    ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0
  };
  wire [13:0] adb = {
    ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0
  };
  wire [17:0] dia = {
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
    DIA1, DIA0
  };
  wire [13:0] wa = ada >> shift;
  wire [13:0] ra = adb >> shift;
  wire [17:0] enable = DATA_WIDTH_A == 18 ? {{9{ada[1]}}, {9{ada[0]}}} : 18'h3ffff;

  reg [DATA_WIDTH_B-1:0] word_q, out_q;
  wire [17:0] dob = REGMODE_B == "OUTREG" ? out_q : word_q;
  assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
    DOB1, DOB0
  } = dob;

  always @(posedge CLKA) begin
    if (CEA && WEA) memory[wa] <= memory[wa] & ~enable[DATA_WIDTH_A-1:0] | dia[DATA_WIDTH_A-1:0] & enable[DATA_WIDTH_A-1:0];
    if (DATA_WIDTH_A != DATA_WIDTH_B || WEB || RSTA || RSTB || CSA0 || CSA1 || CSA2 || CSB0 || CSB1 || CSB2)
      $error("DP16KD: beyond this model");
  end
  always @(posedge CLKB) begin
    if (CEB) word_q <= CEA && WEA && wa == ra ? ~memory[ra] : memory[ra];
    if (OCEB) out_q <= word_q;
  end

endmodule
