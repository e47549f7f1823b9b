// SPDX-License-Identifier: Apache-2.0
// fifo: see in_order.
module fifo_formal (
  input logic       clk_i,
  input logic       in_valid_i,
  input logic [0:0] in_data_i,
  input logic       out_ready_i,
  input logic [3:0] watched_i
);

  localparam int unsigned Depth = 4;

  logic       rst_ni;
  logic       in_ready, out_valid;
  logic [0:0] out_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  fifo #(
    .Width(1),
    .Depth(Depth)
  ) u_fifo (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_o (in_ready),
    .in_data_i,
    .out_valid_o(out_valid),
    .out_ready_i,
    .out_data_o (out_data)
  );

  in_order #(
    .Width (1),
    .Places(Depth)
  ) u_in_order (
    .clk_i,
    .rst_ni,
    .in_valid_i,
    .in_ready_i (in_ready),
    .in_data_i,
    .out_valid_i(out_valid),
    .out_ready_i,
    .out_data_i (out_data),
    .watched_i
  );

endmodule
