// SPDX-License-Identifier: Apache-2.0
// For simulation (GARNER_ASSERT): a wipe does not end before every word of a memory has been overwritten with zero.
//
//   cycle            0    1    2   ...
//   begin_i          1                   the wipe begins: no word counts as overwritten
//   write_enable_i        1    1         word_i to the place address_i
//   end_i                         1      asserted here: each place has been written, zero the last time
//
// Contract    end_i comes after begin_i. A word beyond Depth is in no memory, and is not looked at.
module wipe_monitor #(
  parameter  int unsigned W     = 18,
  parameter  int unsigned Depth = 1024,
  localparam int unsigned AddressWidth = $clog2(Depth)
) (
  input logic                    clk_i,
  input logic                    rst_ni,
  input logic                    begin_i,
  input logic                    end_i,
  input logic                    write_enable_i,
  input logic [AddressWidth-1:0] address_i,
  input logic [W-1:0]            word_i
);

  /* verilator lint_off WIDTHCONCAT */ // as long as a memory
  logic [Depth-1:0] zero_q;  // a bit for each word: it is zero
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      zero_q <= '0;
    end else begin
      if (write_enable_i) zero_q[address_i] <= word_i == '0;
      if (begin_i) zero_q <= '0;
    end
  end
  /* verilator lint_on WIDTHCONCAT */

  always_comb begin
    if (rst_ni && end_i) wipe_ends_when_all_is_zero: assert (&zero_q);
  end

endmodule
