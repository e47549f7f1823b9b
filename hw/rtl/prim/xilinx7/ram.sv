// SPDX-License-Identifier: Apache-2.0
// Memory in RAMB18E1s of the Xilinx 7 series, with their output registers.
//
//   cycle            0    1    2
//   read_address_i   A                   taken by the cell's registers
//   read_data_o                M[A]      the output register (DOA_REG)
//
// Contract    See the generic twin.
//
// Each cell has all words and as many of their bits as fit (18 of 1024, 9 of 2048, 4 of 4096, 2 of 8192, 1 of 16384):
// no multiplexer behind the cells. Port A reads, port B writes.
// Source      Xilinx UG473 (7 series memory resources).
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
    $fatal(1, "ram: a RAMB18E1 has 16384 words at most");
  end
  localparam int unsigned Bits = Depth <= 1024 ? 18 : Depth <= 2048 ? 9 : Depth <= 4096 ? 4 : Depth <= 8192 ? 2 : 1;
  localparam int unsigned Cells = (Width + Bits - 1) / Bits;
  localparam int unsigned Shift = Bits == 18 ? 4 : Bits == 9 ? 3 : Bits == 4 ? 2 : Bits == 2 ? 1 : 0;  // unused address

  logic [Cells*Bits-1:0] write_data;
  /* verilator lint_off UNUSEDSIGNAL */ // the top of the last cell
  logic [Cells*Bits-1:0] read_data;
  /* verilator lint_on UNUSEDSIGNAL */
  assign write_data = (Cells*Bits)'(write_data_i);
  assign read_data_o = read_data[Width-1:0];

  for (genvar i = 0; i < Cells; i++) begin : gen_cell
    logic [17:0] write_word;  // parity bits are bits of the word
    /* verilator lint_off UNUSEDSIGNAL */ // Bits of them
    logic [17:0] read_word;
    /* verilator lint_on UNUSEDSIGNAL */
    if (Bits == 9) begin : gen_nine
      assign write_word = {1'b0, write_data[i*Bits + 8], 8'd0, write_data[i*Bits +: 8]};
      assign read_data[i*Bits +: Bits] = {read_word[16], read_word[7:0]};
    end else begin : gen_plain
      assign write_word = 18'(write_data[i*Bits +: Bits]);
      assign read_data[i*Bits +: Bits] = read_word[Bits-1:0];
    end
    RAMB18E1 #(
      .RAM_MODE("TDP"), .READ_WIDTH_A(Bits), .WRITE_WIDTH_A(0), .READ_WIDTH_B(0), .WRITE_WIDTH_B(Bits),
      .DOA_REG(1), .DOB_REG(0), .WRITE_MODE_A("READ_FIRST"), .WRITE_MODE_B("READ_FIRST"), .SIM_DEVICE("7SERIES")
    ) u_cell (
      .CLKARDCLK(clk_i), .ADDRARDADDR(14'(read_address_i) << Shift), .ENARDEN(1'b1), .REGCEAREGCE(1'b1), .WEA(2'b00),
      .DIADI(16'd0), .DIPADIP(2'b00), .RSTRAMARSTRAM(1'b0), .RSTREGARSTREG(1'b0),
      .DOADO(read_word[15:0]), .DOPADOP(read_word[17:16]),
      .CLKBWRCLK(clk_i), .ADDRBWRADDR(14'(write_address_i) << Shift), .ENBWREN(1'b1), .REGCEB(1'b0),
      .WEBWE({4{write_enable_i}}), .DIBDI(write_word[15:0]), .DIPBDIP(write_word[17:16]), .RSTRAMB(1'b0), .RSTREGB(1'b0),
      /* verilator lint_off PINCONNECTEMPTY */
      .DOBDO(), .DOPBDOP()
      /* verilator lint_on PINCONNECTEMPTY */
    );
  end

endmodule
