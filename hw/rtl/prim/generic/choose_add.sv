// SPDX-License-Identifier: Apache-2.0
// sum = a + (select ? c : b), combinational. Behavioural twin: any simulator, any family.
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
