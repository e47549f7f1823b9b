// SPDX-License-Identifier: Apache-2.0
// stage: see in_order; and a word that has left is overwritten by what is at the input.
module stage_formal (
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

  stage #(
    .Width(2)
  ) u_stage (
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
    .Places(1)
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

  logic       empty_q;  // in the cycle before
  logic [1:0] in_data_q;
  always_ff @(posedge clk_i) begin
    empty_q   <= rst_ni && in_ready;
    in_data_q <= in_data_i;
  end

  always_comb begin
    if (rst_ni && empty_q) assert (out_data == in_data_q);
  end

endmodule
