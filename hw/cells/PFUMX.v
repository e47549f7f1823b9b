// SPDX-License-Identifier: Apache-2.0
// Model of the PFUMX of the Lattice ECP5: the multiplexer behind the two LUT4s of a slice. After Lattice FPGA-TN-02200.
module PFUMX (
  input  ALUT, BLUT, C0,
  output Z
);

  assign Z = C0 ? ALUT : BLUT;

endmodule
