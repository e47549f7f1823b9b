// SPDX-License-Identifier: Apache-2.0
// Memory in DP16KDs of the ECP5, with their output registers.
//
//   cycle            0    1    2
//   read_address_i   A                   taken by the cell's registers
//   read_data_o                M[A]      the output register
//
// Contract    See the generic twin.
//
// Each cell has all words and as many of their bits as fit (18 of 1024, 9 of 2048, 4 of 4096, 2 of 8192, 1 of 16384):
// no multiplexer behind the cells. Port A writes, port B reads.
// Source      Lattice FPGA-TN-02204 (ECP5 memory usage guide).
module ram #(
  parameter  int unsigned Width        = 18,
  parameter  int unsigned Depth        = 1024,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input  logic                    clk_i,
  input  logic                    write_enable_i,
  input  logic [AddressWidth-1:0] write_address_i,
  input  logic [Width-1:0]        write_data_i,
  input  logic [AddressWidth-1:0] read_address_i,
  output logic [Width-1:0]        read_data_o
);

  if (Depth > 16384) begin : gen_bad_depth
    $fatal(1, "ram: an ECP5 memory block has 16384 words at most");
  end
  localparam int unsigned Bits = Depth <= 1024 ? 18 : Depth <= 2048 ? 9 : Depth <= 4096 ? 4 : Depth <= 8192 ? 2 : 1;
  localparam int unsigned Cells = (Width + Bits - 1) / Bits;
  localparam int unsigned Shift = Bits == 18 ? 4 : Bits == 9 ? 3 : Bits == 4 ? 2 : Bits == 2 ? 1 : 0;  // unused address

  logic [Cells*Bits-1:0] write_data;
  /* verilator lint_off UNUSEDSIGNAL */ // the top of the last cell
  logic [Cells*Bits-1:0] read_data;
  /* verilator lint_on UNUSEDSIGNAL */
  logic [13:0] wa, ra;
  assign write_data = (Cells*Bits)'(write_data_i);
  assign read_data_o = read_data[Width-1:0];
  if (Bits == 18) begin : gen_byte_enables  // the two lowest address bits of the writing port
    assign wa = 14'(write_address_i) << Shift | 14'd3;
  end else begin : gen_address
    assign wa = 14'(write_address_i) << Shift;
  end
  assign ra = 14'(read_address_i) << Shift;

  for (genvar i = 0; i < Cells; i++) begin : gen_cell
    logic [17:0] wd;
    /* verilator lint_off UNUSEDSIGNAL */ // Bits of them
    logic [17:0] rd;
    /* verilator lint_on UNUSEDSIGNAL */
    assign wd = 18'(write_data[i*Bits +: Bits]);
    assign read_data[i*Bits +: Bits] = rd[Bits-1:0];
    DP16KD #(
      .DATA_WIDTH_A(Bits), .DATA_WIDTH_B(Bits), .REGMODE_A("OUTREG"), .REGMODE_B("OUTREG"),
      .WRITEMODE_A("NORMAL"), .WRITEMODE_B("NORMAL"), .CSDECODE_A("0b000"), .CSDECODE_B("0b000"),
      .CLKAMUX("CLKA"), .CLKBMUX("CLKB"), .RESETMODE("SYNC"), .GSR("DISABLED")
    ) u_cell (
      .CLKA(clk_i), .CEA(1'b1), .OCEA(1'b1), .WEA(write_enable_i), .RSTA(1'b0),
      .CLKB(clk_i), .CEB(1'b1), .OCEB(1'b1), .WEB(1'b0), .RSTB(1'b0),
      .CSA0(1'b0), .CSA1(1'b0), .CSA2(1'b0), .CSB0(1'b0), .CSB1(1'b0), .CSB2(1'b0),
      .ADA0(wa[0]), .ADA1(wa[1]), .ADA2(wa[2]), .ADA3(wa[3]), .ADA4(wa[4]), .ADA5(wa[5]), .ADA6(wa[6]), .ADA7(wa[7]),
      .ADA8(wa[8]), .ADA9(wa[9]), .ADA10(wa[10]), .ADA11(wa[11]), .ADA12(wa[12]), .ADA13(wa[13]),
      .ADB0(ra[0]), .ADB1(ra[1]), .ADB2(ra[2]), .ADB3(ra[3]), .ADB4(ra[4]), .ADB5(ra[5]), .ADB6(ra[6]), .ADB7(ra[7]),
      .ADB8(ra[8]), .ADB9(ra[9]), .ADB10(ra[10]), .ADB11(ra[11]), .ADB12(ra[12]), .ADB13(ra[13]),
      .DIA0(wd[0]), .DIA1(wd[1]), .DIA2(wd[2]), .DIA3(wd[3]), .DIA4(wd[4]), .DIA5(wd[5]), .DIA6(wd[6]), .DIA7(wd[7]),
      .DIA8(wd[8]), .DIA9(wd[9]), .DIA10(wd[10]), .DIA11(wd[11]), .DIA12(wd[12]), .DIA13(wd[13]), .DIA14(wd[14]),
      .DIA15(wd[15]), .DIA16(wd[16]), .DIA17(wd[17]),
      .DIB0(1'b0), .DIB1(1'b0), .DIB2(1'b0), .DIB3(1'b0), .DIB4(1'b0), .DIB5(1'b0), .DIB6(1'b0), .DIB7(1'b0),
      .DIB8(1'b0), .DIB9(1'b0), .DIB10(1'b0), .DIB11(1'b0), .DIB12(1'b0), .DIB13(1'b0), .DIB14(1'b0), .DIB15(1'b0),
      .DIB16(1'b0), .DIB17(1'b0),
      .DOB0(rd[0]), .DOB1(rd[1]), .DOB2(rd[2]), .DOB3(rd[3]), .DOB4(rd[4]), .DOB5(rd[5]), .DOB6(rd[6]), .DOB7(rd[7]),
      .DOB8(rd[8]), .DOB9(rd[9]), .DOB10(rd[10]), .DOB11(rd[11]), .DOB12(rd[12]), .DOB13(rd[13]), .DOB14(rd[14]),
      .DOB15(rd[15]), .DOB16(rd[16]), .DOB17(rd[17])
    );
  end

endmodule
