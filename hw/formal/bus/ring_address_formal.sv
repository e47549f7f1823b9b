// SPDX-License-Identifier: Apache-2.0
// ring_address: the address of the place that `index_i` named two cycles ago, for any base, size and index, while base and
// size have stood still as long as the contract says.
module ring_address_formal (
  input logic        clk_i,
  input logic [63:0] base_i,
  input logic [3:0]  size_log2_i,
  input logic [15:0] index_i
);

  localparam int unsigned PlaceLog2 = 6;

  logic [63:0] address;

  ring_address #(
    .PlaceLog2(PlaceLog2)
  ) u_address (
    .clk_i,
    .base_i,
    .size_log2_i,
    .index_i,
    .address_o(address)
  );

  logic [63:0] base_q;
  logic [3:0]  size_log2_q;
  logic [1:0]  still_q;       // cycles in which base and size did not change, up to three
  logic [15:0] index_q[2];
  logic        still;

  initial still_q = '0;
  assign still = base_i == base_q && size_log2_i == size_log2_q;

  always_ff @(posedge clk_i) begin
    base_q      <= base_i;
    size_log2_q <= size_log2_i;
    still_q     <= !still ? '0 : still_q == 2'd3 ? 2'd3 : still_q + 1'b1;
    index_q[0]  <= index_i;
    index_q[1]  <= index_q[0];
  end

  always_comb begin
    if (still_q == 2'd3 && still) begin
      assert (address == base_i + ((64'(index_q[1]) % (64'd1 << size_log2_i)) << PlaceLog2));
      // that it happens: a place behind the end of the ring's first pass, above the lower half of the address
      cover (size_log2_i == 4'd15 && index_q[1][15] && index_q[1][14:0] != '0 && address[63:32] != base_i[63:32]);
    end
  end

endmodule
