// SPDX-License-Identifier: Apache-2.0
// Keeps the lowest word of an operand, for whom it is a modulus: whether it is odd, and a start for `orup_scale`.
//
//   cycle        0    1    2
//   first_i      1              word_i is taken, and is the lowest of its number
//   word_i       n0
//   start_o           1         word_o is n0
//   odd_o                  1    until the next start_o
//
// Contract    clear_i: the word is zero in the next cycle, and orup_scale begins anew with it. Reset: start_o is low.
module lowest_word #(
  parameter int unsigned W = 18
) (
  input  logic         clk_i,
  input  logic         rst_ni,
  input  logic         clear_i,
  input  logic         first_i,
  input  logic [W-1:0] word_i,
  output logic         start_o,
  output logic [W-1:0] word_o,
  output logic         odd_o
);

  always_ff @(posedge clk_i) begin
    word_o <= clear_i ? '0 : word_i;  // SEC_CM: ERASE.WORKING_REGISTERS
    if (start_o) odd_o <= word_o[0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) start_o <= 1'b0;
    else start_o <= first_i || clear_i;
  end

endmodule
