// SPDX-License-Identifier: Apache-2.0
// sum = a + (select ? c : b), combinational. For any simulator, and for families whose synthesiser puts the choice into the
// carry chain by itself, as Xilinx 7's with its LUT6.
module choose_add #(
  parameter int unsigned Width = 16
) (
  input  logic [Width-1:0] a_i,
  input  logic [Width-1:0] b_i,
  input  logic [Width-1:0] c_i,
  input  logic             select_i,
  output logic [Width-1:0] sum_o
);

  assign sum_o = a_i + (select_i ? c_i : b_i);

endmodule
