// SPDX-License-Identifier: Apache-2.0
// Where a place of a ring lies: base + (index mod size) * bytes, the halves of the address one after the other.
//
//   cycle        0    1    2
//   index_i      I
//   address_o              base_i + (I mod 2^size_log2_i) << PlaceLog2
//
// Contract    `base_i` and `size_log2_i` do not change within the three cycles before `address_o` is used.
module ring_address #(
  parameter int unsigned PlaceLog2 = 6   // of the bytes of a place
) (
  input  logic        clk_i,
  input  logic [63:0] base_i,
  input  logic [3:0]  size_log2_i,
  input  logic [15:0] index_i,
  output logic [63:0] address_o
);

  logic [15:0] mask_q;
  logic [32:0] low_q;

  always_ff @(posedge clk_i) begin
    mask_q           <= 16'((17'd1 << size_log2_i) - 17'd1);
    low_q            <= {1'b0, base_i[31:0]} + (33'(index_i & mask_q) << PlaceLog2);
    address_o[31:0]  <= low_q[31:0];
    address_o[63:32] <= base_i[63:32] + 32'(low_q[32]);
  end

endmodule
