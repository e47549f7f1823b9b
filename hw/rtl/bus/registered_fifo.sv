// SPDX-License-Identifier: Apache-2.0
// As `fifo`, but the word at its head is in flip-flops, where what hangs on it is wide or far: a fifo with a skid_buffer
// behind it, so a cycle slower and with room for two words more.
//
//   cycle        0    1    2    3
//   in_valid_i   1    0    0    0      in_ready_o high: taken
//   out_valid_o  0    0    1    1      ... until out_ready_i
//
// Contract    As of fifo and of skid_buffer: every output is a flip-flop.
module registered_fifo #(
  parameter int unsigned Width = 32,
  parameter int unsigned Depth = 4
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

  logic             head_valid, head_ready;
  logic [Width-1:0] head;

  fifo #(
    .Width(Width),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o,
    .in_data_i,
    .out_valid_o(head_valid),
    .out_ready_i(head_ready),
    .out_data_o (head)
  );

  skid_buffer #(
    .Width(Width)
  ) u_head (
    .clk_i,
    .rst_ni,
    .in_valid_i (head_valid),
    .in_ready_o (head_ready),
    .in_data_i  (head),
    .out_valid_o,
    .out_ready_i,
    .out_data_o
  );

endmodule
