// SPDX-License-Identifier: Apache-2.0
// A register between two handshakes, as `stage`, for a word every cycle: a second register takes the word that arrives
// in the cycle in which the way ahead closes. Every output is a flip-flop.
//
//   cycle        0    1    2    3    4
//   in_valid_i   A    B    C    C    D    in_ready_o: while the second register is empty
//   in_ready_o   1    1    0    1    1
//   out_valid_o       A    A    B    C
//   out_ready_i       0    1    1    1
//
// Contract    Every word that was taken leaves once, in order. in_ready_o and out_valid_o stay high until a word has
//             moved; out_data_o holds so long. Reset: empty; in_ready_o is high even then, so nothing may be offered.
module skid_buffer #(
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

  logic [Width-1:0] spare_q;
  logic             ready_q;  // nothing is spare
  logic             moves;    // the first register takes a word, or is empty
  assign in_ready_o = ready_q;
  assign moves      = out_ready_i || !out_valid_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      ready_q     <= 1'b1;
      out_valid_o <= 1'b0;
    end else begin
      ready_q     <= moves || (ready_q && !in_valid_i);
      out_valid_o <= !moves || !ready_q || in_valid_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (ready_q) spare_q <= in_data_i;
    if (moves) out_data_o <= ready_q ? in_data_i : spare_q;
  end

endmodule
