// SPDX-License-Identifier: Apache-2.0
// Counts the words of an operand, one a cycle, from a pulse on.
//
//   cycle      0    1    2    3    4     Words = 3
//   start_i    1
//   active_o        1    1    1
//   index_o         0    1    2          unknown where not active
//
// Contract    start_i comes while not active, or with the last word.
module word_span #(
  parameter  int unsigned Words = 64,
  localparam int unsigned Aw    = $clog2(Words)
) (
  input  logic          clk_i,
  input  logic          rst_ni,
  input  logic          start_i,
  output logic          active_o,
  output logic [Aw-1:0] index_o
);

  always_ff @(posedge clk_i) begin
    if (!rst_ni) active_o <= 1'b0;
    else active_o <= start_i || (active_o && index_o != Aw'(Words - 1));
  end
  always_ff @(posedge clk_i) if (start_i || active_o) index_o <= start_i ? '0 : index_o + 1'b1;

endmodule
