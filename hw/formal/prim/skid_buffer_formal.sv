// SPDX-License-Identifier: Apache-2.0
// skid_buffer: see in_order, which says the full rate, too: with one word inside there is room for the next. And a word
// that has left is overwritten by what is at the input.
module skid_buffer_formal (
  input logic       clk_i,
  input logic       in_valid_i,
  input logic [1:0] in_data_i,
  input logic       out_ready_i,
  input logic [3:0] watched_i
);

  logic       rst_ni;
  logic       in_ready, out_valid;
  logic [1:0] out_data;

  initial rst_ni = 1'b0;
  always_ff @(posedge clk_i) rst_ni <= 1'b1;

  skid_buffer #(
    .Width(2)
  ) u_skid_buffer (
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
    .Width (2),
    .Places(2)
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

  logic       moved_q;  // in the cycle before no word was spare, and one left or none was here
  logic [1:0] in_data_q;
  always_ff @(posedge clk_i) begin
    moved_q   <= rst_ni && in_ready && (out_ready_i || !out_valid);
    in_data_q <= in_data_i;
  end

  always_comb begin
    if (rst_ni && moved_q) assert (out_data == in_data_q);
  end

endmodule
