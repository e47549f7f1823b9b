// SPDX-License-Identifier: Apache-2.0
// A function of up to seven bits by its table, in LUT4s of one tile of the ECP5 and the multiplexers behind them, which
// are faster than any wire: a synthesiser that is given the table makes longer paths of it. Used by those modules of
// which there is one made of cells.
//
//   cycle       0
//   address_i   A
//   data_o      Contents[A]        without a register
//
//   Inputs      1 to 4    5                6, 7
//   cells       a LUT4    two, a PFUMX     two of one input less, a L6MUX21
//
// Parameters  Inputs 1 to 7.
// Source      Lattice FPGA-TN-02200 (ECP5 memory and slice).
module lookup #(
  parameter int unsigned          Inputs   = 7,
  parameter logic [2**Inputs-1:0] Contents = '0
) (
  input  logic [Inputs-1:0] address_i,
  output logic              data_o
);

  if (Inputs < 1 || Inputs > 7) begin : gen_bad_inputs
    $fatal(1, "lookup: Inputs must be 1 to 7");
  end

  // A tree: node 0 is the answer, node n chooses between 2n + 1 and 2n + 2, the last Luts nodes are LUT4s
  localparam int unsigned Levels = Inputs > 4 ? Inputs - 4 : 0;
  localparam int unsigned Luts   = 1 << Levels;

  logic [2*Luts-2:0] node;
  logic [3:0]        address;
  assign address = 4'(address_i);
  assign data_o  = node[0];

  for (genvar i = 0; i < Luts; i++) begin : gen_lut
    LUT4 #(
      .INIT(16'({16{Contents[(Levels == 0 ? 0 : 16*i)+:(Levels == 0 ? 2**Inputs : 16)]}}))
    ) u_cell (
      .A(address[0]),
      .B(address[1]),
      .C(address[2]),
      .D(address[3]),
      .Z(node[Luts-1+i])
    );
  end

  for (genvar n = 0; n < Luts - 1; n++) begin : gen_choice
    localparam int unsigned Level = $clog2(n + 2) - 1;
    if (Level == Levels - 1) begin : gen_pair
      PFUMX u_cell (
        .BLUT(node[2*n+1]),
        .ALUT(node[2*n+2]),
        .C0  (address_i[4]),
        .Z   (node[n])
      );
    end else begin : gen_more
      L6MUX21 u_cell (
        .D0(node[2*n+1]),
        .D1(node[2*n+2]),
        .SD(address_i[Inputs-1-Level]),
        .Z (node[n])
      );
    end
  end

endmodule
