// SPDX-License-Identifier: Apache-2.0
// Model of the CCU2C of the Lattice ECP5: two bits of a carry chain. After Lattice FPGA-TN-02200.
/* verilator lint_off DECLFILENAME */
module CCU2C #(
  parameter [15:0] INIT0 = 16'h0000, INIT1 = 16'h0000,
  parameter INJECT1_0 = "YES", INJECT1_1 = "YES"
) (
  input  CIN, A0, B0, C0, D0, A1, B1, C1, D1,
  output S0, S1, COUT
);

  initial if (INJECT1_0 != "NO" || INJECT1_1 != "NO") $fatal(1, "CCU2C: only chains that go on are modelled");

  wire propagate0 = INIT0[{D0, C0, B0, A0}];
  wire generate0  = INIT0[{2'b00, B0, A0}];
  wire propagate1 = INIT1[{D1, C1, B1, A1}];
  wire generate1  = INIT1[{2'b00, B1, A1}];
  wire middle     = propagate0 ? CIN : generate0;

  assign S0   = propagate0 ^ CIN;
  assign S1   = propagate1 ^ middle;
  assign COUT = propagate1 ? middle : generate1;

endmodule
