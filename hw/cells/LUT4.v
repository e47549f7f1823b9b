// SPDX-License-Identifier: Apache-2.0
// Model of the LUT4 of the Lattice ECP5. After Lattice FPGA-TN-02200.
module LUT4 #(
  parameter [15:0] INIT = 16'h0000
) (
  input  A, B, C, D,
  output Z
);

  assign Z = INIT[{D, C, B, A}];

endmodule
