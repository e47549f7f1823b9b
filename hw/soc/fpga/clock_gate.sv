// SPDX-License-Identifier: Apache-2.0
// The twin of rtl/clock_gate.sv for an FPGA: the clock never stands. A gate in the fabric would skew it, and one in the
// clock network would make a clock of its own of it, whose paths from and to the rest the placer does not check.
//
//   cycle     0    1    2
//   run_i     0    1    0
//   clk_o     ^    ^    ^       an edge: every one of clk_i
//
// Contract    As rtl/clock_gate.sv: the part must not change for want of edges, so it does not for more of them.
module clock_gate #(
  parameter int unsigned Tail = 63
) (
  input  logic clk_i,
  input  logic rst_ni,
  input  logic run_i,
  output logic clk_o
);

  assign clk_o = clk_i;

  logic unused;
  assign unused = rst_ni ^ run_i ^ (Tail == 0);

endmodule
