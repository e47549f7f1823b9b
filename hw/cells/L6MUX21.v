// SPDX-License-Identifier: Apache-2.0
// Model of the L6MUX21 of the Lattice ECP5: the multiplexer behind two others. After Lattice FPGA-TN-02200.
module L6MUX21 (
  input  D0, D1, SD,
  output Z
);

  assign Z = SD ? D1 : D0;

endmodule
