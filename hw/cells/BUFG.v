// SPDX-License-Identifier: Apache-2.0
// Model of the BUFG of the Xilinx 7 series: a signal onto a global network. After Xilinx UG472.
module BUFG (
  input  I,
  output O
);

  assign O = I;

endmodule
