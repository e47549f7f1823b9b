// SPDX-License-Identifier: Apache-2.0
// A register between two handshakes: every output is a flip-flop, so that no path goes through. A word every other
// cycle.
//
//   cycle        0    1    2    3
//   in_valid_i   A    B    B              in_ready_o: while empty
//   out_valid_o       A         B         ... until out_ready_i
//
// Contract    Every word that was taken leaves once, in order. in_ready_o and out_valid_o stay high until a word has
//             moved; out_data_o holds so long. A word that has left is overwritten at once by what is at the input: 0,
//             or the next word, where words are secret. Reset: empty; in_ready_o rises a cycle later.
module stage #(
  parameter int unsigned Width = 32
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  input  logic             in_valid_i,
  output logic             in_ready_o,
  input  logic [Width-1:0] in_data_i,
  output logic             out_valid_o,
  input  logic             out_ready_i,
  output logic [Width-1:0] out_data_o
);

  logic ready_q;
  assign in_ready_o = ready_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q     <= 1'b0;
      out_valid_o <= 1'b0;
    end else begin
      ready_q     <= out_valid_o ? out_ready_i : !(in_valid_i && ready_q);
      out_valid_o <= out_valid_o ? !out_ready_i : in_valid_i && ready_q;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_q) out_data_o <= in_data_i;  // SEC_CM: ERASE.WORKING_REGISTERS
  end

endmodule
