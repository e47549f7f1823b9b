// SPDX-License-Identifier: Apache-2.0
// Model of the DCCA of the Lattice ECP5: a signal onto a global network, held low while CE is low. After Lattice
// FPGA-TN-02200.
module DCCA (
  input  CLKI,
  input  CE,
  output CLKO
);

  assign CLKO = CLKI & CE;

endmodule
