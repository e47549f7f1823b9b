// SPDX-License-Identifier: Apache-2.0
// Model of the DP16KD of the Lattice ECP5, as far as `prim/ecp5` and Yosys use it: port A writes and reads the word that was
// there before, port B reads; both have the same width, and 36 bits need the data pins of both; no resets, chip selects 0. A
// word read at port B while it is written comes out wrong on purpose: the cell leaves open what it is. After Lattice
// FPGA-TN-02204: address bit 0 is that of a word of one bit; words of 18 and 36 bits have their bytes' enables below their
// address. Nine bits are a byte; words of 1, 2 and 4 bits use eight of them.
//
// INITVAL_nn are 32 bytes each, two in 20 bits. Without the first of them the memory begins with anything.
/* verilator lint_off UNUSED */ // pins and parameters beyond this model
/* verilator lint_off WIDTH */
module DP16KD #(
  parameter DATA_WIDTH_A = 18, DATA_WIDTH_B = 18, REGMODE_A = "NOREG", REGMODE_B = "NOREG",
  parameter WRITEMODE_A = "NORMAL", WRITEMODE_B = "NORMAL", CSDECODE_A = "0b000", CSDECODE_B = "0b000",
  parameter CLKAMUX = "CLKA", CLKBMUX = "CLKB", RESETMODE = "SYNC", GSR = "ENABLED"
`ifndef SYNTHESIS  // of a cell that the RTL names, synthesis would write them all into the netlist
  , parameter ASYNC_RESET_RELEASE = "SYNC",
  parameter [319:0] INITVAL_00 = {1'b1, 319'b0},  // a bit that no byte has: not given
  parameter [319:0] INITVAL_01 = 0, INITVAL_02 = 0, INITVAL_03 = 0, INITVAL_04 = 0,
  parameter [319:0] INITVAL_05 = 0, INITVAL_06 = 0, INITVAL_07 = 0, INITVAL_08 = 0,
  parameter [319:0] INITVAL_09 = 0, INITVAL_0A = 0, INITVAL_0B = 0, INITVAL_0C = 0,
  parameter [319:0] INITVAL_0D = 0, INITVAL_0E = 0, INITVAL_0F = 0, INITVAL_10 = 0,
  parameter [319:0] INITVAL_11 = 0, INITVAL_12 = 0, INITVAL_13 = 0, INITVAL_14 = 0,
  parameter [319:0] INITVAL_15 = 0, INITVAL_16 = 0, INITVAL_17 = 0, INITVAL_18 = 0,
  parameter [319:0] INITVAL_19 = 0, INITVAL_1A = 0, INITVAL_1B = 0, INITVAL_1C = 0,
  parameter [319:0] INITVAL_1D = 0, INITVAL_1E = 0, INITVAL_1F = 0, INITVAL_20 = 0,
  parameter [319:0] INITVAL_21 = 0, INITVAL_22 = 0, INITVAL_23 = 0, INITVAL_24 = 0,
  parameter [319:0] INITVAL_25 = 0, INITVAL_26 = 0, INITVAL_27 = 0, INITVAL_28 = 0,
  parameter [319:0] INITVAL_29 = 0, INITVAL_2A = 0, INITVAL_2B = 0, INITVAL_2C = 0,
  parameter [319:0] INITVAL_2D = 0, INITVAL_2E = 0, INITVAL_2F = 0, INITVAL_30 = 0,
  parameter [319:0] INITVAL_31 = 0, INITVAL_32 = 0, INITVAL_33 = 0, INITVAL_34 = 0,
  parameter [319:0] INITVAL_35 = 0, INITVAL_36 = 0, INITVAL_37 = 0, INITVAL_38 = 0,
  parameter [319:0] INITVAL_39 = 0, INITVAL_3A = 0, INITVAL_3B = 0, INITVAL_3C = 0,
  parameter [319:0] INITVAL_3D = 0, INITVAL_3E = 0, INITVAL_3F = 0
`endif
) (
  input ADA0, ADA1, ADA2, ADA3, ADA4, ADA5, ADA6, ADA7, ADA8, ADA9, ADA10, ADA11, ADA12, ADA13,
  input ADB0, ADB1, ADB2, ADB3, ADB4, ADB5, ADB6, ADB7, ADB8, ADB9, ADB10, ADB11, ADB12, ADB13,
  input DIA0, DIA1, DIA2, DIA3, DIA4, DIA5, DIA6, DIA7, DIA8, DIA9, DIA10, DIA11, DIA12, DIA13, DIA14, DIA15, DIA16,
    DIA17,
  input DIB0, DIB1, DIB2, DIB3, DIB4, DIB5, DIB6, DIB7, DIB8, DIB9, DIB10, DIB11, DIB12, DIB13, DIB14, DIB15, DIB16,
    DIB17,
  input CLKA, CEA, OCEA, WEA, RSTA, CSA0, CSA1, CSA2,
  input CLKB, CEB, OCEB, WEB, RSTB, CSB0, CSB1, CSB2,
`ifdef NETLIST  // the RTL does not read at port A
  output DOA0, DOA1, DOA2, DOA3, DOA4, DOA5, DOA6, DOA7, DOA8, DOA9, DOA10, DOA11, DOA12, DOA13, DOA14, DOA15, DOA16,
    DOA17,
`endif
  output DOB0, DOB1, DOB2, DOB3, DOB4, DOB5, DOB6, DOB7, DOB8, DOB9, DOB10, DOB11, DOB12, DOB13, DOB14, DOB15, DOB16,
    DOB17
);

