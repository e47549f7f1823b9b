// SPDX-License-Identifier: Apache-2.0
// Model of the EHXPLLL of the Lattice ECP5, as far as hw/soc/fpga uses it: its output is its input, whatever the dividers
// say, and it has locked after eight edges. After Lattice FPGA-TN-02200.
/* verilator lint_off UNUSED */ // pins and parameters beyond this model
/* verilator lint_off SYNCASYNCNET */ // LOCK resets
module EHXPLLL #(
  parameter CLKI_DIV = 1, CLKFB_DIV = 1, CLKOP_DIV = 8, CLKOP_CPHASE = 0, CLKOP_FPHASE = 0, CLKOP_ENABLE = "ENABLED",
  parameter FEEDBK_PATH = "CLKOP", OUTDIVIDER_MUXA = "DIVA", PLLRST_ENA = "DISABLED", INTFB_WAKE = "DISABLED",
  parameter STDBY_ENABLE = "DISABLED", DPHASE_SOURCE = "DISABLED"
) (
  input  CLKI, CLKFB, RST, STDBY, PHASESEL0, PHASESEL1, PHASEDIR, PHASESTEP, PHASELOADREG, PLLWAKESYNC, ENCLKOP,
  output CLKOP, LOCK
);

  reg [3:0] edges;
  initial edges = 0;
  assign CLKOP = CLKI;
  assign LOCK = edges[3];
  always @(posedge CLKI) if (!edges[3]) edges <= edges + 4'd1;

endmodule