`ifndef SYNTHESIS
  reg [8:0] memory[0:2047];

  initial if (!INITVAL_00[319]) begin : fill
    reg [20479:0] contents;
    integer n;
    contents = {
      INITVAL_3F, INITVAL_3E, INITVAL_3D, INITVAL_3C, INITVAL_3B, INITVAL_3A, INITVAL_39, INITVAL_38,
      INITVAL_37, INITVAL_36, INITVAL_35, INITVAL_34, INITVAL_33, INITVAL_32, INITVAL_31, INITVAL_30,
      INITVAL_2F, INITVAL_2E, INITVAL_2D, INITVAL_2C, INITVAL_2B, INITVAL_2A, INITVAL_29, INITVAL_28,
      INITVAL_27, INITVAL_26, INITVAL_25, INITVAL_24, INITVAL_23, INITVAL_22, INITVAL_21, INITVAL_20,
      INITVAL_1F, INITVAL_1E, INITVAL_1D, INITVAL_1C, INITVAL_1B, INITVAL_1A, INITVAL_19, INITVAL_18,
      INITVAL_17, INITVAL_16, INITVAL_15, INITVAL_14, INITVAL_13, INITVAL_12, INITVAL_11, INITVAL_10,
      INITVAL_0F, INITVAL_0E, INITVAL_0D, INITVAL_0C, INITVAL_0B, INITVAL_0A, INITVAL_09, INITVAL_08,
      INITVAL_07, INITVAL_06, INITVAL_05, INITVAL_04, INITVAL_03, INITVAL_02, INITVAL_01, INITVAL_00
    };
    for (n = 0; n < 2048; n = n + 1) memory[n] = contents[n/2*20+n%2*9+:9];
  end

  wire [13:0] ada = {
    ADA13, ADA12, ADA11, ADA10, ADA9, ADA8, ADA7, ADA6, ADA5, ADA4, ADA3, ADA2, ADA1, ADA0
  };
  wire [13:0] adb = {
    ADB13, ADB12, ADB11, ADB10, ADB9, ADB8, ADB7, ADB6, ADB5, ADB4, ADB3, ADB2, ADB1, ADB0
  };
  wire [35:0] in = {
    DIB17, DIB16, DIB15, DIB14, DIB13, DIB12, DIB11, DIB10, DIB9, DIB8, DIB7, DIB6, DIB5, DIB4, DIB3, DIB2,
    DIB1, DIB0,
    DIA17, DIA16, DIA15, DIA14, DIA13, DIA12, DIA11, DIA10, DIA9, DIA8, DIA7, DIA6, DIA5, DIA4, DIA3, DIA2,
    DIA1, DIA0
  };
  wire write = CEA && WEA;

  reg [35:0] word_a_q, word_b_q, out_a_q, out_b_q;
  wire [35:0] out_a = REGMODE_A == "OUTREG" ? out_a_q : word_a_q;
  wire [35:0] out_b = REGMODE_B == "OUTREG" ? out_b_q : word_b_q;
  assign {
    DOB17, DOB16, DOB15, DOB14, DOB13, DOB12, DOB11, DOB10, DOB9, DOB8, DOB7, DOB6, DOB5, DOB4, DOB3, DOB2,
    DOB1, DOB0
  } = DATA_WIDTH_B == 36 ? out_b[35:18] : out_b[17:0];
`ifdef NETLIST
  assign {
    DOA17, DOA16, DOA15, DOA14, DOA13, DOA12, DOA11, DOA10, DOA9, DOA8, DOA7, DOA6, DOA5, DOA4, DOA3, DOA2,
    DOA1, DOA0
  } = DATA_WIDTH_B == 36 ? out_b[17:0] : out_a[17:0];
`endif

  generate
    if (DATA_WIDTH_A < 9) begin : gen_bits
      always @(posedge CLKA) begin
        if (write) memory[ada[13:3]][ada[2:0]+:DATA_WIDTH_A] <= in[DATA_WIDTH_A-1:0];
        if (CEA) word_a_q <= memory[ada[13:3]][ada[2:0]+:DATA_WIDTH_A];
      end
      always @(posedge CLKB) if (CEB) begin
        word_b_q <= memory[adb[13:3]][adb[2:0]+:DATA_WIDTH_A] ^ {DATA_WIDTH_A{write && ada == adb}};
      end
    end else begin : gen_bytes
      wire [10:0] wa = ada[13:3] & ~(DATA_WIDTH_A / 9 - 1);
      wire [10:0] ra = adb[13:3] & ~(DATA_WIDTH_A / 9 - 1);
      always @(posedge CLKA) begin : port_a
        integer i;
        for (i = 0; i < DATA_WIDTH_A / 9; i = i + 1) begin
          if (write && (DATA_WIDTH_A == 9 || ada[i])) memory[wa + i] <= in[9*i+:9];
          if (CEA) word_a_q[9*i+:9] <= memory[wa + i];
        end
      end
      always @(posedge CLKB) if (CEB) begin : port_b
        integer i;
        for (i = 0; i < DATA_WIDTH_A / 9; i = i + 1) begin
          word_b_q[9*i+:9] <= memory[ra + i] ^ {9{write && (DATA_WIDTH_A == 9 || ada[i]) && wa == ra}};
        end
      end
    end
  endgenerate

  always @(posedge CLKA) begin
    if (OCEA) out_a_q <= word_a_q;
    if (DATA_WIDTH_A != DATA_WIDTH_B || WEB || RSTA || RSTB || CSA0 || CSA1 || CSA2 || CSB0 || CSB1 || CSB2)
      $error("DP16KD: beyond this model");
  end
  always @(posedge CLKB) if (OCEB) out_b_q <= word_b_q;
`endif

endmodule
